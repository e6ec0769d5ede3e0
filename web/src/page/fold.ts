/** Letters that decompose into no other ones, as the server's search takes them. */
const others: Record<string, string> = { "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "ŧ": "t", "ς": "σ" };
const plain = /^[\x20-\x7e]*$/;

/** A text without regard to case and accents. */
export function fold(text: string): string {
  return plain.test(text) ? text.toLowerCase() : text.normalize("NFKD").replace(/\p{Mn}/gu, "").toLowerCase().replace(/[ßæœøłđħıŧς]/g, (letter) => others[letter]!);
}

export const wordsOf = (filter: string): string[] => fold(filter).split(/\s+/).filter(Boolean);

/** The same with the place in the text for each letter, and for the end. */
export function foldWithPlaces(text: string): { folded: string; places: number[] } {
  let folded = "";
  const places: number[] = [];
  let at = 0;
  for (const letter of text) {
    for (const one of fold(letter)) {
      folded += one;
      for (let i = 0; i < one.length; i++) places.push(at);
    }
    at += letter.length;
  }
  return { folded, places: [...places, text.length] };
}

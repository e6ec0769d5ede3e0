/** The rules of a language that a message needs. */
export interface Grammar {
  number(n: number): string;
  /** The category of a number in the language: "one", "few" and so on. */
  plural(n: number): string;
  /** A name or another text with its own direction, so that it does not turn the sentence around it. */
  isolated(text: string): string;
}

/**
 * Puts arguments into a message: {0} is the first one, {0, plural, one {# file} other {# files}} chooses by a number, also by =0, and
 * {0, select, true {…} other {…}} by a value; # is the number. A part of ICU's MessageFormat, without quotation.
 */
export function format(message: string, args: unknown[], grammar: Grammar, hash?: number): string {
  let text = "";
  for (let at = 0; at < message.length; at++) {
    const letter = message[at]!;
    if (letter === "#" && hash !== undefined) text += grammar.number(hash);
    else if (letter !== "{") text += letter;
    else {
      const end = endOf(message, at);
      text += argument(message.slice(at + 1, end), args, grammar, hash);
      at = end;
    }
  }
  return text;
}

function argument(content: string, args: unknown[], grammar: Grammar, hash: number | undefined): string {
  const [, index, kind, rest = ""] = /^\s*(\d+)\s*(?:,\s*(plural|select)\s*,([^]*))?$/.exec(content) ?? [];
  const value = args[Number(index)];
  if (kind === undefined) return typeof value === "number" ? grammar.number(value) : grammar.isolated(String(value ?? ""));
  const choices = new Map<string, string>();
  for (let at = 0; at < rest.length;) {
    const open = rest.indexOf("{", at);
    if (open < 0) break;
    const end = endOf(rest, open);
    choices.set(rest.slice(at, open).trim(), rest.slice(open + 1, end));
    at = end + 1;
  }
  const isPlural = kind === "plural" && typeof value === "number";
  const chosen = (isPlural ? choices.get(`=${value}`) ?? choices.get(grammar.plural(value)) : choices.get(String(value))) ?? choices.get("other") ?? "";
  return format(chosen, args, grammar, isPlural ? value : hash);
}

/** Where the brace that opens at a place is closed; the message's end if it never is. */
function endOf(message: string, open: number): number {
  let depth = 0;
  for (let at = open; at < message.length; at++) {
    if (message[at] === "{") depth++;
    else if (message[at] === "}" && --depth === 0) return at;
  }
  return message.length;
}

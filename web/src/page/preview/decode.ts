/** A text, and whether it can be written again as it is: UTF-8, with or without a mark at its beginning. */
export interface Decoded {
  text: string;
  isUtf8: boolean;
  hasMark: boolean;
}

/** The text of the first bytes of a file: UTF-8, UTF-16 with a byte order mark, or what old programs of Windows write. */
export function decode(bytes: Uint8Array<ArrayBuffer>, isWhole: boolean): Decoded {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    // The last character of a part may be cut.
    return { text: new TextDecoder(utf16 ?? "utf-8", { fatal: utf16 === undefined }).decode(bytes, { stream: !isWhole }), isUtf8: utf16 === undefined, hasMark };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), isUtf8: false, hasMark: false };
  }
}

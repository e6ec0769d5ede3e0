/** The text of the first bytes of a file: UTF-8, UTF-16 with a byte order mark, or what old programs of Windows write. */
export function decode(bytes: Uint8Array<ArrayBuffer>, isWhole: boolean): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
  try {
    // The last character of a part may be cut.
    return new TextDecoder(utf16 ?? "utf-8", { fatal: utf16 === undefined }).decode(bytes, { stream: !isWhole });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

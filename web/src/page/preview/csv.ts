/** The first rows of comma-separated values, RFC 4180; the separator is the one of , ; and tab that the first line has most often.
 *  Undefined if it is not a table: a quotation mark that is never closed, or a first row longer than the part. */
export function parseCsv(text: string, maxRows: number, isWhole: boolean): string[][] | undefined {
  const firstLine = text.slice(0, /[\r\n]|$/.exec(text)!.index);
  const separator = [",", ";", "\t"].reduce((best, one) => (firstLine.split(one).length > firstLine.split(best).length ? one : best));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let i = 0; i < text.length && rows.length < maxRows; i++) {
    const letter = text[i]!;
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') cell += text[i++];
      else isQuoted = false;
    } else if (letter === '"' && cell === "") isQuoted = true;
    else if (letter === separator) {
      row.push(cell);
      cell = "";
    } else if (letter === "\n" || letter === "\r") {
      if (letter === "\r" && text[i + 1] === "\n") i++;
      rows.push([...row, cell]);
      row = [];
      cell = "";
    } else cell += letter;
  }
  if (isQuoted && isWhole) return undefined;
  // The last row of a part may be cut.
  if (isWhole && rows.length < maxRows && (cell || row.length)) rows.push([...row, cell]);
  return rows.length > 0 ? rows : undefined;
}

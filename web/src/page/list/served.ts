import type { Entry } from "../entries.ts";

/** The entries of the listing that the server has made, which is shown until the script takes its place: the first 1,000 at most. */
export function servedEntries(): Entry[] {
  // With a query it is another part of the folder.
  if (location.search) return [];
  const { rows = [] } = document.querySelector<HTMLTableElement>(".plain main table")?.tBodies[0] ?? {};
  return Array.from(rows, ({ cells: [name, size, modified] }) => {
    const href = name!.firstElementChild!.getAttribute("href")!;
    const isFolder = href.endsWith("/");
    return {
      name: decodeURIComponent(href.slice("./".length, isFolder ? -1 : undefined)),
      isFolder,
      size: Number((size!.firstElementChild as HTMLDataElement | null)?.value ?? 0),
      modified: Date.parse((modified!.firstElementChild as HTMLTimeElement).dateTime) || 0,
    };
  });
}

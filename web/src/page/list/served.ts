import type { Entry } from "../entries.ts";

/** The entries of the listing that the server has made, which is shown until the script takes its place: the first 1,000 at most. */
export function servedEntries(): Entry[] {
  // With a query it is another part of the folder.
  if (location.search) return [];
  return [...document.querySelectorAll(".plain main tbody tr")].map((row) => {
    const href = row.querySelector("a")?.getAttribute("href") ?? "";
    const isFolder = href.endsWith("/");
    return {
      name: decodeURIComponent(href.slice("./".length, isFolder ? -1 : undefined)),
      isFolder,
      size: Number(row.querySelector("data")?.value ?? 0),
      modified: Date.parse(row.querySelector("time")?.dateTime ?? "") || 0,
    };
  });
}

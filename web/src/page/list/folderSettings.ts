import type { Arrangement, SortKey } from "../entries.ts";
import { parentOf } from "../names.ts";

export type View = "list" | "tiles";

/** How a person wants to see a folder. */
export interface FolderSettings {
  view: View;
  sort: SortKey;
  descending: boolean;
}

const usual: FolderSettings = { view: "list", sort: "name", descending: false };
const key = "millrace-folders";
const most = 300;

function read(): Map<string, FolderSettings> {
  try {
    return new Map(JSON.parse(localStorage.getItem(key) ?? "[]") as [string, FolderSettings][]);
  } catch {
    // It was never written, or the browser keeps nothing.
    return new Map();
  }
}

/** The settings of a folder, or else those of the nearest one above it that has some. */
export function settingsOf(folder: string): FolderSettings {
  const all = read();
  for (let at = folder; ; at = parentOf(at)) {
    const found = all.get(at);
    if (found && (found.view === "list" || found.view === "tiles") && ["name", "size", "modified"].includes(found.sort)) return { view: found.view, sort: found.sort, descending: found.descending === true };
    if (at === "") return usual;
  }
}

/** Remembers them in this browser; of too many folders, the one that was changed longest ago is forgotten. */
export function remember(folder: string, view: View, { sort, descending }: Arrangement): void {
  const all = read();
  all.delete(folder);
  all.set(folder, { view, sort, descending });
  try {
    localStorage.setItem(key, JSON.stringify([...all].slice(-most)));
  } catch {
    // The browser keeps nothing.
  }
}

/** For when another person may use the browser next. */
export function forgetFolders(): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // There is nothing then.
  }
}

import type { Entry } from "../entries.ts";
import type { Listing } from "./listing.ts";

const waitMs = 150;

/** New files and folders that the list shows together: a folder of small files has a hundred of them in a second. */
export class Arrivals {
  private readonly entries = new Map<string, Entry>();
  private timer = 0;

  constructor(private readonly listing: Listing, private readonly arrived: (entries: Entry[]) => void) {}

  clear(): void {
    this.entries.clear();
  }

  /** A new file or folder: in this folder it is shown itself, below it the folder that it is in. */
  add(name: string, isFolder: boolean, size: number, modified = Date.now()): void {
    const inside = this.listing.folder ? `${this.listing.folder}/` : "";
    if (!name.startsWith(inside)) return;
    const rest = name.slice(inside.length);
    const [first = ""] = rest.split("/");
    if (first === rest) this.entries.set(rest, { name: rest, isFolder, size, modified });
    else if (first && !this.listing.has(first)) this.entries.set(first, { name: first, isFolder: true, size: 0, modified: Date.now() });
    this.timer ||= window.setTimeout(() => {
      this.timer = 0;
      const added = [...this.entries.values()];
      this.entries.clear();
      this.arrived(added);
    }, waitMs);
  }
}

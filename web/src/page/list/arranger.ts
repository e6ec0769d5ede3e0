import type { Arrangement, Columns, Entry } from "../entries.ts";
import { fold, wordsOf } from "../fold.ts";
import { baseName } from "../names.ts";

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
/** All entries of a folder, and the order in which they are shown. Runs in the worker. */
export class Arranger {
  private readonly entries: Entry[] = [];
  private readonly folded: string[] = [];
  private readonly places = new Map<string, number>();
  private sorted: number[] = [];
  private unsorted: number[] = [];
  /** Entries that were found in folders below; their names have slashes. */
  private below: number[] = [];
  folders = 0;
  private bytes = 0;

  constructor(public arrangement: Arrangement) {}

  /** Appends entries; one with a name that is there replaces it. Returns them as columns, and the index of the first. */
  add(entries: Entry[]): { start: number; columns: Columns } {
    this.remove(entries.map((entry) => entry.name));
    const start = this.entries.length;
    const columns: Columns = {
      names: entries.map((entry) => entry.name),
      folders: Uint8Array.from(entries, (entry) => Number(entry.isFolder)),
      sizes: Float64Array.from(entries, (entry) => entry.size),
      times: Float64Array.from(entries, (entry) => entry.modified),
      tags: entries.map((entry) => entry.tag),
    };
    for (const entry of entries) {
      const index = this.entries.push(entry) - 1;
      this.folded.push(fold(baseName(entry.name)));
      this.places.set(entry.name, index);
      if (isBelow(entry)) this.below.push(index);
      else {
        this.unsorted.push(index);
        this.count(entry, 1);
      }
    }
    return { start, columns };
  }

  remove(names: string[]): void {
    const gone = new Set<number>();
    for (const name of names) {
      const index = this.places.get(name);
      if (index === undefined) continue;
      gone.add(index);
      this.places.delete(name);
      if (!isBelow(this.entries[index]!)) this.count(this.entries[index]!, -1);
    }
    if (gone.size === 0) return;
    this.sorted = this.sorted.filter((index) => !gone.has(index));
    this.unsorted = this.unsorted.filter((index) => !gone.has(index));
    this.below = this.below.filter((index) => !gone.has(index));
  }

  /** Earlier results stay visible as long as their names contain the words typed now. */
  forgetFound(): void {
    for (const index of this.below) this.places.delete(this.entries[index]!.name);
    this.below = [];
  }

  arrange(arrangement: Arrangement): void {
    if (arrangement.sort !== this.arrangement.sort || arrangement.descending !== this.arrangement.descending) {
      this.unsorted = [...this.sorted, ...this.unsorted];
      this.sorted = [];
    }
    this.arrangement = arrangement;
  }

  view(): { order: Uint32Array<ArrayBuffer>; all: number; folders: number; bytes: number; found: number } {
    if (this.unsorted.length > 0) {
      // Two sorted runs after one another, which the engine's merge sort only merges.
      this.sorted = [...this.sorted, ...this.unsorted.sort(this.compare)].sort(this.compare);
      this.unsorted = [];
    }
    const words = wordsOf(this.arrangement.filter);
    const matches = (index: number): boolean => words.every((word) => this.folded[index]!.includes(word));
    const shown = words.length ? this.sorted.filter(matches) : this.sorted;
    const found = words.length ? this.below.filter(matches).sort((a, b) => this.compare(a, b, baseName)) : [];
    return { order: Uint32Array.from([...shown, ...found]), all: this.sorted.length, folders: this.folders, bytes: this.bytes, found: found.length };
  }

  private readonly compare = (a: number, b: number, nameOf = (name: string): string => name): number => {
    const x = this.entries[a]!, y = this.entries[b]!;
    if (x.isFolder !== y.isFolder) return x.isFolder ? -1 : 1;
    const { sort, descending } = this.arrangement;
    const order = (sort === "name" ? 0 : x[sort] - y[sort]) || collator.compare(nameOf(x.name), nameOf(y.name)) || (x.name < y.name ? -1 : 1);
    return descending ? -order : order;
  };

  private count(entry: Entry, sign: number): void {
    if (entry.isFolder) this.folders += sign;
    this.bytes += sign * entry.size;
  }
}

const isBelow = (entry: Entry): boolean => entry.name.includes("/");

import { type Arrangement, type Below, type Entry, type ListMessage, type ListRequest, noSearch } from "../entries.ts";
import { startWorker } from "../workers.ts";
import { urlOf } from "../api.ts";
import { Arranger } from "./arranger.ts";

/** The worker's state of the shown folder. */
export class Listing {
  private worker: Worker | undefined;
  private run = 0;
  private entries: Entry[] = [];
  private fresh = false;
  order: Uint32Array = new Uint32Array();
  folder = "";
  all = 0;
  folders = 0;
  bytes = 0;
  /** Entries that the server leaves out. */
  omitted = 0;
  complete = false;
  below: Below = noSearch;

  constructor(
    private arrangement: Arrangement,
    private readonly changed: () => void,
    private readonly failed: (status: number, error: string) => void,
    private readonly outdated: () => void,
  ) {}

  /** Reads a folder. The shown entries stay until its first ones arrive. */
  open(folder: string): void {
    this.folder = folder;
    this.complete = false;
    this.fresh = true;
    this.post({
      type: "open", run: ++this.run, url: this.url, skip: folder ? folder.length + 1 : 0, arrangement: this.arrangement,
    });
  }

  /** Asks whether the folder was changed by another user. */
  poll(): void {
    this.post({ type: "poll", run: this.run, url: this.url });
  }

  private get url(): string {
    return new URL(urlOf(this.folder, true), location.href).href;
  }

  /** Shows entries that are known already, until the worker has read the folder. */
  preview(entries: Entry[]): void {
    const arranger = new Arranger(this.arrangement);
    arranger.add(entries);
    this.entries = entries;
    ({ order: this.order, all: this.all, folders: this.folders, bytes: this.bytes } = arranger.view());
    this.complete = false;
    this.below = noSearch;
    this.changed();
  }

  /** For the folder that is read next. */
  use(arrangement: Arrangement): void {
    this.arrangement = arrangement;
  }

  arrange(arrangement: Arrangement): void {
    this.arrangement = arrangement;
    this.post({ type: "arrange", run: this.run, arrangement });
  }

  /** Shows what this page has changed on the server, without asking the server again. */
  change(removed: string[], added: Entry[]): void {
    this.post({ type: "change", run: this.run, removed, added });
  }

  clear(): void {
    this.run++;
    this.entries = [];
    this.order = new Uint32Array();
    this.all = this.folders = this.bytes = this.omitted = 0;
    this.below = noSearch;
    this.complete = true;
  }

  get length(): number {
    return this.order.length;
  }

  at(row: number): Entry | undefined {
    const index = this.order[row];
    return index === undefined ? undefined : this.entries[index];
  }

  rowOf(name: string): number {
    return this.order.findIndex((index) => this.entries[index]?.name === name);
  }

  has(name: string): boolean {
    return this.rowOf(name) >= 0;
  }

  find(name: string): Entry | undefined {
    return this.at(this.rowOf(name));
  }

  private receive(message: ListMessage): void {
    if (message.run !== this.run) return;
    if (message.type === "changed") this.outdated();
    else if (message.type === "failed") {
      this.failed(message.status, message.error);
    } else if (message.type === "rows") {
      if (this.fresh) this.entries = [];
      this.fresh = false;
      const { names, folders, sizes, times, tags } = message.columns;
      for (let i = 0; i < names.length; i++) {
        this.entries[message.start + i] = { name: names[i]!, isFolder: folders[i] === 1, size: sizes[i]!, modified: times[i]!, tag: tags[i] };
      }
    } else {
      ({ order: this.order, all: this.all, folders: this.folders, bytes: this.bytes, complete: this.complete, omitted: this.omitted, below: this.below } = message);
      this.changed();
    }
  }

  /** The worker is started for the first request: beside the first paint it would only slow that down. */
  private post(request: ListRequest): void {
    if (!this.worker) {
      this.worker = startWorker();
      this.worker.onmessage = ({ data }: MessageEvent<ListMessage>) => this.receive(data);
      this.worker.onerror = () => {
        this.worker = undefined;
        this.failed(0, "");
      };
    }
    this.worker.postMessage(request);
  }
}

import { type Arrangement, type Below, type Entry, type ListMessage, type ListRequest, noSearch } from "../entries.ts";
import { Arranger } from "./arranger.ts";

interface PageEntry {
  name: string;
  kind: string;
  length?: number;
  modified: string;
  etag?: string | null;
}

interface Page {
  entries: PageEntry[];
  next?: string;
  /** Entries that the server leaves out between these. */
  omitted?: number;
}

/** A line of a search that is not an entry. */
interface SearchState {
  searched: number;
  complete?: boolean;
  more?: boolean;
  omitted?: number;
}

/** The first page fills the screen; the others are as large as the server makes them. */
const firstPage = 1000;
const laterPages = 10_000;
/** Of fewer letters, too many names would be found to be of use. */
const minSearched = 2;
/** The search on the server waits for a pause in typing: each one ends the one before. */
const searchMs = 200;

/** Reads a folder page by page and arranges it, in the worker: the page itself stays free for the person who uses it. */
export class Lister {
  private run = 0;
  private arranger: Arranger | undefined;
  private complete = false;
  /** Changes by this page while the folder is read: the server may have listed it before them. */
  private readonly changes = new Map<string, Entry | undefined>();
  private omitted = 0;
  /** The first page as it was read, and its tag. */
  private first = "";
  private tag: string | null = null;
  private at = { url: "", skip: 0 };
  private filter = "";
  private searching: AbortController | undefined;
  private below: Below = noSearch;

  constructor(private readonly post: (message: ListMessage, transfer: Transferable[]) => void) {}

  receive(request: ListRequest): void {
    if (request.type === "open") {
      void this.open(request);
      return;
    }
    if (request.run !== this.run || !this.arranger) return;
    if (request.type === "poll") {
      void this.poll(request);
      return;
    }
    if (request.type === "arrange") this.arrange(request.arrangement);
    else {
      if (!this.complete) {
        for (const name of request.removed) this.changes.set(name, undefined);
        for (const entry of request.added) this.changes.set(entry.name, entry);
      }
      this.change(request);
    }
    this.show();
  }

  private async open({ run, url, skip, arrangement }: Extract<ListRequest, { type: "open" }>): Promise<void> {
    this.run = run;
    this.complete = false;
    this.changes.clear();
    this.omitted = 0;
    this.arranger = new Arranger(arrangement);
    this.at = { url, skip };
    this.filter = "";
    this.endSearch();
    let after: string | undefined;
    do {
      const query = after === undefined ? `limit=${firstPage}` : `limit=${laterPages}&after=${encodeURIComponent(after)}`;
      let page: Page;
      try {
        const response = await fetch(`${url}${url.includes("?") ? "&" : "?"}${query}`, { headers: { Accept: "application/json" }, cache: "no-cache" });
        if (run !== this.run) return;
        if (!response.ok) {
          const { error } = (await response.json().catch(() => ({}))) as { error?: string };
          this.post({ type: "failed", run, status: response.status, error: error ?? "" }, []);
          return;
        }
        const text = await response.text();
        if (after === undefined) {
          this.first = text;
          this.tag = response.headers.get("ETag");
        }
        page = JSON.parse(text) as Page;
      } catch {
        if (run === this.run) this.post({ type: "failed", run, status: 0, error: "" }, []);
        return;
      }
      if (run !== this.run) return;
      after = page.next ?? undefined;
      this.complete = after === undefined;
      this.omitted += page.omitted ?? 0;
      this.add(page.entries.map((entry) => this.toEntry(entry)));
      if (this.changes.size > 0) {
        this.change({ removed: [...this.changes.keys()], added: [...this.changes.values()].filter((entry) => entry !== undefined) });
        // What others have done with the same names is shown when the folder is asked for next.
        this.first = "";
        this.tag = null;
      }
      // Applies the words that were typed while the folder was read.
      this.arrange(this.arranger.arrangement);
      this.show();
    } while (after !== undefined);
  }

  /** Asks for the first page again, unless the server still has the same one, and reports a change. */
  private async poll({ run, url }: Extract<ListRequest, { type: "poll" }>): Promise<void> {
    if (!this.complete) return;
    try {
      // Over a session nothing is in the browser's cache that could make the request conditional.
      const response = await fetch(`${url}${url.includes("?") ? "&" : "?"}limit=${firstPage}`, { headers: { Accept: "application/json", ...(this.tag ? { "If-None-Match": this.tag } : {}) }, cache: "no-store" });
      if (response.ok && (await response.text()) !== this.first && run === this.run && this.complete) this.post({ type: "changed", run }, []);
    } catch {
      // The next one may get through.
    }
  }

  private arrange(arrangement: Arrangement): void {
    this.arranger!.arrange(arrangement);
    const { filter } = arrangement;
    if (!this.complete || filter === this.filter) return;
    this.filter = filter;
    this.endSearch();
    // A folder without folders has nothing below it.
    if (filter.length < minSearched || this.arranger!.folders === 0) this.arranger!.forgetFound();
    else void this.search(filter);
  }

  private endSearch(): void {
    this.searching?.abort();
    this.searching = undefined;
    this.below = noSearch;
  }

  /** Searches the folders below, and shows each entry when the server has found it. */
  private async search(filter: string): Promise<void> {
    const { run } = this;
    const own = (this.searching = new AbortController());
    const isOver = (): boolean => own.signal.aborted || run !== this.run;
    this.below = { ...noSearch, state: "running" };
    await new Promise((resolve) => setTimeout(resolve, searchMs));
    if (isOver()) return;
    this.arranger!.forgetFound();
    try {
      const response = await fetch(`${this.at.url}${this.at.url.includes("?") ? "&" : "?"}search=${encodeURIComponent(filter)}`, { headers: { Accept: "application/jsonl" }, cache: "no-store", signal: own.signal });
      if (!response.ok || !response.headers.get("Content-Type")?.startsWith("application/jsonl")) throw new Error(String(response.status));
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        if (isOver()) return;
        const lines = (rest + part.value).split("\n");
        rest = lines.pop()!;
        const found = lines.map((line) => JSON.parse(line) as PageEntry | SearchState);
        this.add(found.filter((one) => "name" in one).map((entry) => this.toEntry(entry)).filter((entry) => entry.name.includes("/")));
        for (const state of found) if ("searched" in state) this.below = { state: state.complete ? "done" : "running", found: 0, searched: state.searched, more: state.more === true, omitted: state.omitted ?? 0 };
        this.show();
      }
      if (this.below.state !== "done") throw new Error("It broke off.");
    } catch {
      if (isOver()) return;
      this.below = { ...this.below, state: "failed" };
      this.show();
    }
  }

  private toEntry(entry: PageEntry): Entry {
    return { name: entry.name.slice(this.at.skip), isFolder: entry.kind === "folder", size: entry.length ?? 0, modified: Date.parse(entry.modified) || 0, tag: entry.etag ?? undefined };
  }

  private change({ removed, added }: { removed: string[]; added: Entry[] }): void {
    this.arranger!.remove(removed);
    this.add(added);
  }

  private add(entries: Entry[]): void {
    if (entries.length === 0) return;
    const { start, columns } = this.arranger!.add(entries);
    this.post({ type: "rows", run: this.run, start, columns }, [columns.folders.buffer, columns.sizes.buffer, columns.times.buffer]);
  }

  private show(): void {
    const { found, ...view } = this.arranger!.view();
    this.post({ type: "view", run: this.run, complete: this.complete, omitted: this.omitted, below: { ...this.below, found }, ...view }, [view.order.buffer]);
  }
}

import type { Entry, ListMessage, ListRequest } from "../entries.ts";
import { Arranger } from "./arranger.ts";

interface Page {
  entries: { name: string; kind: string; length?: number; modified: string; etag?: string | null }[];
  next?: string;
  /** Entries that the server leaves out between these. */
  omitted?: number;
}

/** The first page fills the screen; the others are as large as the server makes them. */
const firstPage = 1000;
const laterPages = 10_000;

/** Reads a folder page by page and arranges it, in the worker: the page itself stays free for the person who uses it. */
export class Lister {
  private run = 0;
  private arranger: Arranger | undefined;
  private complete = false;
  private omitted = 0;
  /** The first page as it was read. */
  private first = "";

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
    if (request.type === "arrange") this.arranger.arrange(request.arrangement);
    else {
      this.arranger.remove(request.removed);
      this.add(request.added);
    }
    this.show();
  }

  private async open({ run, url, skip, arrangement }: Extract<ListRequest, { type: "open" }>): Promise<void> {
    this.run = run;
    this.complete = false;
    this.omitted = 0;
    this.arranger = new Arranger(arrangement);
    let after: string | undefined;
    do {
      const query = after === undefined ? `limit=${firstPage}` : `limit=${laterPages}&after=${encodeURIComponent(after)}`;
      let page: Page;
      try {
        const response = await fetch(`${url}?${query}`, { headers: { Accept: "application/json" }, cache: "no-cache" });
        if (run !== this.run) return;
        if (!response.ok) {
          const { error } = (await response.json().catch(() => ({}))) as { error?: string };
          this.post({ type: "failed", run, status: response.status, error: error ?? "" }, []);
          return;
        }
        const text = await response.text();
        if (after === undefined) this.first = text;
        page = JSON.parse(text) as Page;
      } catch {
        if (run === this.run) this.post({ type: "failed", run, status: 0, error: "" }, []);
        return;
      }
      if (run !== this.run) return;
      after = page.next ?? undefined;
      this.complete = after === undefined;
      this.omitted += page.omitted ?? 0;
      this.add(page.entries.map((entry): Entry => ({
        name: entry.name.slice(skip), isFolder: entry.kind === "folder", size: entry.length ?? 0, modified: Date.parse(entry.modified) || 0, tag: entry.etag ?? undefined,
      })));
      this.show();
    } while (after !== undefined);
  }

  /** Reads the first page again (the browser makes the request conditional if the server gave it a tag), and reports a change. */
  private async poll({ run, url }: Extract<ListRequest, { type: "poll" }>): Promise<void> {
    if (!this.complete) return;
    try {
      const response = await fetch(`${url}?limit=${firstPage}`, { headers: { Accept: "application/json" }, cache: "no-cache" });
      if (response.ok && (await response.text()) !== this.first && run === this.run && this.complete) this.post({ type: "changed", run }, []);
    } catch {
      // The next one may get through.
    }
  }

  private add(entries: Entry[]): void {
    const { start, columns } = this.arranger!.add(entries);
    this.post({ type: "rows", run: this.run, start, columns }, [columns.folders.buffer, columns.sizes.buffer, columns.times.buffer]);
  }

  private show(): void {
    const view = this.arranger!.view();
    this.post({ type: "view", run: this.run, complete: this.complete, omitted: this.omitted, ...view }, [view.order.buffer]);
  }
}

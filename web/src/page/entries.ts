/** A file or folder of the folder that is shown. */
export interface Entry {
  /** Without the folder; with the folders below it that it is in, if a search has found it there. */
  name: string;
  isFolder: boolean;
  /** Bytes; 0 for a folder. */
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
  /** The version of a file, as its ETag; unknown of one that was just uploaded, and of the plain listing. */
  tag?: string | undefined;
}

export type SortKey = "name" | "size" | "modified";

/** Entries as columns, which cross to another thread faster than objects. */
export interface Columns {
  names: string[];
  folders: Uint8Array<ArrayBuffer>;
  sizes: Float64Array<ArrayBuffer>;
  times: Float64Array<ArrayBuffer>;
  tags: (string | undefined)[];
}

export interface Arrangement {
  sort: SortKey;
  descending: boolean;
  filter: string;
}

/** The search for the filter's words in the folders below. */
export interface Below {
  state: "none" | "running" | "done" | "failed";
  /** Entries that are shown. */
  found: number;
  /** Names that the server has looked at. */
  searched: number;
  /** Whether there are more than the server sends. */
  more: boolean;
  /** Entries that the server leaves out. */
  omitted: number;
}

export const noSearch: Below = { state: "none", found: 0, searched: 0, more: false, omitted: 0 };

export type ListRequest =
  | { type: "open"; run: number; url: string; skip: number; arrangement: Arrangement }
  | { type: "arrange"; run: number; arrangement: Arrangement }
  | { type: "change"; run: number; removed: string[]; added: Entry[] }
  | { type: "poll"; run: number; url: string };

export type ListMessage =
  | { type: "rows"; run: number; start: number; columns: Columns }
  | { type: "view"; run: number; order: Uint32Array<ArrayBuffer>; all: number; folders: number; bytes: number; complete: boolean; omitted: number; below: Below }
  | { type: "changed"; run: number }
  | { type: "failed"; run: number; status: number; error: string };

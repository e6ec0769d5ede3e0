/** A file or folder of the folder that is shown. */
export interface Entry {
  /** Without the folder. */
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

export type ListRequest =
  | { type: "open"; run: number; url: string; skip: number; arrangement: Arrangement }
  | { type: "arrange"; run: number; arrangement: Arrangement }
  | { type: "change"; run: number; removed: string[]; added: Entry[] }
  | { type: "poll"; run: number; url: string };

export type ListMessage =
  | { type: "rows"; run: number; start: number; columns: Columns }
  | { type: "view"; run: number; order: Uint32Array<ArrayBuffer>; all: number; folders: number; bytes: number; complete: boolean; omitted: number }
  | { type: "changed"; run: number }
  | { type: "failed"; run: number; status: number; error: string };

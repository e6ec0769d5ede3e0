/** A request to the thread for thumbnails. Its `id` is that of the tile. */
export type ThumbnailRequest =
  | { type: "get"; id: number; url: string; version: string; bytes: number; isJpeg: boolean; width: number; whole: boolean }
  | { type: "cancel"; id: number }
  | { type: "clear" };

/** Without a bitmap, the browser cannot show the file. */
export interface ThumbnailMessage {
  id: number;
  bitmap?: ImageBitmap;
  /** From the file's own small picture; the file itself would give a sharper one. */
  isSmall: boolean;
}

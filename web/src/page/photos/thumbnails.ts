import { h } from "../../dom.ts";
import { urlOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { extension, join } from "../names.ts";
import { kindOf } from "../preview/kinds.ts";
import { startThumbnailer } from "../workers.ts";
import type { ThumbnailMessage, ThumbnailRequest } from "./messages.ts";

const jpeg = ["jpg", "jpeg", "jfif"];
/** Pixels across: the one for a tile of the usual width, and twice that for fine screens. */
const widths = [240, 480];
/** So long after the last movement, tiles whose picture is too small for the screen get a sharper one. */
const restMs = 800;
/** How much larger than its picture a tile may be before that is visible. */
const tolerance = 1.5;

/** The pictures of the tiles on the screen, which another thread makes. */
export class Thumbnails {
  private worker: Worker | undefined;
  private readonly tiles = new Map<number, { place: HTMLElement; entry: Entry; folder: string; isSmall: boolean }>();
  private readonly ids = new WeakMap<HTMLElement, number>();
  private readonly unsupported = new Set<string>();
  private isExpecting = false;
  private last = 0;
  private timer = 0;

  /** Whether a file may have a picture. Vector graphics have no intrinsic size that a worker could draw them in. */
  static has(entry: Entry): boolean {
    return !entry.isFolder && entry.size > 0 && kindOf(entry.name) === "image" && extension(entry.name) !== "svg";
  }

  /** Puts the picture of a file into its tile as soon as there is one. */
  show(place: HTMLElement, entry: Entry, folder: string): void {
    if (this.ids.has(place) || !Thumbnails.has(entry) || this.unsupported.has(extension(entry.name))) return;
    const id = ++this.last;
    this.ids.set(place, id);
    this.tiles.set(id, { place, entry, folder, isSmall: false });
    this.ask(id, false);
  }

  /** There will be pictures: their thread starts beside the one that reads the folder, after the first frame. */
  expect(entry: Entry): void {
    if (this.worker || this.isExpecting || !Thumbnails.has(entry)) return;
    this.isExpecting = true;
    requestAnimationFrame(() => setTimeout(() => this.start()));
  }

  /** The tile is gone. */
  hide(place: HTMLElement): void {
    const id = this.ids.get(place);
    if (id === undefined) return;
    this.ids.delete(place);
    if (this.tiles.delete(id)) this.post({ type: "cancel", id });
  }

  /** Forgets the pictures, whose files the next user may not be allowed to see. */
  clear(): void {
    this.post({ type: "clear" });
  }

  private ask(id: number, whole: boolean): void {
    const { place, entry, folder } = this.tiles.get(id)!;
    const wanted = place.clientWidth * devicePixelRatio;
    this.post({
      type: "get", id, whole, url: new URL(urlOf(join(folder, entry.name)), location.href).href, version: entry.tag ?? `${entry.size} ${entry.modified}`,
      bytes: entry.size, isJpeg: jpeg.includes(extension(entry.name)), width: widths.find((width) => width * tolerance >= wanted) ?? widths.at(-1)!,
    });
  }

  private receive({ id, bitmap, isSmall }: ThumbnailMessage): void {
    const tile = this.tiles.get(id);
    if (!tile) {
      bitmap?.close();
      return;
    }
    if (!bitmap) {
      // Photos of telephones, of which most browsers show none, are not read again and again for nothing.
      if (/^hei[cf]$/.test(extension(tile.entry.name))) this.unsupported.add(extension(tile.entry.name));
      return;
    }
    const canvas = h("canvas", { width: bitmap.width, height: bitmap.height, "aria-hidden": "true" });
    canvas.getContext("bitmaprenderer")!.transferFromImageBitmap(bitmap);
    tile.place.replaceChildren(canvas);
    tile.isSmall = isSmall && tile.place.clientWidth * devicePixelRatio > canvas.width * tolerance;
    this.moved();
  }

  /** The tiles on the screen may be others now. */
  moved(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.sharpen(), restMs);
  }

  /** Not over a connection that is paid by its bytes: whole photos are read for it. */
  private sharpen(): void {
    const { saveData, type } = (navigator as { connection?: { saveData?: boolean; type?: string } }).connection ?? {};
    if (saveData || type === "cellular") return;
    for (const [id, tile] of this.tiles) {
      if (!tile.isSmall) continue;
      const { top, bottom } = tile.place.getBoundingClientRect();
      if (bottom <= 0 || top >= innerHeight) continue;
      tile.isSmall = false;
      this.ask(id, true);
    }
  }

  private post(request: ThumbnailRequest): void {
    if (this.worker || request.type !== "cancel") this.start().postMessage(request);
  }

  private start(): Worker {
    if (!this.worker) {
      this.worker = startThumbnailer();
      this.worker.onmessage = ({ data }: MessageEvent<ThumbnailMessage[]>) => data.forEach((message) => this.receive(message));
    }
    return this.worker;
  }
}

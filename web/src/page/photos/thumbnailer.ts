import { type Embedded, findThumbnail } from "./jpeg.ts";
import type { ThumbnailMessage, ThumbnailRequest } from "./messages.ts";
import { ThumbnailCache } from "./thumbnailCache.ts";

// Makes thumbnails in a separate thread: decoding a photo of 12 megapixels takes a tenth of a second.
type Wanted = Extract<ThumbnailRequest, { type: "get" }>;

/** The segment with the thumbnail has at most 64 KiB, and is the first or the second. */
const headBytes = 72 * 1024;
const atOnce = 3;
/** Decoded, a photo takes 50 MB: of whole ones there are two at once. Meanwhile the browser reads the next one. */
const lanes = [Promise.resolve<unknown>(undefined), Promise.resolve<unknown>(undefined)];
/** A larger file is not read only for its thumbnail. */
const maxBytes = 48 * 1024 * 1024;
/** Width to height of a tile's picture. */
const ratio = 4 / 3;

/** Made pictures whose encoding waits until nothing else is to be made; one of a tile takes 170 KB. */
const maxUnkept = 60;
/** Pictures are sent together at this interval, for which the page draws one frame and not one for each. */
const sendMs = 80;

const cache = new ThumbnailCache();
const waiting = new Map<number, Wanted>();
const running = new Map<number, AbortController>();
let unkept: (() => Promise<void>)[] = [];
let clears = 0;
let isKeeping = false;
/** The one that is being kept. */
let lastKept = Promise.resolve();
let unsent: ThumbnailMessage[] = [];
let sentAt = -Infinity;
let turn = 0;

self.onmessage = ({ data }: MessageEvent<ThumbnailRequest>) => {
  if (data.type === "clear") {
    // What is made just now would be kept for the next user.
    clears++;
    unkept = [];
    void lastKept.then(() => cache.clear());
  } else if (data.type === "cancel") {
    waiting.delete(data.id);
    running.get(data.id)?.abort();
    unsent = unsent.filter(({ id, bitmap }) => id !== data.id || bitmap?.close());
  } else {
    waiting.set(data.id, data);
    next();
  }
};

/** Those that replace one that is shown already come last. */
function next(): void {
  while (running.size < atOnce) {
    const wanted = [...waiting.values()];
    const one = wanted.find((other) => !other.whole) ?? (running.size === 0 ? wanted[0] : undefined);
    if (!one) break;
    waiting.delete(one.id);
    const closing = new AbortController();
    running.set(one.id, closing);
    void make(one, closing.signal).catch(() => ({ id: one.id, isSmall: false })).then((message: ThumbnailMessage) => {
      if (running.get(one.id) === closing) running.delete(one.id);
      if (!closing.signal.aborted) send(message);
      next();
    });
  }
  if (!isKeeping && (unkept.length > maxUnkept || running.size === 0)) void keepAll();
}

/** The first picture at once, and others that follow soon after it together. */
function send(message: ThumbnailMessage): void {
  unsent.push(message);
  if (unsent.length === 1) setTimeout(sendAll, sentAt + sendMs - performance.now());
}

function sendAll(): void {
  sentAt = performance.now();
  self.postMessage(unsent, { transfer: unsent.flatMap(({ bitmap }) => bitmap ?? []) });
  unsent = [];
}

async function make(wanted: Wanted, signal: AbortSignal): Promise<ThumbnailMessage> {
  const { id } = wanted;
  const began = clears;
  const key = `${wanted.url}\n${wanted.version}`;
  const kept = await cache.get(key);
  if (kept && !(wanted.whole && kept.isSmall)) return { id, bitmap: await createImageBitmap(new Blob([kept.bytes], { type: kept.type })), isSmall: kept.isSmall };
  signal.throwIfAborted();
  const small = wanted.isJpeg && !wanted.whole ? await embedded(wanted, signal) : undefined;
  const canvas = small ?? await fromWhole(wanted, signal);
  signal.throwIfAborted();
  const bitmap = await createImageBitmap(canvas);
  if (began === clears) unkept.push(() => keep(key, canvas, small !== undefined));
  return { id, bitmap, isSmall: small !== undefined };
}

/** The thumbnail in the file, for which only its beginning is read. */
async function embedded({ url, bytes, width }: Wanted, signal: AbortSignal): Promise<OffscreenCanvas | undefined> {
  const response = await fetch(url, { headers: { Range: `bytes=0-${Math.min(bytes, headBytes) - 1}` }, signal });
  if (!response.ok) throw new Error(response.statusText);
  const head = new Uint8Array(await response.arrayBuffer());
  const found = findThumbnail(head);
  if (!found) return undefined;
  try {
    const picture = await createImageBitmap(new Blob([head.subarray(found.start, found.end)], { type: "image/jpeg" }), { imageOrientation: "none" });
    return draw(picture, withoutBars(picture, found), found.orientation, Math.min(width, Math.max(picture.width, picture.height)));
  } catch {
    // Some programs write something other than a picture there.
    return undefined;
  }
}

async function fromWhole({ url, bytes, isJpeg, width }: Wanted, signal: AbortSignal): Promise<OffscreenCanvas> {
  if (bytes > maxBytes) throw new Error("The file is too large.");
  // Gigabytes of photos would push everything else out of the browser's cache; the thumbnail itself is kept.
  const response = await fetch(url, { signal, cache: "no-store" });
  if (!response.ok) throw new Error(response.statusText);
  // Outside of the tab: read into its own memory, with less work, files that were scrolled past stayed there for a while (330 MB).
  const blob = await response.blob();
  const lane = turn++ % lanes.length;
  const made = lanes[lane]!.then(() => {
    signal.throwIfAborted();
    return fromPicture(blob, isJpeg, width);
  });
  lanes[lane] = made.catch(() => undefined);
  return made;
}

/** Chromium decodes a JPEG file at an eighth of its size or more in a third of the time, but only in a secure context. */
async function fromPicture(blob: Blob, isJpeg: boolean, width: number): Promise<OffscreenCanvas> {
  if (isJpeg && "ImageDecoder" in self) {
    // Transferred, the bytes are freed with the decoder. Those of a response itself were not: 400 MB of them after some scrolling.
    const data = await blob.arrayBuffer();
    const decoder = new ImageDecoder({ data, type: "image/jpeg", desiredWidth: width, desiredHeight: width, transfer: [data] });
    try {
      const { image } = await decoder.decode();
      return draw(image, { x: 0, y: 0, width: image.displayWidth, height: image.displayHeight }, 1, Math.min(width, Math.max(image.displayWidth, image.displayHeight)));
    } finally {
      decoder.close();
    }
  }
  const picture = await createImageBitmap(blob);
  return draw(picture, { x: 0, y: 0, width: picture.width, height: picture.height }, 1, Math.min(width, Math.max(picture.width, picture.height)));
}

interface Area { x: number; y: number; width: number; height: number }

/** Cameras put black bars above and below, or beside, where a thumbnail has another shape than the picture. */
function withoutBars(picture: ImageBitmap, { width, height }: Embedded): Area {
  const all = { x: 0, y: 0, width: picture.width, height: picture.height };
  if (!width || !height) return all;
  const inner = Math.min(picture.width / width, picture.height / height);
  const area = { width: Math.round(width * inner), height: Math.round(height * inner) };
  // A picture of a quite different shape is not a letterbox.
  return { x: (picture.width - area.width) / 2, y: (picture.height - area.height) / 2, ...area };
}

/** The middle of a picture in the shape of a tile, turned as it is meant. */
function draw(picture: ImageBitmap | VideoFrame, from: Area, orientation: number, width: number): OffscreenCanvas {
  const isTurned = orientation >= 5 && orientation <= 8;
  const height = Math.round(width / ratio);
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d")!;
  context.imageSmoothingQuality = "medium";
  context.translate(width / 2, height / 2);
  // EXIF 2.32, table 6: the eight ways of turning and mirroring.
  const [a, b, c, d] = ([[1, 0, 0, 1], [-1, 0, 0, 1], [-1, 0, 0, -1], [1, 0, 0, -1], [0, 1, 1, 0], [0, 1, -1, 0], [0, -1, -1, 0], [0, -1, 1, 0]] as const)[orientation - 1] ?? [1, 0, 0, 1];
  context.transform(a, b, c, d, 0, 0);
  const [boxWidth, boxHeight] = isTurned ? [height, width] : [width, height];
  const scale = Math.max(boxWidth / from.width, boxHeight / from.height);
  const [drawnWidth, drawnHeight] = [from.width * scale, from.height * scale];
  context.drawImage(picture, from.x, from.y, from.width, from.height, -drawnWidth / 2, -drawnHeight / 2, drawnWidth, drawnHeight);
  picture.close();
  return canvas;
}

/** Encoding takes time that the pictures on the screen are waiting for, so it comes after them. */
async function keepAll(): Promise<void> {
  isKeeping = true;
  while (unkept.length > 0 && (running.size === 0 || unkept.length > maxUnkept)) await (lastKept = unkept.shift()!().catch(() => undefined));
  isKeeping = false;
}

async function keep(key: string, canvas: OffscreenCanvas, isSmall: boolean): Promise<void> {
  // Safari writes no WebP, and makes a large PNG of it.
  let blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.82 });
  if (blob.type !== "image/webp") blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.82 });
  await cache.put(key, { bytes: await blob.arrayBuffer(), type: blob.type, isSmall });
}

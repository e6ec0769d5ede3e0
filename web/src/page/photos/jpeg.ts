/** Where in the first bytes of a JPEG file its thumbnail is, and how cameras mean the picture to be turned: EXIF's values, 1 to 8. */
export interface Embedded {
  start: number;
  end: number;
  orientation: number;
  /** The picture's own width and height before it is turned, where the bytes reach that far. */
  width: number;
  height: number;
}

const app1 = 0xe1;
const startOfScan = 0xda;
const tags = { orientation: 0x0112, thumbnailOffset: 0x0201, thumbnailLength: 0x0202 };

/**
 * Finds the thumbnail that EXIF 2.32, section 4.5.4, puts into the segment APP1. Own code, because it needs the frame's size of
 * the same bytes, and the libraries for EXIF read every other tag.
 */
export function findThumbnail(bytes: Uint8Array): Embedded | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  let found: Embedded | undefined;
  let width = 0, height = 0;
  try {
    for (let at = 2; at + 4 <= view.byteLength;) {
      const marker = view.getUint8(at + 1);
      if (view.getUint8(at) !== 0xff || marker === startOfScan) break;
      if (marker === app1 && view.getUint32(at + 4) === 0x45786966) found ??= inExif(view, at + 10);
      // A start of frame: all of C0 to CF but those for tables of Huffman and arithmetic coding.
      if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
        [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
        break;
      }
      at += 2 + view.getUint16(at + 2);
    }
  } catch (error) {
    // The part ends in a segment, or an offset leads out of it.
    if (!(error instanceof RangeError)) throw error;
  }
  return found && found.end <= bytes.length && found.start < found.end ? { ...found, width, height } : undefined;
}

/** @param tiff Where the TIFF header is, from which EXIF counts its offsets. */
function inExif(view: DataView, tiff: number): Embedded {
  const isLittle = view.getUint16(tiff) === 0x4949;
  const short = (at: number): number => view.getUint16(tiff + at, isLittle);
  const long = (at: number): number => view.getUint32(tiff + at, isLittle);
  const read = (directory: number): { values: Map<number, number>; next: number } => {
    const count = short(directory);
    const values = new Map<number, number>();
    for (let i = 0; i < count; i++) {
      const entry = directory + 2 + 12 * i;
      // Type 3 is a number of 16 bits.
      values.set(short(entry), short(entry + 2) === 3 ? short(entry + 8) : long(entry + 8));
    }
    return { values, next: long(directory + 2 + 12 * count) };
  };
  const { values: main, next } = read(long(4));
  const thumbnail = next ? read(next).values : new Map<number, number>();
  const start = tiff + (thumbnail.get(tags.thumbnailOffset) ?? 0);
  return { start, end: start + (thumbnail.get(tags.thumbnailLength) ?? 0), orientation: main.get(tags.orientation) ?? 1, width: 0, height: 0 };
}

import type { FileReader as TusFileReader } from "tus-js-client";
import { startWorker } from "../workers.ts";
import type { DigestMessage, DigestRequest } from "./digest.ts";

/** What one request carries. Two parts are in memory for each upload that runs: the one that is sent, and the next one. */
export const partBytes = 8 * 1024 * 1024;

/** Bytes of a file with their SHA-256 in base64. tus takes its number of bytes from `size`. */
export interface Part {
  bytes: ArrayBuffer;
  size: number;
  sha256: string;
}

/** The browser could not read the file. */
export class ReadError extends Error {}

let worker: Worker | undefined;
let ids = 0;
const pending = new Map<number, { resolve: (part: Part) => void; reject: (error: Error) => void }>();

/** Reads bytes and computes their checksum, in the worker. */
export function readPart(blob: Blob): Promise<Part> {
  if (!worker) {
    worker = startWorker();
    worker.onmessage = ({ data }: MessageEvent<DigestMessage>) => {
      const call = pending.get(data.id);
      pending.delete(data.id);
      if (data.bytes && data.sha256 !== undefined) call?.resolve({ bytes: data.bytes, size: data.bytes.byteLength, sha256: data.sha256 });
      else call?.reject(new ReadError());
    };
    // The script could not be loaded; the next attempt starts it again.
    worker.onerror = () => {
      worker = undefined;
      for (const call of pending.values()) call.reject(new Error("The worker did not start."));
      pending.clear();
    };
  }
  return new Promise((resolve, reject) => {
    pending.set(++ids, { resolve, reject });
    worker!.postMessage({ type: "digest", id: ids, blob } satisfies DigestRequest);
  });
}

/** Gives tus a file part by part. While one is sent, the worker reads the next one and computes its checksum. */
export const partReader: TusFileReader = {
  openFile: async (file: File) => {
    let ahead: { start: number; part: Promise<Part> } | undefined;
    return {
      size: file.size,
      slice: async (start, end) => {
        const part = ahead?.start === start ? ahead.part : readPart(file.slice(start, end));
        ahead = undefined;
        const value = await part;
        if (end < file.size) {
          ahead = { start: end, part: readPart(file.slice(end, Math.min(end + partBytes, file.size))) };
          ahead.part.catch(() => undefined);
        }
        return { value, done: end >= file.size };
      },
      close: () => {
        ahead = undefined;
      },
    };
  },
};

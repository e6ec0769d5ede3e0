import type { FileReader as TusFileReader } from "tus-js-client";
import { startWorker } from "../workers.ts";
import type { DigestMessage, DigestRequest } from "./digest.ts";

/** The body of one request. The browser reads it from the file, and sends it without the page's memory. */
export const partBytes = 8 * 1024 * 1024;

/** A part of a file with its SHA-256 in base64, which the server compares. tus takes its number of bytes from `size`. */
export interface Part {
  blob: Blob;
  size: number;
  sha256: string;
}

/** The browser could not read the file. */
export class ReadError extends Error {}

let worker: Worker | undefined;
let ids = 0;
const pending = new Map<number, { resolve: (sha256: string) => void; reject: (error: Error) => void }>();
/** When the worker last answered, or was first asked after it had nothing to do. */
let answered = 0;

/** Ends the worker; what waits for it fails, and the next attempt starts another one. */
function endWorker(): void {
  worker?.terminate();
  worker = undefined;
  for (const call of pending.values()) call.reject(new Error("The worker does not answer."));
  pending.clear();
}

/** Ends a worker that has been asked and has not answered for so long. */
export function endSilentWorker(ms: number): void {
  if (pending.size > 0 && Date.now() - answered > ms) endWorker();
}

/** Computes the checksum of a part, in the worker. */
export async function readPart(blob: Blob): Promise<Part> {
  if (!worker) {
    worker = startWorker();
    worker.onmessage = ({ data }: MessageEvent<DigestMessage>) => {
      const call = pending.get(data.id);
      pending.delete(data.id);
      answered = Date.now();
      if (data.sha256 !== undefined) call?.resolve(data.sha256);
      else call?.reject(new ReadError());
    };
    // The script could not be loaded.
    worker.onerror = endWorker;
  }
  if (pending.size === 0) answered = Date.now();
  const sha256 = await new Promise<string>((resolve, reject) => {
    pending.set(++ids, { resolve, reject });
    worker!.postMessage({ type: "digest", id: ids, blob } satisfies DigestRequest);
  });
  return { blob, size: blob.size, sha256 };
}

/** Gives tus a file part by part. While one is sent, the worker computes the checksum of the next one, if it is as large as expected. */
export const partReader = (nextBytes: () => number): TusFileReader => ({
  openFile: async (file: File) => {
    let ahead: { start: number; end: number; part: Promise<Part> } | undefined;
    return {
      size: file.size,
      slice: async (start, end) => {
        end = Math.min(end, file.size);
        const part = ahead?.start === start && ahead.end === end ? ahead.part : readPart(file.slice(start, end));
        ahead = undefined;
        const value = await part;
        if (end < file.size) {
          const next = Math.min(end + nextBytes(), file.size);
          ahead = { start: end, end: next, part: readPart(file.slice(end, next)) };
          ahead.part.catch(() => undefined);
        }
        return { value, done: end >= file.size };
      },
      close: () => {
        ahead = undefined;
      },
    };
  },
});

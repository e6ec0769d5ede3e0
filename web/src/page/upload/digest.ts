export interface DigestRequest { type: "digest"; id: number; blob: Blob }
/** Without a digest, the browser could not read the bytes. */
export interface DigestMessage { type: "digest"; id: number; sha256?: string }

let block = new ArrayBuffer(0);
let last: Promise<unknown> = Promise.resolve();
/** Held here: Chromium's collector takes a reader that only its own pending read refers to, and the read then never ends. */
let reader: ReadableStreamBYOBReader | undefined;

/** Computes the SHA-256 of a part of a file, in base64; one part at a time, because all are read into the same block. */
export function digest({ id, blob }: DigestRequest): Promise<DigestMessage> {
  const answer = last.then(async () => {
    try {
      return { type: "digest" as const, id, sha256: btoa(String.fromCharCode(...await hash(await read(blob)))) };
    } catch {
      return { type: "digest" as const, id };
    }
  });
  last = answer;
  return answer;
}

/** crypto.subtle exists in secure contexts only: not at http://192.168.1.5. What takes its place is loaded only there. */
async function hash(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (globalThis.crypto.subtle) return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return (await import("./sha256.ts")).sha256(bytes);
}

/** Into the block of the part before, where the browser can do that: new ones are garbage for a while, 300 MiB of it for 1 GiB. */
async function read(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  try {
    reader = blob.stream().getReader({ mode: "byob" });
  } catch {
    return new Uint8Array(await blob.arrayBuffer());
  }
  let memory = block.byteLength >= blob.size ? block : new ArrayBuffer(blob.size);
  for (let start = 0; start < blob.size;) {
    const { value, done } = await reader.read(new Uint8Array(memory, start, blob.size - start));
    if (done) throw new Error("The file has become shorter.");
    memory = value.buffer as ArrayBuffer;
    start += value.length;
  }
  block = memory;
  return new Uint8Array(memory, 0, blob.size);
}

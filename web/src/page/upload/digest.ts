import { sha256 } from "@noble/hashes/sha2.js";

export interface DigestRequest { type: "digest"; id: number; blob: Blob }
export interface DigestMessage { type: "digest"; id: number; bytes?: ArrayBuffer; sha256?: string }

const pieceBytes = 1024 * 1024;

/** Reads a part of a file and its SHA-256 in base64. crypto.subtle exists in secure contexts only: not at http://192.168.1.5. */
export async function digest({ id, blob }: DigestRequest): Promise<DigestMessage> {
  let bytes: ArrayBuffer;
  try {
    bytes = await blob.arrayBuffer();
  } catch {
    return { type: "digest", id };
  }
  let hash: Uint8Array;
  if (globalThis.crypto.subtle) hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  else {
    const state = sha256.create();
    for (let start = 0; start < bytes.byteLength; start += pieceBytes) {
      state.update(new Uint8Array(bytes, start, Math.min(pieceBytes, bytes.byteLength - start)));
    }
    hash = state.digest();
  }
  return { type: "digest", id, bytes, sha256: btoa(String.fromCharCode(...hash)) };
}

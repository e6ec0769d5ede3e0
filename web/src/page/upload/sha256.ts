import { sha256 as inScript } from "@noble/hashes/sha2.js";
import { createSHA256 } from "hash-wasm";

const pieceBytes = 1024 * 1024;
/** WebAssembly is five times as fast as JavaScript, and missing where a person has switched it off, as in the lockdown mode of iOS. */
const hasher = createSHA256().catch(() => undefined);

/** Computes the SHA-256 of some bytes where the browser itself does not. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  const assembled = await hasher;
  if (assembled) return assembled.init().update(bytes).digest("binary");
  const state = inScript.create();
  for (let start = 0; start < bytes.length; start += pieceBytes) state.update(bytes.subarray(start, start + pieceBytes));
  return state.digest();
}

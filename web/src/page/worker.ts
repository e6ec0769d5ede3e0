import type { ListRequest } from "./entries.ts";
import { Lister } from "./list/lister.ts";
import { digest, type DigestRequest } from "./upload/digest.ts";

// One script for both: the page starts it once to read folders, and once more when something is uploaded.
const lister = new Lister((message, transfer) => self.postMessage(message, { transfer }));

self.onmessage = async ({ data }: MessageEvent<ListRequest | DigestRequest>) => {
  if (data.type === "digest") self.postMessage(await digest(data));
  else lister.receive(data);
};

// What the client and the server share: the service's definition, digests and lines of JSON.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const protos = fileURLToPath(new URL("../../../../proto/", import.meta.url));

const definition = loader.loadSync(["millrace/v1/file_transfer.proto", "grpc/health/v1/health.proto"], {
  includeDirs: [protos],
  keepCase: true,
  defaults: true,
  longs: Number,
  enums: String,
  oneofs: true,
});

const packages = grpc.loadPackageDefinition(definition);
export const { FileTransfer } = packages.millrace.v1;
export const { Health } = packages.grpc.health.v1;

export const defaultChunk = 64 * 1024;
export const mostChunk = 4 * 1024 * 1024 - 1024;

export const say = (fields) => process.stdout.write(`${JSON.stringify(fields)}\n`);

export async function hashOf(path) {
  const hash = createHash("sha256");
  for await (const block of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(block);
  return hash.digest();
}

export const sha256 = (bytes) => createHash("sha256").update(bytes).digest();

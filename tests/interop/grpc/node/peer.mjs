// The file transfers of proto/millrace/v1/file_transfer.proto with @grpc/grpc-js, as client and as server.
//
// The commands and options are those of tests/interop/grpc/python/peer.py. The server answers without compression, as grpc-js
// compresses no answers.
import { parseArgs } from "node:util";
import { commands } from "./client.mjs";
import { serve } from "./server.mjs";

const text = { type: "string" };
const flag = { type: "boolean" };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: text, name: { ...text, default: "" }, file: text, folder: text, port: text, chunk: text, offset: text, count: text,
    recursive: flag, "must-not-exist": flag, gzip: flag, token: text, deadline: text, "cancel-after": text,
    "end-after": text, break: { ...text, default: "cancel" }, stall: flag,
  },
});
for (const name of ["port", "chunk", "offset", "count", "deadline", "cancel-after", "end-after"]) {
  if (values[name] !== undefined) values[name] = Number(values[name]);
}

const command = { serve, ...commands }[positionals[0]];
if (!command) throw new Error(`Commands: serve, ${Object.keys(commands).join(", ")}.`);
await command(values);

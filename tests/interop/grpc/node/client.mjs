// The client: one call or one upload a command, and a line of JSON for each call.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { open, stat } from "node:fs/promises";
import grpc from "@grpc/grpc-js";
import { FileTransfer, Health, defaultChunk, hashOf, mostChunk, say, sha256 } from "./common.mjs";

const gzip = 2;

const connect = (Service, told) =>
  new Service(told.server, grpc.credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    ...(told.gzip && { "grpc.default_compression_algorithm": gzip }),
  });

function metadata(told) {
  const fields = new grpc.Metadata();
  if (told.token) fields.set("authorization", `Bearer ${told.token}`);
  return fields;
}

const callOptions = (told) => (told.deadline === undefined ? {} : { deadline: Date.now() + told.deadline });

const said = (status) => ({
  status: grpc.status[status.code],
  code: status.code,
  message: status.details,
  trailers: Object.fromEntries(Object.entries(status.metadata?.getMap() ?? {}).map(([name, value]) => [name, String(value)])),
});

const toldOf = (info) => ({
  name: info?.name ?? "", length: info?.length ?? 0, tag: info?.tag ?? "", offset: info?.offset ?? 0,
  count: info?.count ?? 0, modified: info?.modified?.seconds ?? 0, ...(info?.sha256 && { sha256: info.sha256.toString("hex") }),
});

/** One message each way: the answer, undefined after an error, and how the call ended. */
function ask(client, method, request, told) {
  return new Promise((resolve) => {
    let answer;
    client[method](request, metadata(told), callOptions(told), (_, value) => (answer = value)).on("status", (status) =>
      setImmediate(() => resolve({ answer, how: said(status) })));
  });
}

async function health(told) {
  const client = connect(Health, told);
  const { answer, how } = await ask(client, "Check", { service: told.name }, told);
  say({ ...how, health: answer?.status ?? "UNKNOWN" });
  client.close();
}

async function statFile(told) {
  const client = connect(FileTransfer, told);
  const { answer, how } = await ask(client, "Stat", { name: told.name, want_sha256: true }, told);
  say({ ...how, file: toldOf(answer) });
  client.close();
}

async function deleteFile(told) {
  const client = connect(FileTransfer, told);
  const { answer, how } = await ask(client, "Delete", { name: told.name }, told);
  say({ ...how, deleted: answer?.deleted ?? false });
  client.close();
}

/** Reads a stream of messages; how the call ended. */
async function readAll(call, take) {
  const ended = new Promise((resolve) => call.on("status", resolve));
  call.on("error", () => {});
  try {
    for await (const message of call) await take(message);
  } catch {
    // The status says it.
  }
  return said(await ended);
}

async function list(told) {
  const client = connect(FileTransfer, told);
  const entries = [];
  const call = client.List({ folder: told.name, recursive: told.recursive ?? false }, metadata(told), callOptions(told));
  const how = await readAll(call, ({ name, is_folder: folder, file }) =>
    entries.push({ name, folder, length: file?.length ?? 0 }));
  say({ ...how, entries });
  client.close();
}

async function download(told) {
  const client = connect(FileTransfer, told);
  const file = await open(told.file, "w");
  const request = {
    name: told.name, offset: told.offset ?? 0, want_sha256: true, chunk_bytes: told.chunk ?? 0,
    ...(told.count !== undefined && { count: told.count }),
  };
  let info, end;
  let bytes = 0;
  let messages = 0;
  const call = client.Download(request, metadata(told), callOptions(told));
  const how = await readAll(call, async (chunk) => {
    messages++;
    if (chunk.content === "file") info = chunk.file;
    else if (chunk.content === "end") end = chunk.end;
    else {
      await file.write(chunk.data);
      bytes += chunk.data.length;
      if (bytes >= told["cancel-after"]) call.cancel();
    }
  });
  await file.close();
  say({
    ...how, file: toldOf(info), bytes, messages, ended: end !== undefined, endLength: end?.length ?? 0,
    sha256: (await hashOf(told.file)).toString("hex"), toldSha256: (end?.sha256 ?? info?.sha256)?.toString("hex") ?? "",
  });
  client.close();
}

/** Sends a file, or the rest of one: how many bytes went out, the answer, and how the call ended. */
async function send(client, told, head, { cancelAfter, endAfter, withDigest = true }) {
  let answer;
  let over = false;
  let bytes = 0;
  const call = client.Upload(metadata(told), callOptions(told), (_, value) => (answer = value));
  const ended = new Promise((resolve) => call.on("status", (status) => {
    over = true;
    resolve(status);
  }));
  const write = async (message) => {
    if (!call.write(message) && !over) await Promise.race([once(call, "drain"), ended]);
  };
  await write({ upload: head });
  if (!told.stall) {
    const file = await open(told.file);
    const hash = createHash("sha256");
    const size = Math.min(told.chunk ?? defaultChunk, mostChunk);
    let cut = false;
    while (!over && !cut) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, (head.offset ?? 0) + bytes);
      if (bytesRead === 0) break;
      const data = buffer.subarray(0, bytesRead);
      hash.update(data);
      await write({ data });
      bytes += bytesRead;
      cut = bytes >= cancelAfter || bytes >= endAfter;
    }
    await file.close();
    if (bytes >= cancelAfter) call.cancel();
    else if (!over) {
      if (!cut) await write({ end: { length: bytes, ...(withDigest && { sha256: hash.digest() }) } });
      call.end();
    }
  }
  const how = said(await ended);
  // The answer comes before or after the status, in the same turn.
  await new Promise(setImmediate);
  return { answer, bytes, how };
}

async function upload(told) {
  const client = connect(FileTransfer, told);
  const head = { name: told.name, precondition: { must_not_exist: told["must-not-exist"] ?? false } };
  const { answer, bytes, how } = await send(client, told, head, {
    cancelAfter: told["cancel-after"], endAfter: told["end-after"],
  });
  const digest = (await hashOf(told.file)).toString("hex");
  say({ ...how, bytes, sha256: digest, offset: answer?.offset ?? 0, file: toldOf(answer?.file) });
  client.close();
}

/** Begins an upload, breaks it in the middle, asks how far it came, and goes on; or sends it message by message. */
async function session(told, inParts) {
  const client = connect(FileTransfer, told);
  const { size } = await stat(told.file);
  const digest = await hashOf(told.file);
  const next = async (method, request) => {
    const { answer, how } = await ask(client, method, request, told);
    const more = method === "CommitUpload" ? { file: toldOf(answer?.file), sha256: digest.toString("hex") } : {};
    say({ ...how, call: method, offset: answer?.offset ?? 0, ...more });
    return answer;
  };
  let status = await next("StartUpload", { name: told.name, length: size });
  const name = status?.upload;
  if (inParts) {
    const file = await open(told.file);
    const length = Math.min(told.chunk ?? defaultChunk, mostChunk);
    for (let offset = 0; status && offset < size; offset = status?.offset) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
      const data = buffer.subarray(0, bytesRead);
      status = await next("UploadPart", { upload: name, offset, data, sha256: sha256(data) });
    }
    await file.close();
  } else {
    for (const breaks of [true, false]) {
      if (!status) break;
      const half = breaks ? Math.floor(size / 2) : undefined;
      const plan = { withDigest: false, [told.break === "end" ? "endAfter" : "cancelAfter"]: half };
      const { answer, bytes, how } = await send(client, told, { upload: name, offset: status.offset }, plan);
      say({ ...how, call: "Upload", bytes, offset: answer?.offset ?? 0 });
      status = await next("QueryUpload", { upload: name });
    }
  }
  if (status) await next("CommitUpload", { upload: name, sha256: digest });
  client.close();
}

export const commands = {
  health, list, download, upload, stat: statFile, delete: deleteFile,
  session: (told) => session(told, false), parts: (told) => session(told, true),
};

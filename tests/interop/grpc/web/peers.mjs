// Runs in a page: the clients of @connectrpc/connect-web and of grpc-web, behind the same few functions.
import { connectClient } from "./connect.mjs";
import { grpcWebClient } from "./grpc-web.mjs";

const clients = {
  connect: connectClient,
  grpcweb: (server) => grpcWebClient(server, "binary"),
  grpcwebtext: (server) => grpcWebClient(server, "text"),
};

const hex = (bytes) => Array.from(bytes ?? [], (byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const fileOf = (file) => file && { name: file.name, length: Number(file.length), sha256: hex(file.sha256) };

/** The same bytes as the test's. */
function contentOf(length) {
  const bytes = new Uint8Array(length);
  for (let i = 0, state = 1; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

/** Turns what a client throws into a value, which a test can read. */
const settled = (act) => act().then((value) => ({ status: "OK", ...value }), (error) => ({
  status: String(error.code), message: error.rawMessage ?? error.message, error: error.transferError,
}));

async function download(client, name) {
  const parts = [];
  let file, end;
  for await (const { content } of client.download({ name, wantSha256: true })) {
    if (content.case === "file") file = content.value;
    else if (content.case === "end") end = content.value;
    else parts.push(content.value);
  }
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return {
    file: fileOf(file), bytes: bytes.length, pieces: parts.length, sha256: hex(await sha256(bytes)),
    endLength: Number(end?.length ?? -1), toldSha256: hex(end?.sha256 ?? file?.sha256),
  };
}

async function upload(client, name, length, partBytes) {
  const content = contentOf(length);
  let { upload: id, offset } = await client.unary("StartUpload", { name, length: BigInt(length) });
  let parts = 0;
  while (Number(offset) < length) {
    const data = content.subarray(Number(offset), Number(offset) + partBytes);
    ({ offset } = await client.unary("UploadPart", { upload: id, offset, data, sha256: await sha256(data) }));
    parts++;
  }
  const digest = await sha256(content);
  const { file } = await client.unary("CommitUpload", { upload: id, sha256: digest });
  return { file: fileOf(file), parts, sha256: hex(digest) };
}

async function list(client, folder) {
  const entries = [];
  for await (const entry of client.list({ folder })) {
    entries.push(`${entry.name}${entry.isFolder ? "/" : ` ${entry.file.length}`}`);
  }
  return { entries };
}

globalThis.peers = {
  stat: (kind, server, name, timeoutMs) => settled(async () =>
    ({ file: fileOf(await clients[kind](server).unary("Stat", { name, wantSha256: true }, { timeoutMs })) })),
  list: (kind, server, folder) => settled(() => list(clients[kind](server), folder)),
  download: (kind, server, name) => settled(() => download(clients[kind](server), name)),
  upload: (kind, server, name, length, partBytes) => settled(() => upload(clients[kind](server), name, length, partBytes)),
};

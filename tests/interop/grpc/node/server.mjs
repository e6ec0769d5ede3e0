// The server: a folder, with sessions in memory. Names that begin with status-, slow-, flaky-, cut- and wrong- fail.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import grpc from "@grpc/grpc-js";
import { FileTransfer, Health, defaultChunk, hashOf, mostChunk, say, sha256 } from "./common.mjs";

const oddMessage = "Zugriff verweigert: 100 % Größe, 世界";
const { status } = grpc;
const last = (name) => path.basename(name);

/** Waits until more can be written, or nobody wants it. */
const drained = (call) =>
  new Promise((resolve) => {
    const done = () => {
      call.off("drain", done).off("cancelled", done);
      resolve();
    };
    call.on("drain", done).on("cancelled", done);
  });

class Failure extends Error {
  constructor(code, details, trailers = {}) {
    super(details);
    this.code = code;
    this.details = details;
    this.metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(trailers)) this.metadata.set(name, String(value));
  }
}

class Files {
  #folder;
  #chunk;
  #token;
  #sessions = new Map();
  #begun = 0;

  constructor({ folder, chunk, token }) {
    this.#folder = folder;
    this.#chunk = chunk ?? defaultChunk;
    this.#token = token;
  }

  async stat(call) {
    this.#begin(call, "Stat", call.request.name);
    return this.#describe(call.request.name, call.request.want_sha256);
  }

  async list(call) {
    const { folder, recursive, after, limit } = call.request;
    this.#begin(call, "List", folder);
    let entries = await readdir(path.join(this.#folder, folder), { withFileTypes: true, recursive });
    entries = entries
      .filter((entry) => !entry.name.startsWith(".") && !(recursive && entry.isDirectory()))
      .map((entry) => ({ name: path.relative(this.#folder, path.join(entry.parentPath, entry.name)), is_folder: entry.isDirectory() }))
      .filter((entry) => entry.name > after)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, limit || undefined);
    for (const entry of entries) {
      call.write({ ...entry, ...(!entry.is_folder && { file: await this.#describe(entry.name, false) }) });
    }
  }

  async download(call) {
    const wanted = call.request;
    this.#begin(call, "Download", wanted.name);
    const file = await this.#describe(wanted.name, wanted.want_sha256 && wanted.offset > 0);
    const offset = "if_tag" in wanted && wanted.if_tag !== file.tag ? 0 : wanted.offset;
    if (offset > file.length) throw new Failure(status.OUT_OF_RANGE, `The file has ${file.length} bytes.`);
    const count = Math.min("count" in wanted ? wanted.count : file.length, file.length - offset);
    const write = async (message) => {
      if (!call.write(message) && !call.cancelled) await drained(call);
    };
    await write({ file: { ...file, offset, count } });

    const name = last(wanted.name);
    if (name.startsWith("slow-")) return await this.#waitForCancelling(call, "Download");
    const flaky = name.startsWith("flaky-") && offset === 0;
    const most = flaky || name.startsWith("cut-") ? Math.floor(count / 2) : count;
    const size = Math.min(wanted.chunk_bytes || this.#chunk, mostChunk);
    const hash = createHash("sha256");
    const handle = await open(path.join(this.#folder, wanted.name));
    for (let sent = 0; sent < most && !call.cancelled;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(size), 0, Math.min(size, most - sent), offset + sent);
      const data = buffer.subarray(0, bytesRead);
      hash.update(data);
      await write({ data });
      sent += bytesRead;
    }
    await handle.close();
    if (call.cancelled) return say({ cancelled: "Download" });
    if (flaky) throw new Failure(status.UNAVAILABLE, "It breaks here once.");
    if (name.startsWith("cut-")) return undefined;
    const digest = name.startsWith("wrong-") ? Buffer.alloc(32, "x") : hash.digest();
    await write({ end: { length: count, ...(wanted.want_sha256 && count === file.length && { sha256: digest }) } });
    return undefined;
  }

  async upload(call) {
    const chunks = call[Symbol.asyncIterator]();
    const { value: first } = await chunks.next();
    if (first?.content !== "upload") throw new Failure(status.INVALID_ARGUMENT, "The first message says what is uploaded.");
    const head = first.upload;
    const session = head.upload ? this.#find(head.upload) : await this.#new(head.name);
    this.#begin(call, "Upload", session.name);
    await this.#check(session.name, head.precondition);
    if (head.sha256) session.sha256 = head.sha256;
    if (last(session.name).startsWith("slow-")) return await this.#waitForCancelling(call, "Upload");
    this.#checkOffset(session, head.offset);
    return await this.#append(call, chunks, session, head);
  }

  async #append(call, chunks, session, head) {
    const beginsAt = session.offset;
    const breaks = last(session.name).startsWith("flaky-") && !session.brokenBefore;
    let end;
    const appending = (async () => {
      const file = await open(session.path, "r+");
      try {
        for (let next = await chunks.next(); !next.done && !end; next = await chunks.next()) {
          const { content, data } = next.value;
          if (content === "end") {
            end = next.value.end;
          } else {
            await file.write(data, 0, data.length, session.offset);
            session.offset += data.length;
            if (breaks && session.offset > 100000) break;
          }
        }
      } finally {
        await file.close();
      }
    })();
    session.appending = appending.catch(() => {});
    await appending.catch((error) => {
      say({ cancelled: "Upload" });
      throw error;
    });
    if (breaks && !end) {
      session.brokenBefore = true;
      throw new Failure(status.UNAVAILABLE, "It breaks here once.");
    }
    if (call.cancelled) say({ cancelled: "Upload" });
    if (!end) {
      if (!head.upload) await unlink(session.path);
      throw new Failure(status.INVALID_ARGUMENT, "The upload was cut.");
    }
    if (session.offset - beginsAt !== end.length) throw new Failure(status.DATA_LOSS, "Another length than was said.");
    if (end.sha256) session.sha256 = end.sha256;
    return !head.upload || head.commit ? await this.#publish(head.upload, session) : this.#status(head.upload, session);
  }

  async delete(call) {
    const { name, precondition } = call.request;
    this.#begin(call, "Delete", name);
    await this.#check(name, precondition);
    const deleted = await unlink(path.join(this.#folder, name)).then(() => true, () => false);
    return { deleted };
  }

  async startUpload(call) {
    const { name, precondition, sha256: digest } = call.request;
    this.#begin(call, "StartUpload", name);
    await this.#check(name, precondition);
    const session = await this.#new(name);
    if ("length" in call.request) session.length = call.request.length;
    session.sha256 = digest;
    const id = `upload-${this.#begun}`;
    this.#sessions.set(id, session);
    return this.#status(id, session);
  }

  async uploadPart(call) {
    const { upload, offset, data, sha256: digest } = call.request;
    const session = this.#find(upload);
    this.#begin(call, "UploadPart", session.name);
    this.#checkOffset(session, offset);
    if (digest && !sha256(data).equals(digest)) throw new Failure(status.DATA_LOSS, "The part has another SHA-256.");
    const file = await open(session.path, "r+");
    await file.write(data, 0, data.length, session.offset);
    await file.close();
    session.offset += data.length;
    return this.#status(upload, session);
  }

  async queryUpload(call) {
    const session = this.#find(call.request.upload);
    this.#begin(call, "QueryUpload", session.name);
    // Whoever still appends was cut and ends soon.
    await session.appending;
    return this.#status(call.request.upload, session);
  }

  async commitUpload(call) {
    const session = this.#find(call.request.upload);
    this.#begin(call, "CommitUpload", session.name);
    if ("length" in call.request) session.length = call.request.length;
    if ("sha256" in call.request) session.sha256 = call.request.sha256;
    return await this.#publish(call.request.upload, session);
  }

  async abortUpload(call) {
    const session = this.#sessions.get(call.request.upload);
    this.#sessions.delete(call.request.upload);
    if (session) await unlink(session.path);
    return { aborted: session !== undefined };
  }

  #begin(call, method, name) {
    say({ method, name });
    if (this.#token && call.metadata.get("authorization")[0] !== `Bearer ${this.#token}`) {
      throw new Failure(status.UNAUTHENTICATED, "A token is needed.");
    }
    if (last(name).startsWith("status-")) throw new Failure(Number(last(name).slice(7)), oddMessage);
    if (name.startsWith("/") || name.split("/").includes("..")) {
      throw new Failure(status.INVALID_ARGUMENT, "A name is relative to the folder.");
    }
  }

  async #waitForCancelling(call, method) {
    if (!call.cancelled) await once(call, "cancelled");
    say({ cancelled: method });
  }

  async #describe(name, withDigest) {
    const full = path.join(this.#folder, name);
    const found = await stat(full, { bigint: true }).catch(() => undefined);
    if (!found?.isFile()) throw new Failure(status.NOT_FOUND, `There is no file ${name}.`);
    const length = Number(found.size);
    return {
      name, length, count: length, tag: `${found.ino}-${found.mtimeNs}-${length}`,
      modified: { seconds: Number(found.mtimeNs / 1_000_000_000n), nanos: Number(found.mtimeNs % 1_000_000_000n) },
      ...(withDigest && { sha256: await hashOf(full) }),
    };
  }

  async #check(name, precondition) {
    const file = await this.#describe(name, false).catch(() => undefined);
    if (precondition?.must_not_exist && file) throw new Failure(status.ALREADY_EXISTS, `There is already ${name}.`);
    const tags = precondition?.tags ?? [];
    if ((precondition?.must_exist && !file) || (tags.length > 0 && !tags.includes(file?.tag))) {
      throw new Failure(status.FAILED_PRECONDITION, `Another version of ${name} is there.`);
    }
  }

  #checkOffset(session, offset) {
    if (offset === session.offset) return;
    throw new Failure(status.ABORTED, `The upload has ${session.offset} bytes.`, {
      "millrace-error": "OffsetMismatch", "millrace-offset": session.offset,
    });
  }

  async #new(name) {
    const session = { name, path: path.join(this.#folder, `.part-${++this.#begun}`), offset: 0 };
    await (await open(session.path, "w")).close();
    return session;
  }

  #find(id) {
    const session = this.#sessions.get(id);
    if (!session) throw new Failure(status.NOT_FOUND, `There is no upload ${id}.`);
    return session;
  }

  #status(upload, session) {
    const length = session.length === undefined ? {} : { length: session.length };
    return { upload, offset: session.offset, ...length, expires: { seconds: Math.floor(Date.now() / 1000) + 3600 } };
  }

  async #publish(id, session) {
    if (session.length !== undefined && session.length !== session.offset) {
      throw new Failure(status.FAILED_PRECONDITION, `Only ${session.offset} bytes have come.`);
    }
    this.#sessions.delete(id);
    if (session.sha256?.length && !(await hashOf(session.path)).equals(session.sha256)) {
      await unlink(session.path);
      throw new Failure(status.DATA_LOSS, "The file has another SHA-256.");
    }
    const target = path.join(this.#folder, session.name);
    await mkdir(path.dirname(target), { recursive: true });
    await rename(session.path, target);
    return { ...this.#status(id, session), file: await this.#describe(session.name, Boolean(session.sha256?.length)) };
  }
}

const unary = (answer) => (call, callback) => answer(call).then((value) => callback(null, value), callback);

const stream = (answer) => (call) => answer(call).then(() => call.end(), (error) => call.emit("error", error));

async function checkHealth({ request: { service } }) {
  if (service && service !== "millrace.v1.FileTransfer") throw new Failure(status.NOT_FOUND, `There is no service ${service}.`);
  return { status: "SERVING" };
}

export async function serve(told) {
  const files = new Files(told);
  const server = new grpc.Server({ "grpc.max_receive_message_length": -1 });
  const one = (name) => unary((call) => files[name](call));
  server.addService(FileTransfer.service, {
    Stat: one("stat"), List: stream((call) => files.list(call)), Download: stream((call) => files.download(call)),
    Upload: one("upload"), Delete: one("delete"), StartUpload: one("startUpload"), UploadPart: one("uploadPart"),
    QueryUpload: one("queryUpload"), CommitUpload: one("commitUpload"), AbortUpload: one("abortUpload"),
  });
  server.addService(Health.service, { Check: unary(checkHealth) });
  const port = await new Promise((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${told.port ?? 0}`, grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound)));
  say({ port });
  process.stdin.resume();
  await once(process.stdin, "end");
  server.forceShutdown();
}

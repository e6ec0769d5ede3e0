import type { Entry } from "./entries.ts";
import { given, inAddress, withLink } from "./link.ts";
import { encode } from "./names.ts";
import { texts } from "./texts.ts";

const at = document.documentElement.dataset;
export const paths = {
  files: at.files ?? "/files/",
  session: at.session ?? "/session",
  links: at.links ?? "/links",
};

/** A refusal of the server; status 0 when there was no response. */
export class ServerError extends Error {
  /**
   * @param detail The server's own sentence, for problems that only its operator can mend.
   * @param hidden How many files the server hides in a folder, which it deletes or moves with them if it is asked to.
   */
  constructor(readonly status: number, readonly error = "", readonly retryAfter = 0, readonly detail = "", omitted = 0, readonly hidden = 0) {
    super(hidden ? texts.errors.hidden(hidden) : omitted ? texts.errors.omitted(omitted) : sentence(status, error));
  }
}

function sentence(status: number, error: string): string {
  const e = texts.errors;
  switch (error) {
    case "Partly": return e.partly;
    case "AlreadyExists": return e.taken;
    case "PreconditionFailed": return e.changed;
    case "InvalidName": return e.invalidName;
    case "DigestMismatch": return e.digest;
    case "NoSpace": return e.noSpace;
    case "TooLarge": return e.tooLarge;
  }
  switch (status) {
    case 0: case 502: case 503: case 504: return e.offline;
    case 401: return e.unauthorized;
    case 403: return given ? e.link : e.forbidden;
    case 404: case 410: return e.missing;
    case 405: case 501: return e.unsupported;
    case 412: return e.taken;
    case 413: return e.tooLarge;
    case 429: return e.busy;
    case 460: return e.digest;
    case 507: return e.noSpace;
    default: return e.other(status);
  }
}

/** The error in a response: the body is a problem document, RFC 9457. */
export function errorOf(status: number, body: string, retryAfter: string | null): ServerError {
  const { error, detail, omitted, hidden } = problemIn(body);
  return new ServerError(status, error, Number(retryAfter) || 0, detail, omitted, hidden);
}

/** The same where only the body is known. */
export function errorIn(body: string): ServerError {
  const { status, error } = problemIn(body);
  return new ServerError(status, error);
}

function problemIn(body: string): { status: number; error: string; detail: string; omitted: number; hidden: number } {
  try {
    const { status, error, detail, omitted, hidden } = JSON.parse(body) as { status?: number; error?: string; detail?: string; omitted?: number; hidden?: number };
    return { status: Number(status) || 0, error: String(error ?? ""), detail: String(detail ?? ""), omitted: Number(omitted) || 0, hidden: Number(hidden) || 0 };
  } catch {
    // Something between us and the server has answered.
    return { status: 0, error: "", detail: "", omitted: 0, hidden: 0 };
  }
}

/** @throws {ServerError} unless the status is one of success. */
async function send(url: string, options: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { cache: "no-store", ...options });
  } catch {
    throw new ServerError(0);
  }
  if (response.ok) return response;
  throw errorOf(response.status, await response.text().catch(() => ""), response.headers.get("Retry-After"));
}

const pathOf = (name: string, isFolder: boolean): string => paths.files + encode(name) + (isFolder && name ? "/" : "");
export const urlOf = (name: string, isFolder = false): string => withLink(pathOf(name, isFolder));
/** For the address bar. */
export const addressOf = (name: string, isFolder = false): string => inAddress(pathOf(name, isFolder));
export const archiveOf = (folder: string): string => withLink(`${pathOf(folder, true)}?archive=zip`);

export interface Session {
  required: boolean;
  signedIn: boolean;
  /** Whether a PIN is accepted instead of a token. */
  pin?: boolean;
  name?: string | null;
  scopes?: string[] | null;
  /** What needs no token. */
  public?: string[] | null;
  prefix?: string | null;
  expires?: string | null;
  maxFileBytes?: number | null;
  maxRequestBytes?: number | null;
  uploads?: string | null;
  canLink?: boolean;
  archives?: boolean;
  /** False over buckets; a server that does not say it can move folders. */
  folderMoves?: boolean;
  /** Whether the server copies files and folders. */
  copies?: boolean;
  /** Whether names have to be valid on Windows, too. */
  portableNames?: boolean;
  /** Bytes that can still be stored, for those who may see names or write; unknown of a bucket. */
  freeBytes?: number | null;
  /** Where deleted files are listed and restored; none if the server keeps none. */
  trash?: string | null;
  /** The name of the folder that is served; empty where it has none, and before one has signed in. */
  title?: string;
  /** The link to a folder that the page was opened with. */
  link?: OpenedLink | null;
  /** Whether the server keeps links to folders. */
  folderLinks?: boolean;
}

export interface OpenedLink {
  state: "valid" | "locked" | "invalid";
  kind?: "read" | "drop" | null;
  expires?: string | null;
  asksName?: boolean;
  /** Whether downloads are limited: then nothing is loaded without a request of the user. */
  limited?: boolean;
  secret?: string | null;
}

const json = (method: string, value: unknown): RequestInit => ({
  method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value),
});

export async function readSession(): Promise<Session> {
  const session = (await (await send(withLink(paths.session))).json()) as Session;
  trash = session.trash ?? "";
  return session;
}
export const signIn = (token: string): Promise<unknown> => send(paths.session, json("POST", { token }));
export const signOut = (): Promise<unknown> => send(paths.session, { method: "DELETE" });

/** Only the version that is shown: another one was written in the meantime. */
const ifShown = ({ tag }: Entry): Record<string, string> => (tag ? { "If-Match": tag } : {});

/** With hidden files only where the user was asked about them. */
const changedUrlOf = (name: string, { isFolder }: Entry, hidden: boolean): string => withLink(pathOf(name, isFolder) + (hidden ? "?hidden" : ""));

export const remove = (name: string, entry: Entry, hidden = false): Promise<unknown> =>
  send(changedUrlOf(name, entry, hidden), { method: "DELETE", headers: entry.isFolder ? { Depth: "infinity" } : ifShown(entry) });
/** Returns the tag of the file under its new name. */
export const move = async (from: string, to: string, entry: Entry, hidden = false): Promise<string | undefined> =>
  (await send(changedUrlOf(from, entry, hidden), { method: "MOVE", headers: { Destination: urlOf(to, entry.isFolder), Overwrite: "F", ...ifShown(entry) } }))
    .headers.get("ETag") ?? undefined;
/** Copies on the server. Returns the tag of a file's copy. */
export async function copy(from: string, to: string, entry: Entry): Promise<string | undefined> {
  const { status, headers } = await send(urlOf(from, entry.isFolder), { method: "COPY", headers: { Destination: urlOf(to, entry.isFolder), Overwrite: "F" } });
  // A part of the folder was copied, which the response lists.
  if (status === 207) throw new ServerError(status, "Partly");
  return headers.get("ETag") ?? undefined;
}
export const makeFolder = (name: string): Promise<unknown> => send(urlOf(name, true), { method: "MKCOL" });
/** A link, and until when it is valid: not longer than the token. */
export interface Link {
  url: string;
  expires: number;
}

export async function makeLink(name: string, seconds: number): Promise<Link> {
  const { url, expires } = (await (await send(paths.links, json("POST", { name, method: "GET", seconds }))).json()) as { url: string; expires: string };
  return { url: new URL(url, location.href).href, expires: Date.parse(expires) };
}

/** The rights and limits of a new link to a folder. */
export interface FolderLinkWish {
  name: string;
  kind: "read" | "drop";
  seconds: number;
  password?: string | undefined;
  maxUses?: number | undefined;
  maxBytes?: number | undefined;
  asksName?: boolean | undefined;
}

/** A link to a folder in the list of them. */
export interface FolderLink {
  id: string;
  folder: string;
  kind: "read" | "drop";
  owner?: string | null;
  expires: string;
  password: boolean;
  maxUses?: number | null;
  maxBytes?: number | null;
  uses: number;
  bytes: number;
}

export async function makeFolderLink(wish: FolderLinkWish): Promise<Link> {
  const { url, expires } = (await (await send(paths.links, json("POST", wish))).json()) as { url: string; expires: string };
  return { url: new URL(url, location.href).href, expires: Date.parse(expires) };
}

export const readFolderLinks = async (): Promise<FolderLink[]> => ((await (await send(paths.links)).json()) as { links: FolderLink[] }).links;
export const revokeLink = (id: string): Promise<unknown> => send(`${paths.links}/${id}`, { method: "DELETE" });
/** Returns the secret of one who has given the password. */
export const openLink = async (secret: string, password: string): Promise<string> =>
  ((await (await send(`${paths.links}/open`, json("POST", { secret, password }))).json()) as OpenedLink).secret ?? secret;

/** The folders in a folder, as the pages of its listing come. */
export async function* foldersIn(folder: string): AsyncGenerator<string[]> {
  let after: string | undefined;
  do {
    const response = await send(withLink(`${pathOf(folder, true)}?limit=10000${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`), { headers: { Accept: "application/json" } });
    const { entries, next } = (await response.json()) as { entries: { name: string; kind: string }[]; next?: string | null };
    yield entries.filter((entry) => entry.kind === "folder").map((entry) => entry.name);
    after = next ?? undefined;
  } while (after !== undefined);
}

/** The content of a folder at any depth, as far as the server has counted. */
export interface Usage {
  files: number;
  folders: number;
  bytes: number;
  omitted?: number;
  complete?: boolean;
}

export async function* usageOf(folder: string, signal: AbortSignal): AsyncGenerator<Usage> {
  const response = await send(withLink(`${pathOf(folder, true)}?usage`), { headers: { Accept: "application/jsonl" }, signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last: Usage | undefined;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield (last = JSON.parse(line) as Usage);
  }
  if (!last?.complete) throw new ServerError(0);
}

/** A deleted file or folder, or a file that was replaced. */
export interface Trashed {
  id: string;
  name: string;
  folder: boolean;
  length: number;
  deleted: string;
  by?: string | null;
  replaced: boolean;
}

let trash = "";
const trashPath = (): string => trash;
const ofName = (name: string): string => (name ? `name=${encodeURIComponent(name)}` : "");

/** A page of the deleted files of a folder or of a name, the newest first. */
export const trashed = async (name: string, after?: string, limit = 100): Promise<{ entries: Trashed[]; next?: string }> => {
  const page = (await (await send(`${trashPath()}?limit=${limit}&${ofName(name)}${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`)).json()) as { entries: Trashed[]; next?: string | null };
  return { entries: page.entries, ...(page.next ? { next: page.next } : {}) };
};

/** Returns the name that it has then. */
export const restore = async (id: string, name?: string): Promise<string> =>
  ((await (await send(`${trashPath()}/${encodeURIComponent(id)}`, json("POST", name === undefined ? {} : { name }))).json()) as { name: string }).name;
export const deleteForGood = (id: string): Promise<unknown> => send(`${trashPath()}/${encodeURIComponent(id)}`, { method: "DELETE" });
export const emptyTrash = (folder: string): Promise<unknown> => send(`${trashPath()}?${ofName(folder)}`, { method: "DELETE" });

/** The entry of a name; the SHA-256 of a file where it is known or `digest` asks for it. */
export async function stat(name: string, digest = false): Promise<{ isFolder: boolean; size: number; modified: number; tag: string | undefined; sha256: string | undefined }> {
  // For a range, browsers ask for the file as it is: a compressed response has neither length nor digest of the file.
  const { headers, url } = await send(urlOf(name), { method: "HEAD", headers: { Range: "bytes=0-", ...(digest ? { "Want-Repr-Digest": "sha-256=9" } : {}) } });
  return {
    isFolder: new URL(url).pathname.endsWith("/"),
    size: Number(headers.get("Content-Length")),
    modified: Date.parse(headers.get("Last-Modified") ?? "") || 0,
    tag: headers.get("ETag") ?? undefined,
    sha256: /sha-256=:([^:]*):/.exec(headers.get("Repr-Digest") ?? "")?.[1],
  };
}

/** Writes a text over a version of a file. Returns the tag of the new one. */
export const replaceText = async (name: string, text: Blob, sha256: string, tag: string): Promise<string | undefined> =>
  (await send(urlOf(name), { method: "PUT", body: text, headers: { "If-Match": tag, "Repr-Digest": `sha-256=:${sha256}:` } })).headers.get("ETag") ?? undefined;

/** The first bytes of a file, whether these are all of it, and of which version. */
export async function firstBytes(name: string, bytes: number, signal?: AbortSignal): Promise<{ bytes: Uint8Array<ArrayBuffer>; all: boolean; tag: string | undefined }> {
  const response = await send(urlOf(name), { headers: { Range: `bytes=0-${bytes - 1}` }, ...(signal ? { signal } : {}) });
  const total = Number(/\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "")?.[1] ?? 0);
  const part = new Uint8Array(await response.arrayBuffer());
  return { bytes: part, all: response.status !== 206 || total <= part.length, tag: response.headers.get("ETag") ?? undefined };
}

import { texts } from "./texts.ts";

/** Names are as on the server: relative to the root, parts separated by slashes; a folder's has no slash at its end, the root's is "". */
export const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
export const parentOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf("/")));
export const join = (folder: string, name: string): string => (folder && name ? `${folder}/${name}` : folder || name);
export const encode = (name: string): string => name.split("/").map(encodeURIComponent).join("/");

/** The text after the last dot, in lower case; "" for hidden files and names without one. */
export function extension(name: string): string {
  const base = baseName(name);
  const dot = base.lastIndexOf(".");
  return dot > 0 ? base.slice(dot + 1).toLowerCase() : "";
}

/** Another name for a file whose name is taken: "a (2).txt", then "a (3).txt". What would make it too long is cut from the stem. */
export function nextName(name: string): string {
  const folder = parentOf(name);
  const base = baseName(name);
  const room = Math.min(maxPartBytes, maxBytes - bytesOf(join(folder, "/")));
  const dot = base.lastIndexOf(".");
  // The part after a dot is not an extension if it is most of the name.
  const at = dot > 0 && bytesOf(base.slice(dot)) < room / 2 ? dot : base.length;
  const [stem, end] = [base.slice(0, at), base.slice(at)];
  const numbered = / \((\d+)\)$/.exec(stem);
  const suffix = numbered ? ` (${Number(numbered[1]) + 1})${end}` : ` (2)${end}`;
  let kept = numbered ? stem.slice(0, numbered.index) : stem;
  while (kept && bytesOf(kept + suffix) > room) kept = kept.replace(/.$/su, "");
  return join(folder, kept + suffix);
}

const maxBytes = 1024;
const maxPartBytes = 255;
const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³]) *(\.|$)/i;
const reserved = /^(\.millrace$|\.millrace-|millra~\d)/i;
const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Returns the problem of a name, including the folders above it, as a sentence. The server's rules are in NameRules.cs. */
export function nameProblem(name: string): string | undefined {
  const says = texts.names;
  const [forbidden] = /[\\:*?"<>|]/.exec(name) ?? [];
  if (/\p{Cc}/u.test(name)) return says.control;
  if (forbidden) return says.character(forbidden);
  if (/\p{Cs}/u.test(name)) return says.notUnicode;
  if (bytesOf(name) > maxBytes) return says.tooLong;
  for (const part of name.split("/")) {
    if (part === "") return texts.nameEmpty;
    if (part === "." || part === "..") return says.dots;
    if (bytesOf(part) > maxPartBytes) return says.tooLong;
    if (reserved.test(part)) return says.reserved;
    if (/[. ]$/.test(part)) return says.end;
    if (device.test(part)) return says.device(part);
  }
  return undefined;
}

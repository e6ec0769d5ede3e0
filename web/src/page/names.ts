/** Names are as on the server: relative to the root, parts separated by slashes; a folder's has no trailing slash, the root's is "". */
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

/** The text as a person may see it: without controls, and without what turns text, with which gpj.exe looks like exe.jpg. */
export const shown = (text: string): string => text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, "\ufffd");

export const maxBytes = 1024;
export const maxPartBytes = 255;
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

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

/** Another name for a file whose name is taken: "a (2).txt", then "a (3).txt". */
export function nextName(name: string): string {
  const base = baseName(name);
  const dot = base.lastIndexOf(".");
  const [stem, end] = dot > 0 ? [base.slice(0, dot), base.slice(dot)] : [base, ""];
  const numbered = / \((\d+)\)$/.exec(stem);
  const next = numbered ? `${stem.slice(0, numbered.index)} (${Number(numbered[1]) + 1})` : `${stem} (2)`;
  return join(parentOf(name), next + end);
}

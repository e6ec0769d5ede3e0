import { link, prefix, rootName } from "./access.ts";
import { paths } from "./api.ts";
import { baseName, shown } from "./names.ts";

/** The state that an entry of the browser's history has beside its address. */
export interface PageState {
  /** The page was loaded again for its cookie. */
  again?: boolean;
  /** The file that is shown over the folder. */
  preview?: string;
}

export const pageState = (): PageState => (history.state as PageState | null) ?? {};

export const titleOf = (folder: string): string => (folder && !(link() && folder === prefix()) ? `${shown(baseName(folder))} – ${rootName()}` : rootName());

/** The name of the file of an address. */
export function fileOf(path: string): string {
  try {
    return shown(decodeURIComponent(baseName(path)));
  } catch {
    return baseName(path);
  }
}

/** The folder of an address: the part below the files' path, without a file's name. */
export function folderOf(path: string): string {
  const name = path.startsWith(paths.files) ? path.slice(paths.files.length) : "";
  const folder = name.slice(0, name.lastIndexOf("/") + 1).replace(/\/+$/, "");
  try {
    return folder.split("/").map(decodeURIComponent).join("/");
  } catch {
    return "";
  }
}

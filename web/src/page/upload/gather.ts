import { texts } from "../texts.ts";
import { partBytes } from "./parts.ts";

/** A file that someone chose, with its path below the folder that was chosen, if one was. */
export interface Picked {
  file: File;
  path: string;
  handle?: FileSystemFileHandle | undefined;
}

export interface Gathered {
  files: Picked[];
  emptyFolders: string[];
  /** The entries that the browser could not read. */
  unreadable: { path: string; why: string }[];
}

export const gatheredNothing = (): Gathered => ({ files: [], emptyFolders: [], unreadable: [] });

type Handle = FileSystemFileHandle | FileSystemDirectoryHandle;
type ItemWithHandle = DataTransferItem & { getAsFileSystemHandle?: () => Promise<Handle | null> };

/** In place of a name that is not valid UTF-8. */
const noName = "\ufffd";

export const hasFiles = (data: DataTransfer | null): data is DataTransfer => data !== null && [...data.types].includes("Files");

/** The files and folders of a drop, whose handles can be kept, or of the clipboard. The items are read at once: they are gone when the event is over. */
export async function gatherItems(data: DataTransfer, canKeep: boolean): Promise<Gathered> {
  const gathered = gatheredNothing();
  const roots = [...data.items].filter((item) => item.kind === "file").map((item) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
    // At a plain HTTP address Chromium 156 has the method, and ends the page's process when it is called.
    handle: canKeep && isSecureContext ? (item as ItemWithHandle).getAsFileSystemHandle?.().catch(() => null) : undefined,
  }));
  for (const { entry, file, handle } of roots) {
    if (entry) await walk(entry, "", handle, gathered);
    // Only in memory; a file of the disk that is gone has no entry and no bytes.
    else if (file?.size) gathered.files.push({ file, path: file.name });
    else gathered.unreadable.push({ path: file?.name || noName, why: texts.errors.reading });
  }
  return gathered;
}

/** The files of an input element; those of a chosen folder have their path in it. */
export const gatherInput = (files: Iterable<File>): Gathered => ({
  ...gatheredNothing(),
  // Chromium makes a slash of a backslash in the path, which would be another folder.
  files: [...files].map((file) => ({ file, path: file.webkitRelativePath.slice(0, -file.name.length) + file.name })),
});

export async function gatherHandles(handles: FileSystemFileHandle[]): Promise<Gathered> {
  const gathered = gatheredNothing();
  for (const handle of handles) {
    try {
      gathered.files.push({ file: await handle.getFile(), path: handle.name, handle });
    } catch {
      gathered.unreadable.push({ path: handle.name, why: texts.errors.reading });
    }
  }
  return gathered;
}

/**
 * By entries: the handle of a folder leaves out, without an error, files whose names Chromium does not want to be written, such as
 * "desktop.ini", "x.lnk", names with invisible characters, and all that Windows refuses.
 */
async function walk(entry: FileSystemEntry, above: string, root: Promise<Handle | null> | undefined, into: Gathered): Promise<void> {
  const path = above + (entry.name || noName);
  // Chromium has the folder above in the place of an entry whose name is not UTF-8.
  if (!entry.name) {
    into.unreadable.push({ path, why: texts.names.notUnicode });
    return;
  }
  try {
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      into.files.push({ file, path, handle: file.size > partBytes ? await handleOf(path, root) : undefined });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    let isEmpty = true;
    // A reader gives a hundred entries at a time, and none when it is done.
    for (;;) {
      const children = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (children.length === 0) break;
      isEmpty = false;
      for (const child of children) await walk(child, `${path}/`, root, into);
    }
    if (isEmpty) into.emptyFolders.push(path);
  } catch {
    into.unreadable.push({ path, why: entry.isFile ? texts.errors.reading : texts.errors.readingFolder });
  }
}

/** Of a large file, which continues with it after a reload; none where the browser gives none. */
async function handleOf(path: string, root: Promise<Handle | null> | undefined): Promise<FileSystemFileHandle | undefined> {
  const [, ...parts] = path.split("/");
  const last = parts.pop();
  try {
    let at = await root;
    for (const part of parts) at = await (at as FileSystemDirectoryHandle).getDirectoryHandle(part);
    return (last ? await (at as FileSystemDirectoryHandle).getFileHandle(last) : at ?? undefined) as FileSystemFileHandle | undefined;
  } catch {
    return undefined;
  }
}

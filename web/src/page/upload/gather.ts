/** A file that someone chose, with its path below the folder that was chosen, if one was. */
export interface Picked {
  file: File;
  path: string;
  handle?: FileSystemFileHandle;
}

export interface Gathered {
  files: Picked[];
  emptyFolders: string[];
  /** Paths of what the browser could not read. */
  unreadable: string[];
}

export const gatheredNothing = (): Gathered => ({ files: [], emptyFolders: [], unreadable: [] });

type Handle = FileSystemFileHandle | FileSystemDirectoryHandle;
type ItemWithHandle = DataTransferItem & { getAsFileSystemHandle?: () => Promise<Handle | null> };

export const hasFiles = (data: DataTransfer | null): data is DataTransfer => data !== null && [...data.types].includes("Files");

/** The files and folders of a drop. The items are read at once: they are gone when the event is over. */
export async function gatherDrop(data: DataTransfer): Promise<Gathered> {
  const gathered = gatheredNothing();
  const roots = [...data.items].filter((item) => item.kind === "file").map((item) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
    // At a plain HTTP address Chromium 156 has the method, and ends the page's process when it is called.
    handle: isSecureContext ? (item as ItemWithHandle).getAsFileSystemHandle?.().catch(() => null) : undefined,
  }));
  for (const { entry, file, handle } of roots) {
    const kept = await handle;
    if (kept) await walkHandle(kept, "", gathered);
    else if (entry) await walkEntry(entry, "", gathered);
    else if (file) gathered.files.push({ file, path: file.name });
  }
  return gathered;
}

/** The files of an input element; those of a chosen folder have their path in it. */
export const gatherInput = (files: Iterable<File>): Gathered => ({
  ...gatheredNothing(), files: [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name })),
});

export async function gatherHandles(handles: FileSystemFileHandle[]): Promise<Gathered> {
  const gathered = gatheredNothing();
  for (const handle of handles) await walkHandle(handle, "", gathered);
  return gathered;
}

async function walkHandle(handle: Handle, above: string, into: Gathered): Promise<void> {
  const path = above + handle.name;
  try {
    if (handle.kind === "file") {
      into.files.push({ file: await handle.getFile(), path, handle });
      return;
    }
    let isEmpty = true;
    for await (const child of (handle as FileSystemDirectoryHandle & { values(): AsyncIterable<Handle> }).values()) {
      isEmpty = false;
      await walkHandle(child, `${path}/`, into);
    }
    if (isEmpty) into.emptyFolders.push(path);
  } catch {
    into.unreadable.push(path);
  }
}

async function walkEntry(entry: FileSystemEntry, above: string, into: Gathered): Promise<void> {
  const path = above + entry.name;
  try {
    if (entry.isFile) {
      into.files.push({ file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)), path });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    let isEmpty = true;
    // A reader gives a hundred entries at a time, and none when it is done.
    for (;;) {
      const children = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (children.length === 0) break;
      isEmpty = false;
      for (const child of children) await walkEntry(child, `${path}/`, into);
    }
    if (isEmpty) into.emptyFolders.push(path);
  } catch {
    into.unreadable.push(path);
  }
}

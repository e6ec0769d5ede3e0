/** A made thumbnail: an encoded picture. */
export interface Kept {
  bytes: ArrayBuffer;
  type: string;
  isSmall: boolean;
}

/** About 10 KB each, so 60 MB of the disk at most. */
const most = 6000;
const removedAtOnce = 1000;
const checkedAfter = 100;
const dayMs = 86_400_000;
const name = "millrace-thumbnails";
const table = "thumbnails";

/** IndexedDB, because the Cache API is missing at an insecure origin, such as http://192.168.1.5. Where that is refused, nothing is kept. */
export class ThumbnailCache {
  private database: Promise<IDBDatabase | undefined> = open();
  private added = 0;

  async get(key: string): Promise<Kept | undefined> {
    const found = (await this.run("readonly", (store) => store.get(key))) as (Kept & { used: number }) | undefined;
    // When it was last used, to the day: a write for each read would take longer than the read.
    if (found && Date.now() - found.used > dayMs) void this.put(key, found);
    return found;
  }

  async put(key: string, { bytes, type, isSmall }: Kept): Promise<void> {
    await this.run("readwrite", (store) => store.put({ bytes, type, isSmall, used: Date.now() }, key));
    if (this.added++ % checkedAfter === 0) await this.shrink();
  }

  async clear(): Promise<void> {
    await this.run("readwrite", (store) => store.clear());
  }

  private async shrink(): Promise<void> {
    const count = (await this.run("readonly", (store) => store.count())) as number | undefined;
    if (count === undefined || count <= most) return;
    const oldest = (await this.run("readonly", (store) => store.index("used").getAllKeys(null, count - most + removedAtOnce))) as IDBValidKey[] | undefined;
    for (const key of oldest ?? []) await this.run("readwrite", (store) => store.delete(key));
  }

  private async run(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
    const database = await this.database;
    if (!database) return undefined;
    return new Promise((resolve) => {
      try {
        const request = act(database.transaction(table, mode).objectStore(table));
        request.onsuccess = () => resolve(request.result);
        request.onerror = (event) => {
          event.preventDefault();
          resolve(undefined);
        };
      } catch {
        resolve(undefined);
      }
    });
  }
}

function open(): Promise<IDBDatabase | undefined> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.open(name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(table).createIndex("used", "used");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(undefined);
      request.onblocked = () => resolve(undefined);
    } catch {
      resolve(undefined);
    }
  });
}

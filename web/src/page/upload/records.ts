/** An upload that has begun, so that it can be continued after a reload. */
export interface UploadRecord {
  id?: number;
  /** Under which name the file is stored, and under which the person uploaded it. */
  name: string;
  wanted: string;
  size: number;
  modified: number;
  url: string;
  /** The name of the token that began it. */
  owner: string;
  handle?: FileSystemFileHandle;
}

const store = "uploads";

/** Without IndexedDB, as in some private windows, uploads work and are not remembered. */
async function run<T>(mode: IDBTransactionMode, act: (records: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  try {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const open = indexedDB.open("millrace", 1);
      open.onupgradeneeded = () => open.result.createObjectStore(store, { keyPath: "id", autoIncrement: true });
      open.onsuccess = () => resolve(open.result);
      open.onerror = () => reject(open.error);
    });
    return await new Promise<T>((resolve, reject) => {
      const request = act(database.transaction(store, mode).objectStore(store));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      request.transaction!.oncomplete = () => database.close();
    });
  } catch {
    return undefined;
  }
}

export const readRecords = async (): Promise<UploadRecord[]> => (await run("readonly", (records) => records.getAll() as IDBRequest<UploadRecord[]>)) ?? [];
export const addRecord = async (record: UploadRecord): Promise<number | undefined> => (await run("readwrite", (records) => records.add(record))) as number | undefined;
export const removeRecord = (id: number): Promise<unknown> => run("readwrite", (records) => records.delete(id));

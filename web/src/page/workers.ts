/** Starts another thread with the page's worker script, which is beside the page's own. */
export const startWorker = (): Worker => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });

/** Starts another thread with the page's worker script, which is beside the page's own. */
export const startWorker = (): Worker => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });

/** The thread that makes thumbnails, a separate script because only the view of tiles needs it. */
export const startThumbnailer = (): Worker => new Worker(new URL("./photos/thumbnailer.ts", import.meta.url), { type: "module" });

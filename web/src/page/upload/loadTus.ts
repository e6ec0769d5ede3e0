type Tus = typeof import("./tus.ts");

let loading: Promise<Tus> | undefined;
let loaded: Tus | undefined;

/** The library for tus, a script of its own: half of all the page's code, and needed by uploads only. */
export function loadTus(): Promise<Tus> {
  loading ??= import("./tus.ts").then(
    (tus) => (loaded = tus),
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** Once it has been loaded. */
export const tus = (): Tus => loaded!;

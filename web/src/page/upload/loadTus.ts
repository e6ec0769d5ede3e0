type Tus = typeof import("./tus.ts");

let loading: Promise<Tus> | undefined;
let loaded: Tus | undefined;

/** Loads the library for tus. It is a separate script, because only uploads need it. */
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

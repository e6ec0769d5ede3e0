import type { Plugin } from "vite";
import { licences } from "./licences.ts";

/** What the workers bundle is not among the modules of the page's own bundle. */
const workerPackages = ["@noble/hashes", "hash-wasm"];

/** Writes licences.txt: the licences of the packages that are bundled. */
export function licencesFile(): Plugin {
  return {
    name: "millrace-licences",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
      modules.push(...workerPackages.map((name) => new URL(`../node_modules/${name}/index.js`, import.meta.url).pathname));
      this.emitFile({ type: "asset", fileName: "licences.txt", source: `${licences(modules)}\n` });
    },
  };
}

import { defineConfig } from "vite";
import { inline } from "./build/inline.ts";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    // One script and one style; the names have no hash, as they are gone in the end.
    rolldownOptions: { output: { entryFileNames: "main.js", assetFileNames: "[name][extname]", codeSplitting: false } },
    // The charts' library alone is larger than Vite's limit for a page that is loaded over a network.
    chunkSizeWarningLimit: 1000,
  },
  plugins: [inline()],
});

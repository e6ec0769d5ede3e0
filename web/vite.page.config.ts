import { defineConfig } from "vite";
import { licencesFile } from "./build/licencesFile.ts";
import { completeTexts } from "./build/texts.ts";

// The server's page: a script, a worker and a style beside one another, under fixed names; the server puts a hash into their path.
export default defineConfig({
  base: "./",
  publicDir: "src/page/public",
  build: {
    target: "es2022",
    outDir: "dist/page",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { app: "src/page/main.ts" },
      output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", assetFileNames: "app[extname]" },
    },
  },
  worker: { format: "es", rolldownOptions: { output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" } } },
  plugins: [licencesFile(), completeTexts()],
});

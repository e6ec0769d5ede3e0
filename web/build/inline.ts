import type { Plugin } from "vite";
import { licences } from "./licences.ts";

/** Makes one file of the page: the script and the style go into it, with the licences of what is bundled. */
export function inline(): Plugin {
  return {
    name: "millrace-inline",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("There is no index.html to put everything into.");
      let html = String(page.source);
      const modules: string[] = [];
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        delete bundle[name];
        if (file.type === "chunk") {
          modules.push(...file.moduleIds);
          // A script element ends at the first "</script", also within a string.
          const code = file.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--").trim();
          html = replaceOnce(html, new RegExp(`\\s*<script[^>]*src="[^"]*${name}"[^>]*></script>`), "");
          html = replaceOnce(html, /\n\s*<\/body>/, `\n    <script type="module">${code}</script>\n  </body>`);
        } else {
          const style = String(file.source).trim();
          html = replaceOnce(html, new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`), `<style>${style}</style>`);
        }
      }
      page.source = replaceOnce(html, "</html>", `</html>\n<!--\n${licences(modules)}\n-->`);
    },
  };
}

function replaceOnce(text: string, what: string | RegExp, by: string): string {
  const parts = text.split(what);
  if (parts.length !== 2) throw new Error(`${String(what)} is ${parts.length - 1} times in the page, not once.`);
  return parts.join(by);
}

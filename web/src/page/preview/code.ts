import hljs from "@highlightjs/cdn-assets/es/core.min.js";
import bash from "@highlightjs/cdn-assets/es/languages/bash.min.js";
import c from "@highlightjs/cdn-assets/es/languages/c.min.js";
import cpp from "@highlightjs/cdn-assets/es/languages/cpp.min.js";
import csharp from "@highlightjs/cdn-assets/es/languages/csharp.min.js";
import css from "@highlightjs/cdn-assets/es/languages/css.min.js";
import diff from "@highlightjs/cdn-assets/es/languages/diff.min.js";
import dockerfile from "@highlightjs/cdn-assets/es/languages/dockerfile.min.js";
import fsharp from "@highlightjs/cdn-assets/es/languages/fsharp.min.js";
import go from "@highlightjs/cdn-assets/es/languages/go.min.js";
import ini from "@highlightjs/cdn-assets/es/languages/ini.min.js";
import java from "@highlightjs/cdn-assets/es/languages/java.min.js";
import javascript from "@highlightjs/cdn-assets/es/languages/javascript.min.js";
import json from "@highlightjs/cdn-assets/es/languages/json.min.js";
import kotlin from "@highlightjs/cdn-assets/es/languages/kotlin.min.js";
import lua from "@highlightjs/cdn-assets/es/languages/lua.min.js";
import makefile from "@highlightjs/cdn-assets/es/languages/makefile.min.js";
import markdown from "@highlightjs/cdn-assets/es/languages/markdown.min.js";
import php from "@highlightjs/cdn-assets/es/languages/php.min.js";
import powershell from "@highlightjs/cdn-assets/es/languages/powershell.min.js";
import python from "@highlightjs/cdn-assets/es/languages/python.min.js";
import ruby from "@highlightjs/cdn-assets/es/languages/ruby.min.js";
import rust from "@highlightjs/cdn-assets/es/languages/rust.min.js";
import sql from "@highlightjs/cdn-assets/es/languages/sql.min.js";
import swift from "@highlightjs/cdn-assets/es/languages/swift.min.js";
import typescript from "@highlightjs/cdn-assets/es/languages/typescript.min.js";
import vbnet from "@highlightjs/cdn-assets/es/languages/vbnet.min.js";
import xml from "@highlightjs/cdn-assets/es/languages/xml.min.js";
import yaml from "@highlightjs/cdn-assets/es/languages/yaml.min.js";
import { baseName, extension } from "../names.ts";

const languages = {
  bash, c, cpp, csharp, css, diff, dockerfile, fsharp, go, ini, java, javascript, json, kotlin, lua, makefile, markdown, php, powershell, python, ruby, rust, sql, swift,
  typescript, vbnet, xml, yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** The language of extensions and of whole names that are not its own name or one of its aliases. */
const others: Record<string, string> = {
  bash: "bash_profile bashrc env profile zshrc", ini: "conf cfg properties editorconfig gitconfig gitmodules npmrc", ruby: "brewfile gemfile rakefile vagrantfile podfile",
  makefile: "gnumakefile justfile", dockerfile: "containerfile", json: "babelrc eslintrc prettierrc jsonl", xml: "htm props targets csproj", diff: "patch", powershell: "psm1 psd1", fsharp: "fsx",
};
const byEnd = new Map(Object.entries(others).flatMap(([language, ends]) => ends.split(" ").map((end) => [end, language] as const)));

/** Colouring takes a millisecond for 2 KB: more would be felt. */
const maxLetters = 100_000;

/** Colours source text; undefined where its language is not known. The result is of elements and text, whatever the source contains. */
export function colour(text: string, name: string): DocumentFragment | undefined {
  const end = extension(name) || baseName(name).toLowerCase().replace(/^\./, "");
  const language = byEnd.get(end) ?? (hljs.getLanguage(end) ? end : undefined);
  if (language === undefined || text.length > maxLetters) return undefined;
  // The library escapes the source; parsed as a separate document, nothing would run if it did not.
  const parsed = new DOMParser().parseFromString(hljs.highlight(text, { language, ignoreIllegals: true }).value, "text/html");
  const fragment = document.createDocumentFragment();
  copy(parsed.body, fragment);
  return fragment;
}

/** Text, and the classes of spans: nothing else is taken over. */
function copy(from: Node, to: Node): void {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.appendChild(document.createTextNode(node.textContent!));
    else if (node instanceof Element) {
      const span = document.createElement("span");
      span.className = node.className;
      copy(node, span);
      to.appendChild(span);
    }
  }
}

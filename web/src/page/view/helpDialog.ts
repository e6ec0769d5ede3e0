import { h } from "../../dom.ts";
import { texts } from "../texts.ts";
import { openDialog } from "./dialog.ts";

export function openHelp(): void {
  openDialog({
    className: "form help", heading: texts.helpTitle,
    body: h("div", {}, h("p", {}, texts.helpUpload),
      h("table", { class: "keys" }, h("tbody", {}, ...texts.helpKeys.map(([keys, what]) =>
        h("tr", {}, h("th", { scope: "row" }, ...keys.split(" ").flatMap((key, at) => [at > 0 && " ", h("kbd", {}, key)])), h("td", {}, what))))),
      h("p", { class: "small" }, h("a", { href: new URL(/* @vite-ignore */ "licences.txt", import.meta.url).href, target: "_blank", rel: "noopener" }, texts.licences))),
  });
}

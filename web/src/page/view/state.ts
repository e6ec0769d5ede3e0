import { h } from "../../dom.ts";
import { icon, icons } from "./icons.ts";

/** What stands in the place of a list that is empty or cannot be shown. */
export function placeholder(picture: typeof icons.add, title: string, text: string, button?: { label: string; act: () => void }): HTMLElement {
  return h("div", { class: "placeholder" }, icon(picture, 44), h("p", { class: "placeholder-title", dir: "auto" }, title), h("p", { class: "quiet" }, text),
    button && h("button", { type: "button", class: "button", click: button.act }, button.label));
}

import { h } from "../../dom.ts";
import { stat } from "../api.ts";
import { dateAndTime, size } from "../format.ts";
import { baseName } from "../names.ts";
import { texts } from "../texts.ts";
import { openDialog, untilNothingIsOpen } from "../view/dialog.ts";
import type { ClashAnswer, ClashChoice, Task } from "./task.ts";

/** Asks what to do with a file whose name is taken. Closing it skips the file. */
export async function askAboutClash(task: Task, others: boolean): Promise<ClashAnswer> {
  const there = await stat(task.name).catch(() => undefined);
  const old = !there ? texts.unknownFile : there.isFolder ? texts.folder : `${size(there.size)}, ${dateAndTime(there.modified)}`;
  await untilNothingIsOpen();
  return new Promise((resolve) => {
    let choice: ClashChoice = "skip";
    const forAll = h("input", { type: "checkbox" });
    const button = (label: string, value: ClashChoice, className: string): HTMLElement =>
      h("button", { type: "button", class: `button ${className}`, click: () => {
        choice = value;
        dialog.close();
      } }, label);
    const keep = button(texts.keepBoth, "keepBoth", "primary");
    const dialog = openDialog({
      className: "form clash", heading: texts.clashTitle(baseName(task.name)),
      body: h("div", {}, h("p", {}, texts.clashHint),
        h("dl", { class: "clash-facts" }, h("dt", {}, texts.clashOld), h("dd", {}, old), h("dt", {}, texts.clashNew), h("dd", {}, `${size(task.size)}, ${dateAndTime(task.file!.lastModified)}`)),
        others && h("label", { class: "check" }, forAll, texts.forAll),
        h("div", { class: "dialog-buttons" }, button(texts.skipFile, "skip", ""), !there?.isFolder && button(texts.replace, "replace", ""), keep)),
      closed: () => resolve({ choice, forAll: forAll.checked, tag: there?.tag }),
    });
    keep.focus();
  });
}

import { h } from "../../dom.ts";
import { foldersIn, ServerError } from "../api.ts";
import type { Entry } from "../entries.ts";
import { baseName, join, parentOf } from "../names.ts";
import { prefix } from "../access.ts";
import { texts } from "../texts.ts";
import { isolated, openForm } from "./dialog.ts";
import { icon, icons } from "./icons.ts";

/** Asks into which folder entries are to go; one walks through the folders to it. */
export function openMoveDialog(entries: Entry[], from: string, act: (to: string) => Promise<void>): void {
  let at = from;
  const moved = new Set(entries.filter((entry) => entry.isFolder).map((entry) => join(from, entry.name)));
  const here = h("p", { class: "move-here", role: "status" });
  const list = h("ul", { class: "folders", "aria-label": texts.folder });
  const dialog = openForm({
    heading: texts.moveTitle(entries.length, entries[0]!.name), submit: texts.moveDo, fields: [here, list],
    act: async () => {
      await act(at);
      return undefined;
    },
  });
  const submit = dialog.querySelector<HTMLButtonElement>("button.primary")!;
  void show(from, false);

  async function show(folder: string, focus = true): Promise<void> {
    at = folder;
    here.textContent = texts.moveHere(`${texts.files}${folder ? ` / ${folder.replaceAll("/", " / ")}` : ""}`);
    submit.disabled = folder === from;
    try {
      const folders = (await foldersIn(folder)).filter((name) => !moved.has(name));
      if (at !== folder) return;
      list.replaceChildren(
        ...(folder && folder !== prefix() ? [item(parentOf(folder), texts.moveUp, icons.folderUp)] : []),
        ...folders.map((name) => item(name, baseName(name), icons.folder)),
        ...(folders.length ? [] : [h("li", { class: "quiet" }, texts.moveEmpty)]));
      if (focus) list.querySelector("button")?.focus();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      list.replaceChildren(h("li", { class: "problem" }, error.message));
    }
  }

  function item(name: string, label: string, picture: typeof icons.folder): HTMLElement {
    return h("li", {}, h("button", { type: "button", click: () => void show(name) }, icon(picture, 18), isolated(label)));
  }
}

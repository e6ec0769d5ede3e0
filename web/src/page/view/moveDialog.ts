import { h } from "../../dom.ts";
import { foldersIn, ServerError } from "../api.ts";
import type { Entry } from "../entries.ts";
import { baseName, join, parentOf } from "../names.ts";
import { prefix, rootName } from "../access.ts";
import { texts } from "../texts.ts";
import { isolated, openForm, type Running } from "./dialog.ts";
import { icon, icons } from "./icons.ts";

export interface FolderChoice {
  entries: Entry[];
  from: string;
  isCopy: boolean;
  signIn: () => void;
  makeFolder: (within: string, made: (name: string) => void) => void;
  act: (to: string, form: Running) => Promise<undefined>;
}

/** Asks into which folder entries are to go, or their copies; one walks through the folders to it. */
export function openMoveDialog({ entries, from, isCopy, signIn, makeFolder, act }: FolderChoice): void {
  let at = from;
  let run = 0;
  const moved = new Set(entries.filter((entry) => entry.isFolder).map((entry) => join(from, entry.name)));
  const here = h("p", { class: "move-here", role: "status" });
  const list = h("ul", { class: "folders", "aria-label": texts.folder });
  const dialog = openForm({
    heading: (isCopy ? texts.copyTitle : texts.moveTitle)(entries.length, baseName(entries[0]!.name)), submit: isCopy ? texts.copyDo : texts.moveDo,
    fields: [here, list, h("button", { type: "button", class: "button small move-new", click: () => makeFolder(at, (name) => void show(name)) }, icon(icons.add, 16), texts.newFolder)],
    act: (form) => act(at, form),
  });
  const submit = dialog.querySelector<HTMLButtonElement>("button.primary")!;
  const cancel = submit.previousElementSibling as HTMLButtonElement;
  cancel.focus();
  void show(from);

  async function show(folder: string): Promise<void> {
    const own = ++run;
    at = folder;
    here.textContent = texts.moveHere(`${rootName()}${folder ? ` / ${folder.replaceAll("/", " / ")}` : ""}`);
    submit.disabled = !isCopy && entries.every((entry) => join(from, parentOf(entry.name)) === folder);
    try {
      let isFirst = true;
      let any = false;
      for await (const page of foldersIn(folder)) {
        if (own !== run || !dialog.open) return;
        const items = page.filter((name) => !moved.has(name)).map((name) => item(name, baseName(name), icons.folder));
        any ||= items.length > 0;
        if (isFirst) {
          list.replaceChildren(...(folder && folder !== prefix() ? [item(parentOf(folder), texts.moveUp, icons.folderUp)] : []), ...items);
          keepFocus();
        } else list.append(...items);
        isFirst = false;
      }
      if (!any) list.append(h("li", { class: "quiet" }, texts.moveEmpty));
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      if (own !== run || !dialog.open) return;
      if (error.status === 401) {
        dialog.close();
        signIn();
        return;
      }
      list.replaceChildren(h("li", { class: "problem" }, error.message));
      keepFocus();
    }
  }

  /** The button that was pressed is gone. */
  function keepFocus(): void {
    if (document.activeElement === cancel || !dialog.contains(document.activeElement)) (list.querySelector("button") ?? (submit.disabled ? cancel : submit)).focus();
  }

  function item(name: string, label: string, picture: typeof icons.folder): HTMLElement {
    return h("li", {}, h("button", { type: "button", click: () => void show(name) }, icon(picture, 18), isolated(label)));
  }
}

import { h } from "../../dom.ts";
import { canRestore, prefix, rootName } from "../access.ts";
import { deleteForGood, emptyTrash, restore, ServerError, trashed, type Trashed } from "../api.ts";
import { dateAndTime, size } from "../format.ts";
import { baseName, nextName, parentOf, shown } from "../names.ts";
import { texts } from "../texts.ts";
import { iconButton, isolated, openDialog, openForm } from "./dialog.ts";
import { entryIcon, icon, icons } from "./icons.ts";
import { notify } from "./notices.ts";

export interface TrashEvents {
  /** Files are in a folder again. */
  restored(names: string[]): void;
  signIn(): void;
}

/** Other names that are tried where something has the name of a restored file. */
const maxTries = 20;

/** Restores an entry, beside a file that has its name by now. Returns its name. */
async function restoreBeside({ id, name }: Trashed): Promise<string> {
  let wanted = name;
  for (let tries = 0; ; tries++) {
    try {
      return await restore(id, wanted === name ? undefined : wanted);
    } catch (error) {
      if (!(error instanceof ServerError) || error.error !== "AlreadyExists" || tries === maxTries) throw error;
      wanted = nextName(wanted);
    }
  }
}

/** Restores the files that were just deleted: of each name the last version in the trash. */
export async function undo(names: string[], events: TrashEvents): Promise<void> {
  const restored: string[] = [];
  let failure: ServerError | undefined;
  for (const name of names) {
    try {
      const { entries } = await trashed(name, undefined, 10);
      const entry = entries.find((one) => one.name === name && !one.replaced);
      if (!entry) throw new ServerError(404);
      restored.push(await restoreBeside(entry));
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      if (error.status === 401) {
        events.signIn();
        return;
      }
      failure = error;
    }
  }
  if (restored.length) {
    events.restored(restored);
    notify(texts.restored(restored.length, shown(baseName(restored[0]!))));
  }
  if (failure) notify(failure.message, true);
}

/** Lists deleted and replaced files, the newest first, to restore them or delete them for good. */
export function openTrash(events: TrashEvents): void {
  let next: string | undefined;
  const list = h("ul", { class: "trash", "aria-label": texts.trash });
  const state = h("p", { class: "quiet", role: "status" });
  const more = h("button", { type: "button", class: "button small", hidden: true, click: () => void read() }, texts.showMore);
  const empty = h("button", { type: "button", class: "button danger", hidden: true, click: () => askToEmpty() }, icon(icons.remove, 18), texts.emptyTrash);
  openDialog({
    className: "trash-dialog", heading: texts.trash,
    body: h("div", {}, h("p", { class: "quiet small" }, texts.trashHint), list, state, h("div", { class: "dialog-buttons" }, more, empty)),
  });
  void read();

  async function read(): Promise<void> {
    state.textContent = texts.loading(0);
    const page = await attempt(() => trashed(prefix(), next));
    if (!page) return;
    next = page.next;
    list.append(...page.entries.map((entry) => item(entry)));
    show();
  }

  function show(): void {
    const isEmpty = list.childElementCount === 0;
    state.textContent = isEmpty && !next ? texts.trashEmpty : "";
    more.hidden = !next;
    empty.hidden = isEmpty;
  }

  function item(entry: Trashed): HTMLElement {
    const name = baseName(entry.name);
    const above = parentOf(entry.name);
    const facts = [
      size(entry.length),
      (entry.replaced ? texts.replacedAt : texts.deletedAt)(dateAndTime(Date.parse(entry.deleted))), entry.by ? texts.deletedBy(entry.by) : "",
    ];
    const row = h("li", {},
      entryIcon({ name, isFolder: entry.folder, size: 0, modified: 0 }),
      h("div", {}, isolated(name), h("p", { class: "quiet small" }, isolated(above ? `${rootName()} / ${above.replaceAll("/", " / ")}` : rootName()), ...facts.filter(Boolean).flatMap((fact) => ["\u00a0· ", fact]))),
      canRestore() ? h("button", { type: "button", class: "button small", "aria-label": texts.restoreOf(shown(name)), click: () => void putBack() }, icon(icons.restore, 16), h("span", {}, texts.restore)) : undefined,
      iconButton(icons.remove, texts.deleteOf(shown(name)), () => askToDelete()));
    return row;

    async function putBack(): Promise<void> {
      const restored = await attempt(() => restoreBeside(entry));
      if (restored === undefined) return;
      events.restored([restored]);
      leave();
      notify(texts.restored(1, shown(baseName(restored))));
    }

    function askToDelete(): void {
      openForm({
        heading: texts.deleteTitle(name), className: "confirm", isDanger: true, submit: texts.deleteDo, fields: [h("p", {}, texts.removeFile)],
        act: () => fails(() => deleteForGood(entry.id)), succeeded: leave,
      });
    }

    /** The focus goes to the next entry. */
    function leave(): void {
      const other = (row.nextElementSibling ?? row.previousElementSibling)?.querySelector("button");
      row.remove();
      show();
      if (other) other.focus();
      else list.closest<HTMLElement>("dialog")?.querySelector<HTMLElement>(".dialog-tools button")?.focus();
    }
  }

  function askToEmpty(): void {
    openForm({
      heading: texts.emptyTitle, className: "confirm", isDanger: true, submit: texts.emptyTrash, fields: [h("p", {}, texts.removeFile)],
      act: () => fails(() => emptyTrash(prefix())),
      succeeded: () => {
        next = undefined;
        list.replaceChildren();
        show();
      },
    });
  }

  async function attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      if (error.status === 401) events.signIn();
      else notify(error.message, true);
      state.textContent = "";
      return undefined;
    }
  }

  async function fails(act: () => Promise<unknown>): Promise<string | undefined> {
    try {
      await act();
      return undefined;
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      return error.message;
    }
  }
}

import { h, uniqueId } from "../../dom.ts";
import { canRestore, current, hasTrash, may, rootName } from "../access.ts";
import { archiveOf, copy, errorIn, type Link, makeFolder, makeFolderLink, makeLink, move, remove, ServerError, urlOf, type Usage, usageOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { dateAndTime, size } from "../format.ts";
import { nameProblem } from "../nameProblem.ts";
import { baseName, join, nextName, parentOf, shown } from "../names.ts";
import { texts } from "../texts.ts";
import { copyText } from "./clipboard.ts";
import { field, openDialog, openForm, type Running } from "./dialog.ts";
import { icon, icons } from "./icons.ts";
import type { MenuItem } from "./menu.ts";
import { openFolderLinkForm, openLinksDialog } from "./linkDialogs.ts";
import { openMoveDialog } from "./moveDialog.ts";
import { notify, type Offer } from "./notices.ts";
import { openTrash, undo } from "./trashDialog.ts";

/** Of more files, a folder or an archive is to be shared. */
const maxLinks = 200;

/** Tells the list which changes were made on the server. */
export interface ActionEvents {
  folder(): string;
  chosen(): Entry[];
  changed(folder: string, removed: string[], added: Entry[]): void;
  open(entry: Entry): void;
  reveal(folder: string, name: string): void;
  /** Goes to a folder and to an entry in it. */
  show(folder: string, name: string): void;
  /** Files are back whose folders may be shown. */
  restored(names: string[]): void;
  signIn(): void;
  isTaken(name: string): boolean;
}

/** The actions on files and folders, always in the folder that was shown when it began: another may be shown before it ends. */
export class Actions {
  constructor(private readonly events: ActionEvents) {}

  get folder(): string {
    return this.events.folder();
  }

  /** The menu of some entries: only actions that the token allows. */
  menu(entries: Entry[], folder = this.folder): MenuItem[] {
    const [first] = entries;
    if (!first) return [];
    const isOne = entries.length === 1;
    const name = join(folder, first.name);
    const canMove = this.canMove(entries);
    const above = join(folder, parentOf(first.name));
    const items: (MenuItem | false)[] = [
      isOne && (first.isFolder || may("read", name)) && { label: first.isFolder ? texts.open : texts.preview, icon: first.isFolder ? icons.open : icons.preview, act: () => this.events.open(first) },
      isOne && above !== folder && { label: texts.showInFolder, icon: icons.folder, act: () => this.events.show(above, baseName(first.name)) },
      entries.some((entry) => entry.isFolder) && may("list") && { label: texts.countSize, icon: icons.size, act: () => this.size(entries, folder) },
      this.canDownload(entries) && { label: first.isFolder || (!isOne && this.canArchive) ? texts.downloadZip : texts.download, icon: icons.download, act: () => this.download(entries, folder) },
      isOne && canMove && { label: texts.rename, icon: icons.rename, act: () => this.rename(first, folder) },
      canMove && { label: texts.move, icon: icons.move, act: () => this.move(entries, folder) },
      this.canCopy(entries) && { label: texts.copyTo, icon: icons.copyTo, act: () => this.copy(entries, folder) },
      { label: isOne ? texts.copyLink : texts.copyLinks, icon: icons.link, act: () => void this.copyLinks(entries, folder) },
      entries.every((entry) => !entry.isFolder) && entries.length <= maxLinks && may("link", name) && may("read", name)
        && { label: texts.shareLink, icon: icons.share, act: () => this.share(entries, folder) },
      isOne && first.isFolder && this.canShareFolder(name) && { label: texts.shareFolder, icon: icons.share, act: () => this.shareFolder(name) },
      this.canRemove(entries) && { label: texts.remove, icon: icons.remove, isDanger: true, act: () => this.remove(entries, folder) },
    ];
    return items.filter((item) => item !== false);
  }

  /** Moving and renaming. A bucket has no folders that could be moved. */
  canMove(entries: Entry[]): boolean {
    const name = join(this.folder, entries[0]!.name);
    return may("write", name) && may("delete", name) && (current().folderMoves !== false || entries.every((entry) => !entry.isFolder));
  }

  canCopy(entries: Entry[]): boolean {
    const name = join(this.folder, entries[0]!.name);
    return current().copies === true && may("read", name) && may("write", name) && (may("list", name) || entries.every((entry) => !entry.isFolder));
  }

  /** Whether entries may be dropped on a folder. */
  canDrop(entries: Entry[], to: string, isCopy: boolean): boolean {
    return may("write", to || undefined) && (isCopy ? this.canCopy(entries) : this.canMove(entries));
  }

  canRemove(entries: Entry[]): boolean {
    const name = join(this.folder, entries[0]!.name);
    return may("delete", name) && (may("list", name) || entries.every((entry) => !entry.isFolder));
  }

  canDownload(entries: Entry[]): boolean {
    return may("read", this.folder || undefined) && (entries.every((entry) => !entry.isFolder) || this.canArchive);
  }

  get canArchive(): boolean {
    return current().archives !== false && may("read") && may("list");
  }

  download(entries: Entry[], folder = this.folder): void {
    const [first] = entries;
    if (entries.length === 1 && first) {
      const name = join(folder, first.name);
      save(first.isFolder ? archiveOf(name) : urlOf(name), baseName(first.name));
      return;
    }
    // An archive has the content of one folder; a search finds files in many.
    if (this.canArchive && !entries.some(({ name }) => name.includes("/"))) saveTogether(archiveOf(folder), entries.map((entry) => entry.name + (entry.isFolder ? "/" : "")));
    // One after another: a browser asks once whether a page may download several files.
    else entries.forEach((entry, at) => setTimeout(() => this.download([entry], folder), at * 400));
  }

  downloadFolder(): void {
    save(archiveOf(this.folder), "files.zip");
  }

  async copyLinks(entries: Entry[], folder = this.folder): Promise<void> {
    const links = entries.map((entry) => new URL(urlOf(join(folder, entry.name), entry.isFolder), location.href).href);
    if (await copyText(links.join("\n"))) notify(texts.copied(links.length));
    else showLinks(links.length === 1 ? texts.copyLink : texts.copyLinks, links, texts.copyFailed);
  }

  rename(entry: Entry, folder = this.folder): void {
    const own = baseName(entry.name);
    const within = join(folder, parentOf(entry.name));
    const { element, input } = field(texts.newName, { value: own, autofocus: true });
    openForm({
      heading: texts.renameTitle(own), fields: [element], submit: texts.renameDo,
      act: () => this.attempt(async () => {
        const read = this.read(input, within, own);
        if (read === own) return;
        const name = join(parentOf(entry.name), read);
        const tag = await moveAsking(join(folder, entry.name), join(folder, name), entry);
        this.events.changed(folder, [entry.name], [{ ...entry, name, tag }]);
        this.events.reveal(folder, name);
        notify(texts.renamed(read));
      }),
    });
    const dot = entry.isFolder ? -1 : own.lastIndexOf(".");
    input.setSelectionRange(0, dot > 0 ? dot : own.length);
  }

  /** Makes a folder in the one that is shown, or in another one, and calls a function with its whole name. */
  newFolder(folder = this.folder, made?: (name: string) => void): void {
    let at = "";
    const { element, input } = field(texts.folderName, { autofocus: true });
    openForm({
      heading: texts.newFolder, fields: [element], submit: texts.newFolderDo,
      act: () => this.attempt(async () => {
        const name = this.read(input, folder);
        at = join(folder, name);
        await makeFolder(at);
        this.events.changed(folder, [], [{ name, isFolder: true, size: 0, modified: Date.now() }]);
        this.events.reveal(folder, name);
        notify(texts.created(name));
      }, texts.nameTaken),
      ...(made ? { succeeded: () => made(at) } : {}),
    });
  }

  /** Counts the content of folders, and of files beside them, while the user waits; closing the dialog ends it. */
  size(entries: Entry[], folder = this.folder): void {
    const ending = new AbortController();
    const total = { files: 0, folders: 0, bytes: 0 };
    const result = h("p", { role: "status", "aria-busy": "true" }, texts.counting);
    const [first] = entries;
    openDialog({
      className: "form", heading: entries.length === 1 && first ? texts.sizeOf(baseName(first.name) || rootName()) : texts.sizeOfMany(entries.length),
      body: result, closed: () => ending.abort(),
    });
    void this.count(entries, folder, total, result, ending.signal);
  }

  private async count(entries: Entry[], folder: string, total: Usage, result: HTMLElement, signal: AbortSignal): Promise<void> {
    const show = ({ files, folders, bytes }: Usage): void => result.replaceChildren(texts.summary(folders, files, size(bytes)));
    let omitted = 0;
    try {
      for (const entry of withoutContents(entries)) {
        if (!entry.isFolder) {
          total.files++;
          total.bytes += entry.size;
          continue;
        }
        let last: Usage = { files: 0, folders: 0, bytes: 0 };
        for await (last of usageOf(join(folder, entry.name), signal)) {
          show({ files: total.files + last.files, folders: total.folders + last.folders, bytes: total.bytes + last.bytes });
        }
        total.files += last.files;
        total.folders += last.folders;
        total.bytes += last.bytes;
        omitted += last.omitted ?? 0;
      }
      show(total);
      if (omitted) result.append(h("br"), h("span", { class: "quiet small" }, texts.omitted(omitted)));
    } catch (error) {
      if (signal.aborted) return;
      result.textContent = error instanceof ServerError ? error.message : texts.errors.offline;
    } finally {
      result.ariaBusy = null;
    }
  }

  move(entries: Entry[], folder = this.folder): void {
    this.choose(entries, folder, false, (to, form) => this.moveTo(entries, folder, to, form));
  }

  copy(entries: Entry[], folder = this.folder): void {
    this.choose(entries, folder, true, (to, form) => this.copyTo(entries, folder, to, form));
  }

  private choose(entries: Entry[], from: string, isCopy: boolean, act: (to: string, form: Running) => Promise<undefined>): void {
    openMoveDialog({ entries, from, isCopy, act, signIn: () => this.events.signIn(), makeFolder: (within, made) => this.newFolder(within, made) });
  }

  /** Moves entries into a folder, except those that are in it already. */
  moveTo(entries: Entry[], folder: string, to: string, form = withoutDialog()): Promise<undefined> {
    const done: { from: string; entry: Entry }[] = [];
    const back = (): Promise<undefined> => this.each(done.map(({ entry }) => entry), withoutDialog(), async (entry) => {
      const { from } = done.find((one) => one.entry === entry)!;
      const tag = await moveAsking(join(to, entry.name), join(folder, from), entry);
      this.events.changed(to, [entry.name], []);
      this.events.changed(folder, [], [{ ...entry, name: from, tag }]);
    }, (n) => texts.movedBack(n));
    return this.each(entries.filter((entry) => join(folder, parentOf(entry.name)) !== to), form, async (entry) => {
      const name = baseName(entry.name);
      const tag = await moveAsking(join(folder, entry.name), join(to, name), entry);
      const moved = { ...entry, name, tag };
      done.push({ from: entry.name, entry: moved });
      this.events.changed(folder, [entry.name], []);
      this.events.changed(to, [], [moved]);
    }, (n) => texts.moved(n, to || rootName()), { label: texts.undo, act: () => void back() });
  }

  /** Copies into a folder; beside the originals, under other names. */
  copyTo(entries: Entry[], folder: string, to: string, form = withoutDialog()): Promise<undefined> {
    return this.each(entries, form, async (entry) => {
      let name = baseName(entry.name);
      const isBeside = join(folder, parentOf(entry.name)) === to;
      if (isBeside) name = nextName(name);
      for (;;) {
        try {
          const tag = await copy(join(folder, entry.name), join(to, name), entry);
          this.events.changed(to, [], [{ ...entry, name, tag, modified: entry.isFolder ? Date.now() : entry.modified }]);
          return;
        } catch (error) {
          if (!isBeside || !(error instanceof ServerError) || error.status !== 412 || form.signal.aborted) throw error;
          name = nextName(name);
        }
      }
    }, (n) => texts.copiedTo(n, to || rootName()));
  }

  remove(entries: Entry[], folder = this.folder): void {
    const [first] = entries;
    if (!first) return;
    openForm({
      heading: texts.removeTitle(entries.length, baseName(first.name)), className: "confirm", isDanger: true, submit: texts.removeDo,
      fields: [
        entries.length > 1
          ? h("ul", { class: "names" }, ...entries.slice(0, 5).map((entry) => h("li", {}, h("bdi", {}, shown(entry.name)))), entries.length > 5 && h("li", { class: "quiet" }, texts.moreUploads(entries.length - 5)))
          : undefined,
        h("p", {}, hasTrash() ? texts.removeToTrash : entries.some((entry) => entry.isFolder) ? texts.removeFolder : texts.removeFile),
      ],
      act: (form) => {
        const removed: string[] = [];
        return this.each(entries, form, async (entry) => {
          await askingAboutHidden(entry, texts.removeHidden, texts.removeDo, true, (hidden) => remove(join(folder, entry.name), entry, hidden));
          removed.push(join(folder, entry.name));
          this.events.changed(folder, [entry.name], []);
        }, texts.removed, canRestore() ? { label: texts.undo, act: () => void undo(removed, this.events) } : undefined);
      },
    });
  }

  openTrash(): void {
    openTrash(this.events);
  }

  share(entries: Entry[], folder = this.folder): void {
    const links: Link[] = [];
    const isOne = entries.length === 1;
    const heading = isOne ? texts.shareTitle(baseName(entries[0]!.name)) : texts.shareTitleMany(entries.length);
    const times = h("select", { "aria-label": texts.shareFor }, ...texts.shareTimes.map(([seconds, label]) => h("option", { value: seconds }, label)));
    openForm({
      heading, submit: isOne ? texts.shareDo : texts.shareDoMany,
      fields: [h("p", {}, isOne ? texts.shareHint : texts.shareHintMany), h("label", { class: "field" }, texts.shareFor, times)],
      act: ({ signal, progress }) => this.attempt(async () => {
        links.length = 0;
        for (const entry of entries) {
          if (signal.aborted) return;
          if (!isOne) progress(links.length + 1, entries.length);
          links.push(await makeLink(join(folder, entry.name), Number(times.value)));
        }
      }),
      succeeded: () => links.length > 0 && showLinks(heading, links.map(({ url }) => url), texts.shareUntil(dateAndTime(Math.min(...links.map(({ expires }) => expires))))),
    });
  }

  canShareFolder(name: string): boolean {
    return current().folderLinks === true && may("link", name) && (may("write", name) || (may("read", name) && may("list", name)));
  }

  /** Makes a link to a folder. */
  shareFolder(name: string): void {
    const heading = texts.shareTitle(name ? baseName(name) : rootName());
    openFolderLinkForm(heading, may("read", name) && may("list", name), may("write", name), (wish) => this.attempt(async () => {
      const { url, expires } = await makeFolderLink({ ...wish, name });
      showLinks(heading, [url], `${texts.shareOnce} ${texts.shareUntil(dateAndTime(expires))}`);
    }));
  }

  links(): void {
    openLinksDialog(() => this.events.signIn());
  }

  /** Does something to one entry after another until the dialog is closed, and reports the results. */
  private async each(entries: Entry[], { signal, progress }: Running, act: (entry: Entry) => Promise<void>, done: (n: number) => string, offer?: Offer): Promise<undefined> {
    const failures: { entry: Entry; error: ServerError }[] = [];
    let tried = 0;
    for (const entry of entries) {
      if (signal.aborted) break;
      if (entries.length > 1) progress(++tried, entries.length);
      else tried++;
      try {
        await act(entry);
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        if (error.status === 401) {
          this.events.signIn();
          return;
        }
        failures.push({ entry, error });
      }
    }
    if (failures.length < tried) notify(done(tried - failures.length), false, offer);
    const [failure] = failures;
    if (failures.length > 1) notify(`${texts.partly(failures.length, entries.length)} ${failure!.error.message}`, true);
    else if (failure) notify(texts.refused(failure.entry.name, failure.error.message), true);
  }

  /** Returns a sentence if it fails. */
  private async attempt(act: () => Promise<void>, exists: string = texts.errors.taken): Promise<string | undefined> {
    try {
      await act();
      return undefined;
    } catch (error) {
      if (error instanceof InvalidName) return error.message;
      if (!(error instanceof ServerError)) throw error;
      if (error.status === 401) {
        this.events.signIn();
        return undefined;
      }
      return error.status === 405 ? exists : error.message;
    }
  }

  private read(input: HTMLInputElement, folder: string, own?: string): string {
    if (input.value === own) return own;
    const name = input.value.trim();
    if (!name) throw new InvalidName(texts.nameEmpty);
    const problem = name.includes("/") ? texts.names.character("/") : nameProblem(join(folder, name));
    if (problem) throw new InvalidName(problem);
    if (folder === this.folder && this.events.isTaken(name)) throw new InvalidName(texts.nameTaken);
    return name;
  }
}

/** An action that was not begun by a dialog, and runs to its end. */
const withoutDialog = (): Running => ({ signal: new AbortController().signal, progress: () => undefined });

class InvalidName extends Error {}

const moveAsking = (from: string, to: string, entry: Entry): Promise<string | undefined> =>
  askingAboutHidden(entry, texts.moveHidden, texts.moveHiddenDo, false, (hidden) => move(from, to, entry, hidden));

/** Does something to a folder, and once more with the files in it that the server hides, if the user wants that. */
async function askingAboutHidden<T>(entry: Entry, question: (n: number) => string, submit: string, isDanger: boolean, act: (hidden: boolean) => Promise<T>): Promise<T> {
  try {
    return await act(false);
  } catch (error) {
    if (!(error instanceof ServerError) || !error.hidden || !(await agrees(baseName(entry.name), question(error.hidden), submit, isDanger))) throw error;
    return await act(true);
  }
}

/** Asks a question; to close it is a no. */
function agrees(heading: string, question: string, submit: string, isDanger: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = openForm({
      heading, className: "confirm", isDanger, submit, fields: [h("p", {}, question)],
      act: () => (resolve(true), Promise.resolve(undefined)),
    });
    dialog.addEventListener("close", () => resolve(false));
  });
}

/** Without entries in folders that are among them, as a search can find both. */
const withoutContents = (entries: Entry[]): Entry[] => {
  const folders = entries.filter((entry) => entry.isFolder).map((entry) => `${entry.name}/`);
  return entries.filter((entry) => !folders.some((folder) => entry.name.startsWith(folder)));
};

function save(url: string, name: string): void {
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

/** A form, because a URL has no room for many names; into a hidden frame, so that a refusal does not replace the page. */
function saveTogether(url: string, names: string[]): void {
  const frame = h("iframe", { name: "download", hidden: true, title: texts.download });
  const form = h("form", { method: "post", action: url, target: frame.name, hidden: true }, ...names.map((name) => h("input", { name: "only", value: name })));
  document.querySelector("iframe[name=download]")?.remove();
  document.body.append(frame, form);
  // A download loads nothing into the frame; the first load is that of the empty frame itself.
  frame.addEventListener("load", () => {
    const answer = frame.contentDocument?.body.textContent;
    if (answer) notify(errorIn(answer).message, true);
  });
  form.submit();
  form.remove();
}

/** Links in a field, selected, so that they can also be copied by hand. */
function showLinks(heading: string, links: string[], hint: string): void {
  const text = links.join("\n");
  const id = uniqueId("links");
  const all = { id, readonly: true, dir: "ltr" };
  const input = links.length === 1 ? h("input", { ...all, value: text }) : h("textarea", { ...all, rows: 6 }, text);
  const copy = h("button", { type: "button", class: "button primary", click: () => void copyText(text).then((ok) => {
    notify(ok ? texts.copied(links.length) : texts.copyFailed, !ok);
    if (!ok) input.select();
  }) }, icon(icons.copy, 18), texts.copy);
  openDialog({
    className: "form", heading,
    body: h("div", {}, h("div", { class: "field" }, h("label", { for: id }, links.length === 1 ? texts.shareUrl : texts.shareUrls), input), h("p", { class: "quiet small" }, hint), h("div", { class: "dialog-buttons" }, copy)),
  });
  input.select();
  input.focus();
}

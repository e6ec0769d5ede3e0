import { h } from "../../dom.ts";
import { current, may } from "../access.ts";
import { errorIn, makeFolder, makeLink, move, remove, ServerError, urlOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { dateAndTime } from "../format.ts";
import { join } from "../names.ts";
import { texts } from "../texts.ts";
import { copyText } from "./clipboard.ts";
import { field, openDialog, openForm } from "./dialog.ts";
import { icon, icons } from "./icons.ts";
import type { MenuItem } from "./menu.ts";
import { openMoveDialog } from "./moveDialog.ts";
import { notify } from "./notices.ts";

/** Tells the list which changes were made on the server. */
export interface ActionEvents {
  folder(): string;
  chosen(): Entry[];
  changed(removed: string[], added: Entry[]): void;
  open(entry: Entry): void;
  reveal(name: string): void;
  signIn(): void;
  isTaken(name: string): boolean;
}

/** What can be done with files and folders. */
export class Actions {
  constructor(private readonly events: ActionEvents) {}

  get folder(): string {
    return this.events.folder();
  }

  private full = (entry: Entry): string => join(this.folder, entry.name);

  /** The menu of some entries: only what the token may do. */
  menu(entries: Entry[]): MenuItem[] {
    const [first] = entries;
    if (!first) return [];
    const isOne = entries.length === 1;
    const name = this.full(first);
    const canMove = may("write", name) && may("delete", name);
    const items: (MenuItem | false)[] = [
      isOne && (first.isFolder || may("read", name)) && { label: first.isFolder ? texts.open : texts.preview, icon: first.isFolder ? icons.open : icons.preview, act: () => this.events.open(first) },
      this.canDownload(entries) && { label: first.isFolder || (!isOne && this.canArchive) ? texts.downloadZip : texts.download, icon: icons.download, act: () => this.download(entries) },
      isOne && canMove && { label: texts.rename, icon: icons.rename, act: () => this.rename(first) },
      canMove && { label: texts.move, icon: icons.move, act: () => this.move(entries) },
      { label: isOne ? texts.copyLink : texts.copyLinks, icon: icons.link, act: () => void this.copyLinks(entries) },
      isOne && !first.isFolder && may("link", name) && { label: texts.shareLink, icon: icons.share, act: () => this.share(first) },
      may("delete", name) && { label: texts.remove, icon: icons.remove, isDanger: true, act: () => this.remove(entries) },
    ];
    return items.filter((item) => item !== false);
  }

  canDownload(entries: Entry[]): boolean {
    return may("read", this.folder || undefined) && (entries.every((entry) => !entry.isFolder) || this.canArchive);
  }

  get canArchive(): boolean {
    return current().archives !== false && may("read") && may("list");
  }

  download(entries: Entry[]): void {
    const [first] = entries;
    if (entries.length === 1 && first) {
      save(first.isFolder ? `${urlOf(this.full(first), true)}?archive=zip` : urlOf(this.full(first)), first.name);
      return;
    }
    if (this.canArchive) saveTogether(`${urlOf(this.folder, true)}?archive=zip`, entries.map((entry) => entry.name + (entry.isFolder ? "/" : "")));
    // One after another: a browser asks once whether a page may download several files.
    else entries.forEach((entry, at) => setTimeout(() => this.download([entry]), at * 400));
  }

  downloadFolder(): void {
    save(`${urlOf(this.folder, true)}?archive=zip`, "files.zip");
  }

  async copyLinks(entries: Entry[]): Promise<void> {
    const links = entries.map((entry) => new URL(urlOf(this.full(entry), entry.isFolder), location.href).href);
    if (await copyText(links.join("\n"))) notify(texts.copied(links.length));
    else notify(texts.copyFailed, true);
  }

  rename(entry: Entry): void {
    const { element, input } = field(texts.newName, { value: entry.name, autofocus: true, maxlength: 255 });
    openForm({
      heading: texts.renameTitle(entry.name), fields: [element], submit: texts.renameDo,
      act: () => this.attempt(async () => {
        const name = this.read(input, entry.name);
        if (name === entry.name) return;
        await move(this.full(entry), join(this.folder, name), entry.isFolder);
        this.events.changed([entry.name], [{ ...entry, name }]);
        this.events.reveal(name);
        notify(texts.renamed(name));
      }),
    });
    const dot = entry.isFolder ? -1 : entry.name.lastIndexOf(".");
    input.setSelectionRange(0, dot > 0 ? dot : entry.name.length);
  }

  newFolder(): void {
    const { element, input } = field(texts.folderName, { autofocus: true, maxlength: 255 });
    openForm({
      heading: texts.newFolder, fields: [element], submit: texts.newFolderDo,
      act: () => this.attempt(async () => {
        const name = this.read(input);
        await makeFolder(join(this.folder, name));
        this.events.changed([], [{ name, isFolder: true, size: 0, modified: Date.now() }]);
        this.events.reveal(name);
        notify(texts.created(name));
      }, texts.nameTaken),
    });
  }

  move(entries: Entry[]): void {
    openMoveDialog(entries, this.folder, async (to) => {
      await this.each(entries, async (entry) => {
        await move(this.full(entry), join(to, entry.name), entry.isFolder);
        this.events.changed([entry.name], []);
      }, (n) => texts.moved(n, to || texts.files));
    });
  }

  remove(entries: Entry[]): void {
    const [first] = entries;
    if (!first) return;
    openForm({
      heading: texts.removeTitle(entries.length, first.name), className: "confirm", isDanger: true, submit: texts.removeDo,
      fields: [
        entries.length > 1
          ? h("ul", { class: "names" }, ...entries.slice(0, 5).map((entry) => h("li", {}, h("bdi", {}, entry.name))), entries.length > 5 && h("li", { class: "quiet" }, texts.moreUploads(entries.length - 5)))
          : undefined,
        h("p", {}, entries.some((entry) => entry.isFolder) ? texts.removeFolder : texts.removeFile),
      ],
      act: async () => {
        await this.each(entries, async (entry) => {
          await remove(this.full(entry), entry.isFolder);
          this.events.changed([entry.name], []);
        }, texts.removed);
        return undefined;
      },
    });
  }

  share(entry: Entry): void {
    const times = h("select", { "aria-label": texts.shareFor }, ...texts.shareTimes.map(([seconds, label]) => h("option", { value: seconds }, label)));
    openForm({
      heading: texts.shareTitle(entry.name), submit: texts.shareDo,
      fields: [h("p", {}, texts.shareHint), h("label", { class: "field" }, texts.shareFor, times)],
      act: () => this.attempt(async () => {
        const seconds = Number(times.value);
        const url = await makeLink(this.full(entry), seconds);
        queueMicrotask(() => showLink(entry.name, url, Date.now() + seconds * 1000));
      }),
    });
  }

  /** Does something to every entry, and reports the results. */
  private async each(entries: Entry[], act: (entry: Entry) => Promise<void>, done: (n: number) => string): Promise<void> {
    const failures: { entry: Entry; error: ServerError }[] = [];
    for (const entry of entries) {
      try {
        await act(entry);
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        if (error.status === 401) return this.events.signIn();
        failures.push({ entry, error });
      }
    }
    if (failures.length < entries.length) notify(done(entries.length - failures.length));
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

  private read(input: HTMLInputElement, own?: string): string {
    const name = input.value.trim();
    if (!name) throw new InvalidName(texts.nameEmpty);
    if (name.includes("/")) throw new InvalidName(texts.nameSlash);
    if (name !== own && this.events.isTaken(name)) throw new InvalidName(texts.nameTaken);
    return name;
  }
}

class InvalidName extends Error {}

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
  // What is saved loads nothing into the frame; the first load is that of the empty frame itself.
  frame.addEventListener("load", () => {
    const answer = frame.contentDocument?.body.textContent;
    if (answer) notify(errorIn(answer).message, true);
  });
  form.submit();
  form.remove();
}

function showLink(name: string, url: string, until: number): void {
  const { element, input } = field(texts.shareUrl, { value: url, readonly: true, dir: "ltr" });
  const copy = h("button", { type: "button", class: "button primary", click: () => void copyText(url).then((ok) => notify(ok ? texts.copied(1) : texts.copyFailed, !ok)) }, icon(icons.copy, 18), texts.copy);
  openDialog({ className: "form", heading: texts.shareTitle(name), body: h("div", {}, element, h("p", { class: "quiet small" }, texts.shareUntil(dateAndTime(until))), h("div", { class: "dialog-buttons" }, copy)) });
  input.select();
}

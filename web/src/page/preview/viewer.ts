import { h } from "../../dom.ts";
import type { Entry } from "../entries.ts";
import { dateAndTime, exactDate, size } from "../format.ts";
import { join, shown } from "../names.ts";
import { texts } from "../texts.ts";
import { iconButton, openDialog } from "../view/dialog.ts";
import { icon, icons } from "../view/icons.ts";
import { type MenuItem, openMenu } from "../view/menu.ts";
import { announce } from "../view/notices.ts";
import { draw, pictureOf } from "./content.ts";
import { type Editable, Editor } from "./editor.ts";
import { kindOf } from "./kinds.ts";
import { onSwipe } from "./swipe.ts";

/** Larger pictures are not loaded ahead. */
const maxAheadBytes = 32 * 1024 * 1024;

export interface ViewerEvents {
  /** The file before or after this one in the list. */
  neighbour(entry: Entry, step: number): Entry | undefined;
  /** Which file of how many it is; 0 when it is not among them. */
  position(entry: Entry): { at: number; all: number };
  actions(entry: Entry): MenuItem[];
  /** A key that the viewer does nothing with. */
  key(event: KeyboardEvent, entry: Entry): void;
  /** A link in a document leads to another file or folder of the server. */
  follow(url: URL): void;
  canEdit(entry: Entry): boolean;
  /** The file has another content. */
  saved(entry: Entry): void;
  shown(entry: Entry): void;
  closed(entry: Entry): void;
  signIn(): void;
}

/** Shows a file in a dialog, from which the arrow keys and swipes lead to the other files. */
export class Viewer {
  private reading = new AbortController();
  private readonly title = h("h2", { dir: "auto" });
  private readonly meta = h("p", { class: "quiet small" });
  private readonly stage = h("div", { class: "stage" });
  private readonly previous = iconButton(icons.left, texts.previous, () => this.go(-1), "turn");
  private readonly next = iconButton(icons.right, texts.next, () => this.go(1), "turn");
  /** Pictures before and after this one, by their name. */
  private editor: Editor | undefined;
  private ahead = new Map<string, HTMLImageElement>();
  private readonly dialog: HTMLDialogElement;

  constructor(private readonly folder: string, private entry: Entry, private readonly events: ViewerEvents) {
    this.dialog = openDialog({
      className: "preview", heading: h("div", { class: "preview-title" }, this.title, this.meta),
      tools: [this.previous, this.next, this.makeActions()], body: this.stage,
      mayClose: () => {
        if (!this.isDirty) return true;
        this.leave(() => this.close());
        return false;
      },
      closed: () => {
        this.reading.abort();
        this.editor = undefined;
        this.events.closed(this.entry);
      },
    });
    this.dialog.tabIndex = -1;
    this.dialog.addEventListener("keydown", (event) => this.pressed(event));
    onSwipe(this.stage, () => this.stage.matches(".stage-image, .stage-other, .stage-archive"), (step) => this.go(step), (step) => this.neighbour(step) !== undefined);
    this.show();
  }

  get name(): string {
    return this.entry.name;
  }

  close(): void {
    this.dialog.close();
  }

  /** Files were deleted or renamed, or are new. */
  changed(removed: string[], added: Entry[]): void {
    if (!removed.includes(this.entry.name)) return;
    const [renamed] = added;
    const other = renamed && removed.length === 1 ? renamed : this.neighbour(1) ?? this.neighbour(-1);
    if (!other) {
      this.close();
      return;
    }
    this.entry = other;
    this.show(other === renamed && !this.isDirty);
  }

  /** Whether something would be lost. */
  get isDirty(): boolean {
    return this.editor?.isDirty === true;
  }

  /** Goes on, after a question if something would be lost. */
  leave(go: () => void): void {
    if (this.editor) this.editor.leave(go);
    else go();
  }

  private edit(file: Editable): void {
    this.editor = new Editor(file, {
      saved: (tag, bytes) => {
        this.entry = { ...this.entry, tag, size: bytes, modified: Date.now() };
        this.refresh();
        this.events.saved(this.entry);
      },
      left: () => {
        this.show();
        this.dialog.focus();
      },
      signIn: () => this.events.signIn(),
    });
    this.stage.replaceChildren(this.editor.element);
    this.editor.focus();
  }

  private signIn(): void {
    this.close();
    this.events.signIn();
  }

  /** The list was read or arranged again. */
  refresh(): void {
    const { at, all } = this.events.position(this.entry);
    const count = at ? `${texts.position(at, all)} · ` : "";
    this.meta.textContent = `${count}${size(this.entry.size)} · ${dateAndTime(this.entry.modified)}`;
    this.meta.title = exactDate(this.entry.modified);
    this.previous.disabled = !this.neighbour(-1);
    this.next.disabled = !this.neighbour(1);
    // A button that is disabled loses the focus, and with it the keys.
    if (document.activeElement?.matches(":disabled, body")) this.dialog.focus();
  }

  private neighbour(step: number): Entry | undefined {
    return this.events.neighbour(this.entry, step);
  }

  private go(step: number): void {
    this.leave(() => {
      const other = this.neighbour(step);
      if (!other) return;
      this.entry = other;
      this.show();
      announce(`${shown(other.name)}, ${this.meta.textContent}`);
    });
  }

  /** @param isSame Whether only the name is another one: the picture stays. */
  private show(isSame = false): void {
    const { entry, stage } = this;
    this.title.textContent = shown(entry.name);
    this.refresh();
    this.events.shown(entry);
    if (isSame) return;
    this.editor = undefined;
    this.reading.abort();
    this.reading = new AbortController();
    stage.replaceChildren();
    stage.className = `stage stage-${kindOf(entry.name)}`;
    void draw({
      stage, name: join(this.folder, entry.name), entry, picture: this.ahead.get(entry.name), signal: this.reading.signal,
      download: this.events.actions(entry).find((item) => item.icon === icons.download)?.act,
      canEdit: this.events.canEdit(entry),
      editor: (file) => this.edit(file),
      follow: (url) => this.events.follow(url),
      signIn: () => this.signIn(),
    });
    this.loadAhead();
  }

  /** Made once: the focus comes back to a button after its dialog, with which the file may have got another name. */
  private makeActions(): HTMLElement {
    const items = this.events.actions(this.entry);
    const act = ({ icon: picture }: MenuItem) => (): void => this.events.actions(this.entry).find((item) => item.icon === picture)?.act();
    const more = iconButton(icons.more, texts.more, () => openMenu(this.events.actions(this.entry), more));
    more.setAttribute("aria-haspopup", "menu");
    return h("div", { class: "viewer-actions" },
      ...items.filter((item) => item.icon === icons.download).map((item) => h("button", { type: "button", class: "button", click: act(item) }, icon(item.icon, 18), item.label)),
      ...items.filter((item) => [icons.share, icons.rename, icons.remove].includes(item.icon)).map((item) => iconButton(item.icon, item.label, act(item), "wide-only")),
      items.length > 0 && more);
  }

  private loadAhead(): void {
    const { saveData } = (navigator as { connection?: { saveData?: boolean } }).connection ?? {};
    const wanted = [this.neighbour(1), this.neighbour(-1)].filter((entry) => entry !== undefined && kindOf(entry.name) === "image" && entry.size <= maxAheadBytes && !saveData) as Entry[];
    this.ahead = new Map(wanted.map(({ name }) => [name, this.ahead.get(name) ?? pictureOf(join(this.folder, name))]));
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (event.defaultPrevented || target instanceof HTMLMediaElement || target.closest("[role=menu], textarea")) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (this.stage.contains(document.activeElement) && this.stage.scrollWidth > this.stage.clientWidth) return;
      event.preventDefault();
      this.go((event.key === "ArrowRight") === (getComputedStyle(this.dialog).direction === "ltr") ? 1 : -1);
    } else this.events.key(event, this.entry);
  }
}

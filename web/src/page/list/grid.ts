import { mayLookAhead } from "../access.ts";
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import { h } from "../../dom.ts";
import type { Arrangement, Entry, SortKey } from "../entries.ts";
import { exactDate } from "../format.ts";
import { Thumbnails } from "../photos/thumbnails.ts";
import { texts } from "../texts.ts";
import { icon, icons } from "../view/icons.ts";
import type { View } from "./folderSettings.ts";
import type { Listing } from "./listing.ts";
import { makeRow } from "./row.ts";
import { Selection } from "./selection.ts";

const overscanRows = 10;
const overscanTiles = 2;
/** The maximum of printed rows: a hundred pages. */
const maxPrinted = 5000;
const narrow = matchMedia("(max-width: 40rem)");
/** CSS pixels: rows grow with the text size that was chosen in the browser. */
let rem = 16;
const rowHeight = (): number => (narrow.matches ? 3.75 : 2.75) * rem;
/** Of tiles there are as many beside one another as have this width, and their pictures are 4 to 3. */
const tileWidth = (): number => (narrow.matches ? 6.5 : 10.5) * rem;
const captionHeight = (): number => 2.5 * rem;

export interface GridEvents {
  open(entry: Entry): void;
  menu(anchor: Element, point?: { x: number; y: number }): void;
  selected(): void;
  sort(key: SortKey): void;
  /** A key that the grid itself does nothing with. */
  key(event: KeyboardEvent): void;
  hasMenu(): boolean;
}

/** The list of files: only the rows near the screen exist. One row has the focus; it exists wherever it is. */
export class Grid {
  readonly selection = new Selection((row) => this.listing.at(row)?.name, (name) => this.listing.rowOf(name));
  private readonly body = h("div", { role: "rowgroup", class: "rows" });
  private readonly heads = new Map<SortKey, HTMLElement>();
  private readonly all = h("input", { type: "checkbox", "aria-label": texts.selectAll, change: () => this.toggleAll() });
  private readonly rows = new Map<number, HTMLElement>();
  /** The data that the rows were made from. */
  private readonly made = new WeakMap<HTMLElement, Entry>();
  private madeFor = "";
  private readonly virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  private focused = 0;
  private focusedName: string | undefined;
  private filter = "";
  private isPrinting = false;
  private view: View = "list";
  /** Entries beside one another, and what each of them takes in CSS pixels. */
  private columns = 1;
  private cell = { width: 0, height: 0 };
  private width = 0;
  private readonly thumbnails = new Thumbnails();
  readonly grid = h("div", { role: "grid", class: "grid", id: "list", "aria-label": texts.list, "aria-multiselectable": "true" });
  readonly element = h("div", { class: "list" }, this.grid);

  constructor(private readonly listing: Listing, private readonly events: GridEvents) {
    this.grid.append(this.makeHead(), this.body);
    this.virtualizer = new Virtualizer<HTMLElement, HTMLElement>({
      ...this.options(), getScrollElement: () => this.element,
    } as ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0]);
    this.body.addEventListener("click", (event) => this.clicked(event));
    this.body.addEventListener("dblclick", (event) => {
      const entry = this.listing.at(this.rowAt(event.target));
      if (entry && !(event.target as Element).closest("input, button, a")) this.events.open(entry);
    });
    this.body.addEventListener("contextmenu", (event) => {
      const at = this.rowAt(event.target);
      if (at < 0 || (event.target as Element).closest("a") || !this.events.hasMenu()) return;
      event.preventDefault();
      this.focusRow(at);
      this.selectForMenu(at);
      this.events.menu(this.rows.get(at)!, { x: event.clientX, y: event.clientY });
    });
    this.body.addEventListener("keydown", (event) => this.pressed(event));
    this.body.addEventListener("pointerover", ({ target }) => {
      if (target instanceof HTMLTimeElement) target.title = exactDate(Date.parse(target.dateTime));
    });
    this.body.addEventListener("focusin", (event) => {
      const at = this.rowAt(event.target);
      if (at >= 0) this.setFocused(at);
    });
    narrow.addEventListener("change", () => this.shape());
    // It also reports the size that the list begins with.
    new ResizeObserver(() => this.view === "tiles" && this.element.clientWidth !== this.width && this.shape()).observe(this.element);
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  /** Once the element is in the document. */
  mount(): void {
    rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.measure();
    this.virtualizer._didMount();
    this.virtualizer._willUpdate();
  }

  /** As rows of a list, or as tiles with pictures. */
  show(view: View): void {
    if (view === this.view) return;
    this.view = view;
    this.grid.classList.toggle("tiles", view === "tiles");
    this.shape();
    this.scrollTo(this.focused);
  }

  /** Forgets the pictures that it made. */
  forgetPictures(): void {
    this.thumbnails.clear();
  }

  get focusedEntry(): Entry | undefined {
    return this.listing.at(this.focused);
  }

  /** The entries for an action: the selected ones, or else the focused one. */
  get chosen(): Entry[] {
    const focused = this.focusedEntry;
    return this.selection.size ? this.selectedEntries : focused ? [focused] : [];
  }

  get selectedEntries(): Entry[] {
    const entries: Entry[] = [];
    for (let row = 0; row < this.listing.length && entries.length < this.selection.size; row++) {
      const entry = this.listing.at(row)!;
      if (this.selection.has(entry.name)) entries.push(entry);
    }
    return entries;
  }

  /** The entries or their order have changed. Rows that would be the same stay. */
  refresh(arrangement: Arrangement): void {
    this.filter = arrangement.filter;
    this.grid.setAttribute("aria-rowcount", String(this.listing.complete ? this.listing.length + 1 : -1));
    for (const [key, head] of this.heads) {
      head.setAttribute("aria-sort", key !== arrangement.sort ? "none" : arrangement.descending ? "descending" : "ascending");
    }
    if (this.focusedName !== undefined && this.listing.at(this.focused)?.name !== this.focusedName) {
      const row = this.listing.rowOf(this.focusedName);
      this.focused = row >= 0 ? row : Math.max(0, Math.min(this.focused, this.listing.length - 1));
    }
    const hadFocus = this.body.contains(document.activeElement);
    const madeFor = `${this.listing.folder}\n${this.filter}`;
    this.removeRows((at, row) => madeFor !== this.madeFor || !isSame(this.made.get(row)!, this.listing.at(at)));
    this.madeFor = madeFor;
    for (const [at, row] of this.rows) {
      row.tabIndex = at === this.focused ? 0 : -1;
      this.made.set(row, this.listing.at(at)!);
    }
    this.measure();
    this.draw();
    if (hadFocus && !this.body.contains(document.activeElement)) this.rows.get(this.focused)?.focus({ preventScroll: true });
  }

  /** To the top, or to the entry that was left: the folder that one comes back from. */
  reset(name?: string): void {
    this.selection.clear();
    this.focusedName = name;
    this.focused = 0;
    this.element.scrollTop = 0;
    this.events.selected();
  }

  /** Leaves room below the last row for what lies over the list, so that it can be scrolled free. */
  cover(panel: HTMLElement): void {
    const covered = panel.offsetHeight && Math.max(0, this.element.getBoundingClientRect().bottom - panel.getBoundingClientRect().top);
    this.element.style.paddingBottom = `${covered}px`;
  }

  focus(): void {
    this.focusRow(this.focused);
  }

  focusName(name: string): void {
    const row = this.listing.rowOf(name);
    if (row >= 0) this.focusRow(row);
  }

  entryOf(row: Element): Entry | undefined {
    return this.listing.at(this.rowAt(row));
  }

  /** The entries that an action on a row is about. The row has the focus then, with which it exists wherever it is. */
  taken(row: Element): Entry[] {
    const entry = this.entryOf(row);
    if (!entry) return [];
    this.setFocused(this.rowAt(row));
    return this.selection.has(entry.name) ? this.selectedEntries : [entry];
  }

  showSelection(): void {
    for (const [at, row] of this.rows) {
      const isSelected = this.selection.has(this.listing.at(at)?.name ?? "");
      row.setAttribute("aria-selected", String(isSelected));
      row.querySelector("input")!.checked = isSelected;
    }
    this.all.checked = this.selection.size > 0 && this.selection.size >= this.listing.length;
    this.all.indeterminate = this.selection.size > 0 && !this.all.checked;
    this.events.selected();
  }

  private options() {
    return {
      count: Math.ceil(this.listing.length / this.columns), estimateSize: () => this.cell.height, overscan: this.view === "tiles" ? overscanTiles : overscanRows, observeElementRect, observeElementOffset, scrollToFn: elementScroll,
      onChange: () => this.draw(),
    };
  }

  private makeHead(): HTMLElement {
    const column = (key: SortKey, label: string): HTMLElement => {
      const head = h("div", { role: "columnheader", class: `cell-${key === "modified" ? "date" : key}`, "aria-sort": "none" },
        h("button", { type: "button", class: "sort-head", click: () => this.events.sort(key) }, label, icon(icons.up, 15)));
      this.heads.set(key, head);
      return head;
    };
    return h("div", { role: "rowgroup", class: "head" }, h("div", { role: "row", class: "row", "aria-rowindex": 1 },
      h("div", { role: "columnheader", class: "cell-check" }, this.all),
      column("name", texts.name), column("size", texts.size), column("modified", texts.modified),
      h("div", { role: "columnheader", class: "cell-more" }, h("span", { class: "unseen" }, texts.actions))));
  }

  /** The size of the cells has changed, or that of the list. */
  private shape(): void {
    const first = this.element.scrollTop / (this.cell.height || 1) * this.columns;
    this.removeRows(() => true);
    this.measure();
    this.element.scrollTop = Math.floor(first / this.columns) * this.cell.height;
    this.draw();
  }

  private measure(): void {
    const isTiles = this.view === "tiles";
    this.width = this.element.clientWidth;
    this.columns = isTiles ? Math.max(2, Math.floor(this.width / tileWidth())) : 1;
    const width = this.width / this.columns;
    this.cell = { width, height: isTiles ? Math.round(width * 3 / 4 + captionHeight()) : rowHeight() };
    this.virtualizer.setOptions({ ...this.virtualizer.options, ...this.options() } as typeof this.virtualizer.options);
    this.virtualizer.measure();
  }

  private draw(): void {
    if (this.isPrinting) return;
    this.virtualizer._willUpdate();
    const { columns, cell: { width, height } } = this;
    const isTiles = this.view === "tiles";
    this.body.style.height = `${Math.ceil(this.listing.length / columns) * height}px`;
    const wanted = new Set<number>();
    for (const { index } of this.virtualizer.getVirtualItems()) {
      for (let at = index * columns; at < Math.min((index + 1) * columns, this.listing.length); at++) wanted.add(at);
    }
    if (this.focused < this.listing.length) wanted.add(this.focused);
    this.removeRows((at) => !wanted.has(at));
    for (const at of [...wanted].sort((a, b) => a - b)) {
      const entry = this.listing.at(at);
      if (!entry || this.rows.has(at)) continue;
      const row = makeRow(entry, this.listing.folder, at, this.filter, this.selection.has(entry.name), this.events.hasMenu(), isTiles);
      row.style.transform = `translateY(${Math.floor(at / columns) * height}px)`;
      if (isTiles) Object.assign(row.style, { width: `${width}px`, height: `${height}px`, insetInlineStart: `${at % columns * width}px` });
      if (at === this.focused) row.tabIndex = 0;
      this.rows.set(at, row);
      this.made.set(row, entry);
      this.insert(at, row);
    }
    if (!isTiles) return;
    this.thumbnails.moved();
    const { startIndex, endIndex } = this.virtualizer.range ?? { startIndex: 0, endIndex: 0 };
    const isOnScreen = ([at]: [number, HTMLElement]): boolean => at >= startIndex * columns && at < (endIndex + 1) * columns;
    for (const [at, row] of [...this.rows].sort((a, b) => Number(isOnScreen(b)) - Number(isOnScreen(a)))) {
      const entry = this.listing.at(at);
      // Entries that the server sent with the page have no version yet: the same pictures would be made twice.
      if (!entry || !mayLookAhead()) continue;
      if (entry.tag !== undefined || this.listing.complete) this.thumbnails.show(row.querySelector(".thumb")!, entry, this.listing.folder);
      else this.thumbnails.expect(entry);
    }
  }

  private removeRows(isOld: (at: number, row: HTMLElement) => boolean): void {
    for (const [at, row] of this.rows) {
      if (!isOld(at, row)) continue;
      const picture = row.querySelector<HTMLElement>(".thumb");
      if (picture) this.thumbnails.hide(picture);
      row.remove();
      this.rows.delete(at);
    }
  }

  /** In the order of the list, which is the one in which screen readers read. */
  private insert(at: number, row: HTMLElement): void {
    let next: HTMLElement | undefined;
    let best = Infinity;
    for (const [other, element] of this.rows) {
      if (other > at && other < best && element.parentNode) {
        best = other;
        next = element;
      }
    }
    this.body.insertBefore(row, next ?? null);
  }

  private rowAt(target: EventTarget | null): number {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-at]") : null;
    return row ? Number(row.dataset.at) : -1;
  }

  private setFocused(row: number): void {
    this.rows.get(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = row;
    this.focusedName = this.listing.at(row)?.name;
    this.rows.get(row)?.setAttribute("tabindex", "0");
  }

  private focusRow(row: number): void {
    if (this.listing.length === 0) return;
    const at = Math.max(0, Math.min(row, this.listing.length - 1));
    this.setFocused(at);
    this.scrollTo(at);
    this.draw();
    this.setFocused(at);
    this.rows.get(at)?.focus({ preventScroll: true });
    // On a low screen the page scrolls, too.
    this.element.scrollIntoView({ block: "nearest" });
  }

  private scrollTo(at: number): void {
    const { height } = this.cell;
    const head = this.body.offsetTop;
    const { scrollTop, clientHeight } = this.element;
    const top = Math.floor(at / this.columns) * height;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + height > scrollTop + clientHeight - head) this.element.scrollTop = top + height - clientHeight + head;
    else return;
    // The virtualizer hears of it with the next frame; the row is to be focused now.
    this.virtualizer.scrollOffset = this.element.scrollTop;
  }

  private clicked(event: MouseEvent): void {
    const at = this.rowAt(event.target);
    const entry = this.listing.at(at);
    if (!entry) return;
    const target = event.target as Element;
    const isRange = event.shiftKey;
    const isToggle = event.ctrlKey || event.metaKey;
    if (target.closest(".more")) {
      this.setFocused(at);
      this.selectForMenu(at);
      this.events.menu(target.closest(".more")!);
    } else if (target.closest("a") && !isRange && !isToggle) {
      event.preventDefault();
      this.setFocused(at);
      this.events.open(entry);
    } else if (!(target.closest("a") && isToggle)) {
      if (target.closest("a")) event.preventDefault();
      if (isRange) this.selection.extendTo(at);
      else if (isToggle || target.closest(".cell-check")) this.selection.toggle(at);
      else {
        const isOnly = this.selection.size === 1 && this.selection.has(entry.name);
        this.selection.clear();
        if (!isOnly) this.selection.toggle(at);
      }
      this.showSelection();
      this.focusRow(at);
    }
  }

  /** A menu of a row that is not selected is about this row alone. */
  private selectForMenu(at: number): void {
    if (this.selection.size === 0 || this.selection.has(this.listing.at(at)?.name ?? "")) return;
    this.selection.clear();
    this.showSelection();
  }

  private toggleAll(): void {
    if (this.all.checked) this.selection.selectAll(this.listing.length);
    else this.selection.clear();
    this.showSelection();
  }

  private pressed(event: KeyboardEvent): void {
    if (event.target instanceof HTMLElement && event.target.getAttribute("role") !== "row") return;
    const { columns } = this;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.cell.height) - (columns > 1 ? 1 : 2)) * columns;
    // From the last full row of tiles, down is to the last tile.
    const down = Math.min(this.focused + columns, Math.max(this.focused, this.listing.length - 1));
    const side = columns === 1 ? 0 : getComputedStyle(this.grid).direction === "ltr" ? 1 : -1;
    const moves: Record<string, number> = {
      ...(side ? { ArrowRight: this.focused + side, ArrowLeft: this.focused - side } : {}),
      ArrowDown: down, ArrowUp: this.focused < columns ? this.focused : this.focused - columns, Home: 0, End: this.listing.length - 1, PageDown: this.focused + page, PageUp: this.focused - page,
    };
    const to = event.altKey ? undefined : moves[event.key];
    const entry = this.focusedEntry;
    const isControl = event.ctrlKey || event.metaKey;
    if (to !== undefined) {
      if (event.shiftKey) {
        if (this.selection.size === 0) this.selection.anchor = undefined;
        this.selection.extendTo(Math.max(0, Math.min(to, this.listing.length - 1)), this.focused);
        this.showSelection();
      }
      this.focusRow(to);
    } else if (event.key === " " && !isControl) {
      if (event.shiftKey) this.selection.extendTo(this.focused);
      else this.selection.toggle(this.focused);
      this.showSelection();
    } else if (event.key.toLowerCase() === "a" && isControl) {
      this.selection.selectAll(this.listing.length);
      this.showSelection();
    } else if (event.key === "Enter" && entry && !isControl) this.events.open(entry);
    else if ((event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) && this.events.hasMenu()) {
      this.selectForMenu(this.focused);
      this.events.menu(this.rows.get(this.focused)!.querySelector(".more")!);
    } else {
      this.events.key(event);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** On paper, all rows exist. */
  private print(isPrinting: boolean): void {
    this.isPrinting = isPrinting;
    this.removeRows(() => true);
    this.grid.classList.toggle("tiles", this.view === "tiles" && !isPrinting);
    if (!isPrinting) {
      this.draw();
      return;
    }
    this.body.style.height = "auto";
    for (let at = 0; at < Math.min(this.listing.length, maxPrinted); at++) {
      const row = makeRow(this.listing.at(at)!, this.listing.folder, at, "", false, false);
      this.rows.set(at, row);
      this.body.append(row);
    }
  }
}

const isSame = (a: Entry, b: Entry | undefined): boolean =>
  a.name === b?.name && a.size === b.size && a.modified === b.modified && a.isFolder === b.isFolder;

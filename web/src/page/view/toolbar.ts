import { h } from "../../dom.ts";
import type { Arrangement, SortKey } from "../entries.ts";
import type { View } from "../list/folderSettings.ts";
import { texts } from "../texts.ts";
import { iconButton } from "./dialog.ts";
import { icon, icons } from "./icons.ts";
import { type MenuItem, openMenu } from "./menu.ts";

export interface ToolbarEvents {
  arrange(arrangement: Arrangement): void;
  show(view: View): void;
  toList(): void;
  refresh(): void;
  uploadFiles(): void;
  uploadFolder(): void;
  newFolder(): void;
  downloadFolder(): void;
  countSize(): void;
  shareFolder(): void;
  links(): void;
  openTrash(): void;
  can(): { upload: boolean; makeFolder: boolean; archive: boolean; list: boolean; trash: boolean; share: boolean; links: boolean };
  clearSelection(): void;
  chosenMenu(): MenuItem[];
}

/** Wait until typing pauses: each change sends 400 KB of order for 100,000 files. */
const typingMs = 60;

/** Filter, order and the folder's actions; or, while entries are selected, their actions. */
export class Toolbar {
  private readonly search = h("input", {
    type: "search", id: "filter", placeholder: texts.filter, "aria-label": texts.filter, autocomplete: "off", spellcheck: "false", "aria-keyshortcuts": "/",
    input: () => this.typed(), keydown: (event: KeyboardEvent) => this.pressed(event),
  });
  private readonly clear = iconButton(icons.close, texts.clearFilter, () => this.clearFilter(), "clear");
  private readonly sort = h("select", { "aria-label": texts.sort, class: "sort-select", change: () => this.events.arrange({ ...this.arrangement, sort: this.sort.value as SortKey }) },
    ...Object.entries(texts.sortedBy).map(([key, label]) => h("option", { value: key }, label)));
  private readonly reverse = iconButton(icons.up, texts.reverse, () => this.events.arrange({ ...this.arrangement, descending: !this.arrangement.descending }), "reverse");
  private view: View = "list";
  private readonly viewButton = iconButton(icons.tiles, texts.asTiles, () => this.events.show(this.view === "list" ? "tiles" : "list"), "view");
  private readonly buttons = h("div", { class: "tool-buttons" });
  private readonly chosen = h("div", { class: "chosen", role: "toolbar", "aria-label": texts.actions, hidden: true });
  private readonly tools = h("div", { class: "tools" },
    h("div", { class: "search" }, icon(icons.search, 18), this.search, this.clear), h("div", { class: "sorting" }, this.sort, this.reverse, this.viewButton), this.buttons);
  private timer = 0;
  readonly element = h("div", { class: "toolbar" }, this.tools, this.chosen);

  constructor(private arrangement: Arrangement, private readonly events: ToolbarEvents) {
    this.clear.hidden = true;
  }

  /** Shows how the list is arranged; the filter of another folder is forgotten, also one that was typed a moment ago. */
  show(arrangement: Arrangement, isOther = false): void {
    this.arrangement = arrangement;
    if (isOther) this.wait(0);
    if (!this.timer && document.activeElement !== this.search) this.search.value = arrangement.filter;
    this.clear.hidden = this.search.value === "";
    this.sort.value = arrangement.sort;
    this.reverse.replaceChildren(icon(arrangement.descending ? icons.down : icons.up));
  }

  showView(view: View): void {
    this.view = view;
    const label = view === "list" ? texts.asTiles : texts.asList;
    this.viewButton.replaceChildren(icon(view === "list" ? icons.tiles : icons.list));
    this.viewButton.ariaLabel = this.viewButton.title = label;
    this.element.classList.toggle("of-tiles", view === "tiles");
  }

  /** After signing in, and in another folder: its actions. */
  showButtons(): void {
    const { upload, makeFolder, archive, list, trash, share, links } = this.events.can();
    const more: MenuItem[] = [
      ...(upload ? [{ label: texts.uploadFolder, icon: icons.folderUp, act: () => this.events.uploadFolder() }] : []),
      ...(archive ? [{ label: texts.downloadFolder, icon: icons.download, act: () => this.events.downloadFolder() }] : []),
      ...(share ? [{ label: texts.shareThisFolder, icon: icons.share, act: () => this.events.shareFolder() }] : []),
      ...(links ? [{ label: texts.links, icon: icons.link, act: () => this.events.links() }] : []),
      ...(list ? [{ label: texts.countSize, icon: icons.size, act: () => this.events.countSize() }, { label: texts.refresh, icon: icons.refresh, act: () => this.events.refresh() }] : []),
      ...(trash ? [{ label: texts.openTrash, icon: icons.trash, act: () => this.events.openTrash() }] : []),
    ];
    const moreButton = iconButton(icons.more, texts.more, () => openMenu(more, moreButton), "bordered");
    moreButton.setAttribute("aria-haspopup", "menu");
    this.buttons.replaceChildren(
      ...(makeFolder ? [labelled(icons.add, texts.newFolder, () => this.events.newFolder(), "")] : []),
      ...(upload ? [labelled(icons.upload, texts.upload, () => this.events.uploadFiles(), "primary")] : []),
      ...(more.length ? [moreButton] : []));
    this.element.classList.toggle("no-list", !list);
  }

  showChosen(count: number): void {
    const was = this.chosen.hidden;
    this.chosen.hidden = count === 0;
    // Covered, not removed: the list must not move under the finger that selects.
    this.tools.classList.toggle("covered", count > 0);
    if (count === 0) {
      if (!was && this.chosen.contains(document.activeElement)) this.events.toList();
      this.chosen.replaceChildren();
      return;
    }
    const items = this.events.chosenMenu();
    const more = iconButton(icons.more, texts.more, () => openMenu(items, more), "narrow-only");
    more.setAttribute("aria-haspopup", "menu");
    this.chosen.replaceChildren(
      iconButton(icons.close, texts.clearSelection, () => this.events.clearSelection()), h("p", { role: "status" }, texts.selected(count)),
      h("div", { class: "tool-buttons" }, ...items.map((item) => labelled(item.icon, item.label, item.act, item.isDanger ? "danger" : "")), more));
  }

  focusFilter(): void {
    if (!this.chosen.hidden) this.events.clearSelection();
    this.search.focus();
    this.search.select();
  }

  clearFilter(): void {
    this.search.value = "";
    this.typed();
    this.search.focus();
  }

  private typed(): void {
    this.clear.hidden = this.search.value === "";
    this.wait(window.setTimeout(() => {
      this.timer = 0;
      this.events.arrange({ ...this.arrangement, filter: this.search.value.trim() });
    }, typingMs));
  }

  private wait(timer: number): void {
    clearTimeout(this.timer);
    this.timer = timer;
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.search.value) {
      event.preventDefault();
      this.clearFilter();
    } else if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      this.events.toList();
    }
  }
}

const labelled = (picture: typeof icons.add, label: string, click: () => void, className: string): HTMLElement =>
  h("button", { type: "button", class: `button ${className}`, title: label, click }, icon(picture, 18), h("span", {}, label));

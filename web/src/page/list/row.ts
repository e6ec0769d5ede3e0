import { h } from "../../dom.ts";
import { urlOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { date, size } from "../format.ts";
import { join, shown } from "../names.ts";
import { texts } from "../texts.ts";
import { isolated } from "../view/dialog.ts";
import { entryIcon, icon, icons } from "../view/icons.ts";

/** Every row is a copy of it. */
const blank = h("div", { role: "row", class: "row", tabindex: -1 },
  h("div", { role: "gridcell", class: "cell-check" }, h("input", { type: "checkbox", tabindex: -1 })),
  h("div", { role: "gridcell", class: "cell-name" }, h("a", { tabindex: -1, draggable: "false" }, isolated(""))),
  h("div", { role: "gridcell", class: "cell-size" }),
  h("div", { role: "gridcell", class: "cell-date" }, h("time")),
  h("div", { role: "gridcell", class: "cell-more" },
    h("button", { type: "button", class: "icon-button more", tabindex: -1, "aria-haspopup": "menu" }, icon(icons.more))));

/** A row of the grid. Its buttons are for the pointer; the keyboard works on the row itself. */
export function makeRow(entry: Entry, folder: string, at: number, filter: string, isSelected: boolean, hasMenu: boolean, isTile = false): HTMLElement {
  const row = blank.cloneNode(true) as HTMLElement;
  const [check, name, bytes, modified, more] = row.children as unknown as [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement];
  row.setAttribute("aria-rowindex", String(at + 2));
  row.setAttribute("aria-selected", String(isSelected));
  row.dataset.at = String(at);
  const box = check.firstElementChild as HTMLInputElement;
  box.checked = isSelected;
  box.setAttribute("aria-label", texts.select(entry.name));
  const link = name.firstElementChild as HTMLAnchorElement;
  link.href = urlOf(join(folder, entry.name), entry.isFolder);
  link.title = shown(entry.name);
  link.firstElementChild!.append(...marked(shown(entry.name), filter));
  // In a tile, the picture is a part of the link, as large as the tile.
  if (isTile) link.prepend(h("span", { class: "thumb" }, entryIcon(entry)));
  else name.prepend(entryIcon(entry));
  bytes.append(entry.isFolder ? h("span", { "aria-label": texts.folder }, "–") : size(entry.size));
  const time = modified.firstElementChild as HTMLTimeElement;
  time.dateTime = new Date(entry.modified).toISOString();
  time.textContent = date(entry.modified);
  if (hasMenu) more.firstElementChild!.setAttribute("aria-label", texts.actionsFor(entry.name));
  else more.replaceChildren();
  return row;
}

/** The name with the parts that the filter found. */
function marked(name: string, filter: string): (Node | string)[] {
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const folded = name.toLocaleLowerCase();
  if (words.length === 0 || folded.length !== name.length) return [name];
  const parts: (Node | string)[] = [];
  let from = 0;
  while (from < name.length) {
    const hits = words.map((word) => ({ at: folded.indexOf(word, from), length: word.length })).filter((hit) => hit.at >= 0);
    if (hits.length === 0) break;
    const hit = hits.reduce((best, one) => (one.at < best.at || (one.at === best.at && one.length > best.length) ? one : best));
    if (hit.at > from) parts.push(name.slice(from, hit.at));
    parts.push(h("mark", {}, name.slice(hit.at, hit.at + hit.length)));
    from = hit.at + hit.length;
  }
  return [...parts, name.slice(from)];
}

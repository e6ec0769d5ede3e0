import { h } from "../../dom.ts";
import { urlOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { date, exactDate, size } from "../format.ts";
import { join } from "../names.ts";
import { texts } from "../texts.ts";
import { isolated } from "../view/dialog.ts";
import { entryIcon, icon, icons } from "../view/icons.ts";

/** A row of the grid. Its buttons are for the pointer; the keyboard works on the row itself. */
export function makeRow(entry: Entry, folder: string, at: number, filter: string, isSelected: boolean, hasMenu: boolean): HTMLElement {
  const name = isolated("");
  name.append(...marked(entry.name, filter));
  const row = h("div", { role: "row", class: "row", tabindex: -1, "aria-rowindex": at + 2, "aria-selected": String(isSelected) },
    h("div", { role: "gridcell", class: "cell-check" },
      h("input", { type: "checkbox", tabindex: -1, "aria-label": texts.select(entry.name), ...(isSelected ? { checked: true } : {}) })),
    h("div", { role: "gridcell", class: "cell-name" }, entryIcon(entry),
      h("a", { href: urlOf(join(folder, entry.name), entry.isFolder), tabindex: -1, draggable: "false", title: entry.name }, name)),
    h("div", { role: "gridcell", class: "cell-size" }, entry.isFolder ? h("span", { "aria-label": texts.folder }, "–") : size(entry.size)),
    h("div", { role: "gridcell", class: "cell-date" }, h("time", { datetime: new Date(entry.modified).toISOString(), title: exactDate(entry.modified) }, date(entry.modified))),
    h("div", { role: "gridcell", class: "cell-more" },
      hasMenu && h("button", { type: "button", class: "icon-button more", tabindex: -1, "aria-label": texts.actionsFor(entry.name), "aria-haspopup": "menu" }, icon(icons.more))));
  row.dataset.at = String(at);
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

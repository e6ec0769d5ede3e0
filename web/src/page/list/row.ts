import { h } from "../../dom.ts";
import { urlOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { date, size } from "../format.ts";
import { foldWithPlaces, wordsOf } from "../fold.ts";
import { baseName, join, parentOf, shown } from "../names.ts";
import { texts } from "../texts.ts";
import { isolated } from "../view/dialog.ts";
import { entryIcon, icon, icons } from "../view/icons.ts";

/** Every row is a copy of it. */
const blank = h("div", { role: "row", class: "row", tabindex: -1 },
  h("div", { role: "gridcell", class: "cell-check" }, h("input", { type: "checkbox", tabindex: -1 })),
  h("div", { role: "gridcell", class: "cell-name" }, h("a", { tabindex: -1, draggable: "false" }, isolated(""))),
  h("div", { role: "gridcell", class: "cell-size" }),
  h("div", { role: "gridcell", class: "cell-date" }, h("time", { dir: "ltr" })),
  h("div", { role: "gridcell", class: "cell-more" },
    h("button", { type: "button", class: "icon-button more", tabindex: -1, "aria-haspopup": "menu" }, icon(icons.more))));

/** A row of the grid. Its buttons are for the pointer; the keyboard works on the row itself. */
export function makeRow(entry: Entry, folder: string, at: number, filter: string, isSelected: boolean, hasMenu: boolean, isTile = false): HTMLElement {
  const row = blank.cloneNode(true) as HTMLElement;
  const ownName = shown(baseName(entry.name));
  const where = shown(parentOf(entry.name));
  const [check, name, bytes, modified, more] = row.children as unknown as [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement];
  row.setAttribute("aria-rowindex", String(at + 2));
  row.setAttribute("aria-selected", String(isSelected));
  row.dataset.at = String(at);
  const box = check.firstElementChild as HTMLInputElement;
  box.checked = isSelected;
  box.setAttribute("aria-label", texts.select(ownName));
  const link = name.firstElementChild as HTMLAnchorElement;
  link.href = urlOf(join(folder, entry.name), entry.isFolder);
  link.title = shown(entry.name);
  const label = inTwo(ownName, filter, isTile ? shortInTile : shortName);
  link.firstElementChild!.append(...label);
  // Screen readers would put a space between the parts.
  if (where) link.setAttribute("aria-label", texts.nameIn(ownName, where));
  else if (label[1] instanceof HTMLElement && label[1].className === "end") link.setAttribute("aria-label", ownName);
  if (where && !isTile) name.append(h("span", { class: "where quiet small", "aria-hidden": "true", title: where }, isolated(where)));
  // In a tile, the picture is a part of the link, as large as the tile.
  if (isTile) link.prepend(h("span", { class: "thumb" }, entryIcon(entry)));
  else name.prepend(entryIcon(entry));
  bytes.append(entry.isFolder ? h("span", { "aria-label": texts.folder }, "–") : size(entry.size));
  const time = modified.firstElementChild as HTMLTimeElement;
  time.dateTime = new Date(entry.modified).toISOString();
  time.textContent = date(entry.modified);
  if (hasMenu) more.firstElementChild!.setAttribute("aria-label", texts.actionsFor(ownName));
  else more.replaceChildren();
  return row;
}

/** Letters of a name that fits into every row, and the letters before the extension that stay when a longer name is shortened. */
const shortName = 18;
const shortInTile = 9;
const keptLetters = 5;
const maxEnd = 14;
/** Letters that are written in another form where a word is cut. */
const joining = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Thai}]/u;

/** A name whose middle gives way where there is too little room, so that "IMG_0042.jpg" keeps its number and its extension. */
function inTwo(name: string, filter: string, short: number): (Node | string)[] {
  const dot = name.lastIndexOf(".");
  const end = dot > 0 && name.length - dot <= maxEnd - keptLetters ? dot : name.length;
  let cut = joining.test(name) ? end : end - keptLetters;
  // Neither in a pair of surrogates nor before what belongs to the letter before it.
  while (cut > 0 && cut < name.length && /^(?:[\udc00-\udfff]|\p{M}|\u200d)/u.test(name.slice(cut))) cut--;
  if (name.length <= short || cut <= 0 || cut >= name.length) return marked(name, filter);
  const start = h("span", { class: "start" });
  const rest = h("span", { class: "end" });
  let at = 0;
  for (const part of marked(name, filter)) {
    const text = typeof part === "string" ? part : part.textContent!;
    const put = (piece: string, into: HTMLElement): void => piece ? into.append(typeof part === "string" ? piece : h("mark", {}, piece)) : undefined;
    const before = Math.max(0, Math.min(text.length, cut - at));
    put(text.slice(0, before), start);
    put(text.slice(before), rest);
    at += text.length;
  }
  return [start, rest];
}

/** The name with the parts that the filter found. */
function marked(name: string, filter: string): (Node | string)[] {
  const words = wordsOf(filter);
  if (words.length === 0) return [name];
  const { folded, places } = foldWithPlaces(name);
  const parts: (Node | string)[] = [];
  let from = 0;
  let shownTo = 0;
  while (from < folded.length) {
    const hits = words.map((word) => ({ at: folded.indexOf(word, from), length: word.length })).filter((hit) => hit.at >= 0);
    if (hits.length === 0) break;
    const hit = hits.reduce((best, one) => (one.at < best.at || (one.at === best.at && one.length > best.length) ? one : best));
    const start = places[hit.at]!;
    // A letter with its marks is one.
    from = hit.at + hit.length;
    const end = Math.max(places[from]!, start + 1);
    if (start > shownTo) parts.push(name.slice(shownTo, start));
    parts.push(h("mark", {}, name.slice(start, end)));
    shownTo = end;
  }
  return [...parts, name.slice(shownTo)];
}

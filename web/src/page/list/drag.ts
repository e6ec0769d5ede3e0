import { h } from "../../dom.ts";
import { urlOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { baseName, join, parentOf, shown } from "../names.ts";
import { texts } from "../texts.ts";

export interface DragEvents {
  folder(): string;
  /** The entries that go with a row: the selected ones if it is one of them. */
  start(row: Element): Entry[];
  /** The folder to which a row leads. */
  folderOf(row: Element): string | undefined;
  can(entries: Entry[], to: string, isCopy: boolean): boolean;
  drop(entries: Entry[], from: string, to: string, isCopy: boolean): void;
}

/**
 * Lets rows be dragged onto folders, those of the list and those of the path above it: to move them, or to copy them with Ctrl or Alt. By a mouse only:
 * a finger scrolls, and has the menu, as the keyboard has.
 */
export function dragRows(list: HTMLElement, events: DragEvents): void {
  let dragged: { entries: Entry[]; from: string } | undefined;
  let over: Element | undefined;

  list.addEventListener("pointerdown", (event) => {
    const target = event.target as Element;
    const row = target.closest<HTMLElement>("[data-at]");
    if (row) row.draggable = event.pointerType === "mouse" && !target.closest("input, button");
  });
  list.addEventListener("dragstart", (event) => {
    const row = (event.target as Element).closest("[data-at]");
    const entries = row ? events.start(row) : [];
    if (!entries.length || !event.dataTransfer) return;
    const from = events.folder();
    dragged = { entries, from };
    // For other programs, which get links.
    const links = entries.map((entry) => new URL(urlOf(join(from, entry.name), entry.isFolder), location.href).href).join("\r\n");
    event.dataTransfer.setData("text/uri-list", links);
    event.dataTransfer.setData("text/plain", links);
    event.dataTransfer.effectAllowed = "all";
    const picture = h("div", { class: "dragged" }, entries.length === 1 ? h("bdi", {}, shown(baseName(entries[0]!.name))) : texts.dragged(entries.length));
    document.body.append(picture);
    event.dataTransfer.setDragImage(picture, -12, -12);
    setTimeout(() => picture.remove());
  });
  addEventListener("dragover", (event) => {
    const place = dragged && placeOf(event);
    mark(place?.element);
    if (!place || !event.dataTransfer) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = place.isCopy ? "copy" : "move";
  });
  addEventListener("drop", (event) => {
    const was = dragged;
    const place = was && placeOf(event);
    end();
    if (!was || !place) return;
    event.preventDefault();
    events.drop(was.entries, was.from, place.to, place.isCopy);
  });
  // A row that was scrolled out of the list meanwhile does not end its drag.
  for (const type of ["dragend", "pointerdown"]) addEventListener(type, end, { capture: true });

  /** The folder under the pointer, if they may go there. */
  function placeOf(event: DragEvent): { element: Element; to: string; isCopy: boolean } | undefined {
    const { entries, from } = dragged!;
    const element = (event.target as Element).closest("[data-at], .crumbs a");
    const to = element?.matches("a") ? (element as HTMLElement).dataset.folder : element ? events.folderOf(element) : undefined;
    if (!element || to === undefined) return undefined;
    const isCopy = event.ctrlKey || event.altKey;
    const isPossible = entries.some((entry) => join(from, parentOf(entry.name)) !== to)
      && entries.every((entry) => !entry.isFolder || !`${to}/`.startsWith(`${join(from, entry.name)}/`));
    return isPossible && events.can(entries, to, isCopy) ? { element, to, isCopy } : undefined;
  }

  function mark(element: Element | undefined): void {
    if (element === over) return;
    over?.classList.remove("drop-target");
    over = element;
    element?.classList.add("drop-target");
  }

  function end(): void {
    dragged = undefined;
    mark(undefined);
  }
}

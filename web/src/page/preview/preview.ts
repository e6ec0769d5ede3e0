import { h } from "../../dom.ts";
import { firstBytes, ServerError, stat, urlOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { exactDate, size } from "../format.ts";
import { join, shown } from "../names.ts";
import { texts } from "../texts.ts";
import { iconButton, openDialog } from "../view/dialog.ts";
import { entryIcon, icon, icons } from "../view/icons.ts";
import { parseCsv } from "./csv.ts";
import { decode } from "./decode.ts";
import { kindOf } from "./kinds.ts";

/** The bytes read of a text: enough for a few screens, however large the file is. */
const textBytes = 256 * 1024;
const maxRows = 200;

export interface PreviewActions {
  /** The file before or after this one in the list. */
  neighbour(entry: Entry, step: number): Entry | undefined;
  download(entry: Entry): void;
  signIn(): void;
}

/** Shows a file in a dialog, from which the arrow keys lead to the other files. */
export function openPreview(folder: string, first: Entry, actions: PreviewActions): void {
  let entry = first;
  let reading = new AbortController();
  const title = h("h2", { dir: "auto" });
  const meta = h("p", { class: "quiet small" });
  const stage = h("div", { class: "stage" });
  const previous = iconButton(icons.left, texts.previous, () => go(-1), "turn");
  const next = iconButton(icons.right, texts.next, () => go(1), "turn");
  const download = h("button", { class: "button", click: () => actions.download(entry) }, icon(icons.download, 18), texts.download);
  const dialog = openDialog({
    className: "preview", heading: h("div", { class: "preview-title" }, title, meta), tools: [previous, next, download], body: stage,
    closed: () => reading.abort(),
  });
  dialog.tabIndex = -1;
  dialog.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLMediaElement) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      if (stage.contains(document.activeElement) && stage.scrollWidth > stage.clientWidth) return;
      event.preventDefault();
      go((event.key === "ArrowRight") === (getComputedStyle(dialog).direction === "ltr") ? 1 : -1);
    }
  });
  show();

  function go(step: number): void {
    const other = actions.neighbour(entry, step);
    if (!other) return;
    entry = other;
    show();
  }

  function show(): void {
    reading.abort();
    reading = new AbortController();
    title.textContent = shown(entry.name);
    meta.textContent = `${size(entry.size)} · ${exactDate(entry.modified)}`;
    previous.disabled = !actions.neighbour(entry, -1);
    next.disabled = !actions.neighbour(entry, 1);
    // A button that is disabled loses the focus, and with it the keys.
    if (document.activeElement?.matches(":disabled, body")) dialog.focus();
    stage.replaceChildren();
    stage.className = `stage stage-${kindOf(entry.name)}`;
    void draw(stage, join(folder, entry.name), entry, reading.signal, () => {
      dialog.close();
      actions.signIn();
    });
  }
}

async function draw(stage: HTMLElement, name: string, entry: Entry, signal: AbortSignal, signIn: () => void): Promise<void> {
  const src = urlOf(name);
  const report = (error: unknown): void => {
    if (signal.aborted) return;
    if (error instanceof ServerError && error.status === 401) signIn();
    else stage.replaceChildren(nothing(entry, error instanceof ServerError ? error.message : texts.previewFailed));
  };
  // The browser only reports that it shows nothing; the server gives the reason.
  const failed = (): void => void stat(name).then(report, report);
  switch (kindOf(name)) {
    case "image":
      stage.append(h("img", { src, alt: entry.name, error: failed }));
      return;
    case "audio":
      stage.append(entryIcon(entry), h("audio", { src, controls: true, preload: "metadata", "aria-label": entry.name, error: failed }));
      return;
    case "video":
      stage.append(h("video", { src, controls: true, preload: "metadata", playsinline: true, "aria-label": entry.name, error: failed }));
      return;
    case "pdf":
      stage.append(h("iframe", { src, title: entry.name }));
      return;
    case "archive": case "other":
      stage.append(nothing(entry, texts.noPreview));
      return;
  }
  if (entry.size === 0) {
    stage.append(nothing(entry, texts.emptyFile));
    return;
  }
  try {
    const part = await firstBytes(name, textBytes, signal);
    const text = decode(part.bytes, part.all);
    const rows = kindOf(name) === "table" ? parseCsv(text, maxRows + 1, part.all) : undefined;
    stage.replaceChildren(...(rows ? table(rows, entry) : [h("pre", { tabindex: 0, dir: "auto" }, text)]));
    if (!part.all) stage.append(h("p", { class: "quiet small" }, texts.firstBytes(size(textBytes), size(entry.size))));
  } catch (error) {
    report(error);
  }
}

function table([head = [], ...rows]: string[][], entry: Entry): Node[] {
  const width = Math.max(head.length, ...rows.map((row) => row.length));
  const isNumber = Array.from({ length: width }, (_, i) => rows.length > 0 && rows.every((row) => /^[-+]?[\d.,]*%?$/.test(row[i] ?? "")));
  const cells = (row: string[], name: "th" | "td"): HTMLElement[] =>
    isNumber.map((number, i) => h(name, { scope: name === "th" && "col", class: number && "number", dir: "auto" }, row[i] ?? ""));
  return [
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": texts.table(entry.name) },
      h("table", {}, h("thead", {}, h("tr", {}, ...cells(head, "th"))), h("tbody", {}, ...rows.map((row) => h("tr", {}, ...cells(row, "td")))))),
    h("p", { class: "quiet small" }, texts.firstRows(rows.length)),
  ];
}

const nothing = (entry: Entry, text: string): HTMLElement => h("div", { class: "nothing" }, entryIcon(entry), h("p", {}, text));

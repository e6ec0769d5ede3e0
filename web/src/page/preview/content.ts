import { h } from "../../dom.ts";
import { firstBytes, ServerError, stat, urlOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { size } from "../format.ts";
import { baseName } from "../names.ts";
import { texts } from "../texts.ts";
import { entryIcon, icon, icons } from "../view/icons.ts";
import { parseCsv } from "./csv.ts";
import { decode } from "./decode.ts";
import { kindOf } from "./kinds.ts";

/** The bytes read of a text: enough for a few screens, however large the file is. */
const textBytes = 256 * 1024;
const maxRows = 200;

/** A picture, which may have been loaded while another one was looked at. */
export const pictureOf = (name: string): HTMLImageElement => h("img", { src: urlOf(name), alt: baseName(name), draggable: "false" });

/** The file to be drawn, and where. */
export interface Drawing {
  stage: HTMLElement;
  name: string;
  entry: Entry;
  /** Of a picture, the one that was loaded ahead. */
  picture: HTMLImageElement | undefined;
  signal: AbortSignal;
  signIn(): void;
  /** Undefined where the token does not allow it. */
  download: (() => void) | undefined;
}

/** Draws a file, or a sentence that says why it is not shown. */
export async function draw({ stage, name, entry, picture, signal, signIn, download }: Drawing): Promise<void> {
  const src = urlOf(name);
  const report = (error: unknown): void => {
    if (signal.aborted) return;
    if (error instanceof ServerError && error.status === 401) signIn();
    else stage.replaceChildren(nothing(entry, error instanceof ServerError ? error.message : texts.previewFailed, download));
  };
  // The browser only reports that it shows nothing; the server gives the reason.
  const failed = (): void => void stat(name).then(report, report);
  switch (kindOf(name)) {
    case "image":
      picture ??= pictureOf(name);
      if (picture.complete && picture.naturalWidth === 0) failed();
      else picture.addEventListener("error", failed);
      stage.append(picture);
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
      stage.append(nothing(entry, texts.noPreview, download));
      return;
  }
  if (entry.size === 0) {
    stage.append(nothing(entry, texts.emptyFile));
    return;
  }
  try {
    const part = await firstBytes(name, textBytes, signal);
    const text = decode(part.bytes, part.all);
    const rows = kindOf(name) === "table" ? parseCsv(text, maxRows + 2, part.all) : undefined;
    stage.replaceChildren(...(rows ? table(rows, entry, part.all) : [h("pre", { tabindex: 0, dir: "auto" }, text)]));
    if (!part.all) stage.append(h("p", { class: "quiet small" }, texts.firstBytes(size(textBytes), size(entry.size))));
  } catch (error) {
    report(error);
  }
}

function table([head = [], ...read]: string[][], entry: Entry, isWhole: boolean): Node[] {
  const rows = read.slice(0, maxRows);
  const width = Math.max(head.length, ...rows.map((row) => row.length));
  const isNumber = Array.from({ length: width }, (_, i) => rows.length > 0 && rows.every((row) => /^[-+]?[\d.,]*%?$/.test(row[i] ?? "")));
  const cells = (row: string[], name: "th" | "td"): HTMLElement[] =>
    isNumber.map((number, i) => h(name, { scope: name === "th" && "col", class: number && "number", dir: "auto" }, row[i] ?? ""));
  return [
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": texts.table(entry.name) },
      h("table", {}, h("thead", {}, h("tr", {}, ...cells(head, "th"))), h("tbody", {}, ...rows.map((row) => h("tr", {}, ...cells(row, "td")))))),
    h("p", { class: "quiet small" }, isWhole && read.length <= maxRows ? texts.rows(rows.length) : texts.firstRows(rows.length)),
  ];
}

const nothing = (entry: Entry, text: string, download?: () => void): HTMLElement =>
  h("div", { class: "nothing" }, entryIcon(entry), h("p", {}, text), download && h("button", { type: "button", class: "button", click: download }, icon(icons.download, 18), texts.download));

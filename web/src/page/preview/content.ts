import { h } from "../../dom.ts";
import { firstBytes, ServerError, stat, urlOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { size } from "../format.ts";
import { baseName } from "../names.ts";
import { texts } from "../texts.ts";
import { entryIcon, icon, icons } from "../view/icons.ts";
import { parseCsv } from "./csv.ts";
import { decode } from "./decode.ts";
import type { Editable } from "./editor.ts";
import { isText, kindOf } from "./kinds.ts";

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
  canEdit: boolean;
  editor(file: Editable): void;
  /** A link in a document leads to another file or folder of the server. */
  follow(url: URL): void;
}

/** Draws a file, or a sentence with the reason why it is not shown. */
export async function draw(drawing: Drawing): Promise<void> {
  const { stage, name, entry, signal, signIn, download, canEdit, editor } = drawing;
  let { picture } = drawing;
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
  }
  if (!isText(kindOf(name))) {
    stage.append(nothing(entry, texts.noPreview, download));
    return;
  }
  try {
    const part = await firstBytes(name, textBytes, signal).catch((error: unknown) => {
      // An empty file has no ranges.
      if (error instanceof ServerError && error.status === 416) return { bytes: new Uint8Array(), all: true, tag: entry.tag };
      throw error;
    });
    const decoded = decode(part.bytes, part.all);
    let isSource = false;
    const edit = canEdit && part.all && part.tag !== undefined && decoded.isUtf8 ? { name, text: decoded.text, hasMark: decoded.hasMark, tag: part.tag } : undefined;
    const show = async (): Promise<void> => {
      const content = await inForm(drawing, decoded.text, part.all, isSource);
      if (signal.aborted) return;
      const toggle = kindOf(name) === "markdown" && part.bytes.length > 0 && h("button", { type: "button", class: "button small", click: () => {
        isSource = !isSource;
        void show().then(() => stage.querySelector<HTMLElement>(".stage-tools button")?.focus());
      } }, isSource ? texts.asDocument : texts.asSource);
      const tools = [toggle, edit && h("button", { type: "button", class: "button small", click: () => editor(edit) }, icon(icons.rename, 16), texts.edit)].filter((tool) => tool !== undefined && tool !== false);
      stage.replaceChildren(...content, ...(part.all ? [] : [h("p", { class: "quiet small" }, texts.firstBytes(size(textBytes), size(entry.size)))]), ...(tools.length ? [h("div", { class: "stage-tools" }, ...tools)] : []));
    };
    await show();
  } catch (error) {
    report(error);
  }
}

/** The text as its kind is read. */
async function inForm({ name, entry, signal, follow }: Drawing, text: string, isWhole: boolean, isSource: boolean): Promise<Node[]> {
  const kind = kindOf(name);
  if (text === "") return [nothing(entry, texts.emptyFile)];
  const rows = kind === "table" ? parseCsv(text, maxRows + 2, isWhole) : undefined;
  if (rows) return table(rows, entry, isWhole);
  try {
    if (kind === "markdown" && !isSource) {
      const { markdownFrame } = await import("./markdown.ts");
      return [markdownFrame(text, entry.name, new URL(urlOf(name), location.href).href, follow)];
    }
    if (kind === "code" || kind === "markdown") {
      const { colour } = await import("./code.ts");
      return [h("pre", { tabindex: 0, dir: "auto", class: "source" }, signal.aborted ? text : colour(text, name) ?? text)];
    }
  } catch {
    // The script could not be loaded: the text is shown as it is.
  }
  return [h("pre", { tabindex: 0, dir: "auto" }, text)];
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

import { h } from "../../dom.ts";
import { texts } from "../texts.ts";
import { icon, icons } from "../view/icons.ts";
import { notify } from "../view/notices.ts";
import { type Gathered, gatheredNothing, gatherHandles, gatherInput, gatherItems, hasFiles } from "./gather.ts";

/** When reading a folder takes longer, the page shows it. */
const quickMs = 400;

type WithPicker = { showOpenFilePicker?: (options: object) => Promise<FileSystemFileHandle[]> };

/** Asks for files; where the browser lets the page keep them, an upload can be continued with one press after a reload. */
export async function chooseFiles(): Promise<Gathered> {
  const { showOpenFilePicker } = window as WithPicker;
  if (!showOpenFilePicker) return ask(false);
  try {
    return await gatherHandles(await showOpenFilePicker.call(window, { multiple: true }));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return gatheredNothing();
    return ask(false);
  }
}

export const chooseFolder = (): Promise<Gathered> => ask(true);

function ask(isFolder: boolean): Promise<Gathered> {
  return new Promise((resolve) => {
    const input = h("input", {
      type: "file", multiple: true, hidden: true, webkitdirectory: isFolder,
      change: () => {
        if (!input.files?.length) notify(texts.noFiles, true);
        resolve(gatherInput(input.files ?? []));
        input.remove();
      },
      cancel: () => {
        resolve(gatheredNothing());
        input.remove();
      },
    });
    document.body.append(input);
    input.click();
  });
}

/** Takes files that are dropped anywhere on the page, or pasted. They go to the folder that is shown at that moment. */
export function acceptFiles(begin: () => (gathered: Gathered) => void, isOpen: () => boolean, target: () => string): void {
  const where = h("p", {});
  const overlay = h("div", { class: "drop", hidden: true }, h("div", {}, icon(icons.drop, 56), h("p", { class: "drop-title" }, texts.drop), where));
  document.body.append(overlay);
  let leaving = 0;
  addEventListener("dragover", (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    const canDrop = isOpen() && !document.querySelector("dialog[open]");
    event.dataTransfer.dropEffect = canDrop ? "copy" : "none";
    if (!canDrop) return;
    where.textContent = texts.dropInto(target());
    overlay.hidden = false;
    // No event for a drag that leaves the window works in all browsers; one that goes on repeats this event.
    clearTimeout(leaving);
    leaving = window.setTimeout(() => (overlay.hidden = true), 300);
  });
  addEventListener("drop", (event) => {
    overlay.hidden = true;
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (!isOpen() || document.querySelector("dialog[open]")) return;
    take(event.dataTransfer, true);
  });
  addEventListener("paste", (event) => {
    if (!hasFiles(event.clipboardData) || !isOpen() || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    take(event.clipboardData, false);
  });

  function take(data: DataTransfer, canKeep: boolean): void {
    const slow = setTimeout(() => notify(texts.readingFolder), quickMs);
    void gatherItems(data, canKeep).then(begin()).finally(() => clearTimeout(slow));
  }
}

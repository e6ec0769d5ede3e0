import { h } from "../../dom.ts";
import { firstBytes, urlOf } from "../api.ts";
import type { Entry } from "../entries.ts";
import { extension, join, shown } from "../names.ts";
import { decode } from "../preview/decode.ts";
import { entryIcon } from "../view/icons.ts";

const maxBytes = 256 * 1024;
const names = ["README.md", "readme.md", "Readme.md", "README.markdown", "README.txt", "readme.txt", "README"];

/** The name that the document of a folder has, which is shown below its list. */
export const readmeOf = (find: (name: string) => Entry | undefined): Entry | undefined => {
  for (const name of names) {
    const entry = find(name);
    if (entry && !entry.isFolder && entry.size > 0 && entry.size <= maxBytes) return entry;
  }
  return undefined;
};

/** A folder's own document. */
export class Readme {
  private shown = "";
  readonly element = h("section", { class: "readme", hidden: true });

  constructor(private readonly follow: (url: URL) => void) {}

  /** Shows the one of a folder, or none. One that is shown already stays. */
  show(folder: string, entry: Entry | undefined): void {
    const key = entry ? `${folder}\n${entry.name}\n${entry.tag ?? entry.modified}` : "";
    if (key === this.shown) return;
    this.shown = key;
    if (entry) void this.draw(folder, entry, key);
    else this.element.hidden = true;
  }

  private async draw(folder: string, entry: Entry, key: string): Promise<void> {
    const name = join(folder, entry.name);
    try {
      const [part, markdown] = await Promise.all([firstBytes(name, maxBytes), /^(md|markdown)$/.test(extension(name)) ? import("../preview/markdown.ts") : undefined]);
      if (key !== this.shown) return;
      const { text } = decode(part.bytes, part.all);
      const content = markdown ? markdown.markdownFrame(text, entry.name, new URL(urlOf(name), location.href).href, this.follow) : h("pre", { dir: "auto" }, text);
      if (content instanceof HTMLIFrameElement) this.fit(content);
      this.element.replaceChildren(h("h2", {}, entryIcon(entry), h("bdi", {}, shown(entry.name))), content);
      this.element.hidden = false;
    } catch {
      // The list is there; the document can be opened like any file, which gives the reason.
      if (key === this.shown) this.element.hidden = true;
    }
  }

  /** The frame is as high as its document: the list scrolls, not the frame. */
  private fit(frame: HTMLIFrameElement): void {
    frame.addEventListener("load", () => {
      const root = frame.contentDocument?.documentElement;
      if (root) new ResizeObserver(() => (frame.style.height = `${Math.ceil(root.getBoundingClientRect().height)}px`)).observe(root);
    });
  }
}

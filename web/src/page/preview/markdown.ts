import DOMPurify from "dompurify";
import { marked } from "marked";
import { h } from "../../dom.ts";
import { paths } from "../api.ts";
import { texts } from "../texts.ts";
import style from "../style/document.css?inline";

/** A picture or a link of this server's files stays; a picture of another host would reveal the reader to that host. */
const isFile = (url: URL): boolean => url.origin === location.origin && url.pathname.startsWith(paths.files);

/** Headings, lists, tables and text: nothing that runs, that is sent, or that looks like a part of the page. */
function clean(html: string, base: string): DocumentFragment {
  const purify = DOMPurify(window);
  purify.addHook("afterSanitizeAttributes", (element) => {
    for (const name of ["href", "src"]) {
      const value = element.getAttribute(name);
      if (value === null || (name === "href" && value.startsWith("#"))) continue;
      const url = URL.canParse(value, base) ? new URL(value, base) : undefined;
      if (!url || (name === "src" ? !isFile(url) : !/^(https?|mailto):$/.test(url.protocol))) element.removeAttribute(name);
      else element.setAttribute(name, url.href);
    }
    if (element.localName === "a") {
      element.setAttribute("target", "_blank");
      element.setAttribute("rel", "noopener noreferrer");
    }
    if (element.localName === "img") element.setAttribute("loading", "lazy");
    if (element.localName === "input") (element as HTMLInputElement).type === "checkbox" ? element.setAttribute("disabled", "") : element.remove();
  });
  return purify.sanitize(html, {
    USE_PROFILES: { html: true }, RETURN_DOM_FRAGMENT: true, ALLOW_DATA_ATTR: false, FORBID_ATTR: ["style", "srcset", "ping", "tabindex", "class", "name"],
    FORBID_TAGS: ["style", "form", "button", "textarea", "select", "option", "video", "audio", "dialog", "picture", "source", "map", "area"],
  });
}

/**
 * Shows Markdown in a frame in which no script runs, with its own policy beside that of the page.
 * @param base The document's URL, from which its links start.
 * @param follow Called for a link to another file or folder of this server.
 */
export function markdownFrame(text: string, name: string, base: string, follow: (url: URL) => void): HTMLIFrameElement {
  const body = clean(marked.parse(text, { gfm: true, async: false }), base);
  const nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
  const page = document.implementation.createHTMLDocument(name);
  page.documentElement.lang = texts.language;
  page.head.prepend(
    Object.assign(page.createElement("meta"), { httpEquiv: "Content-Security-Policy", content: `default-src 'none'; img-src 'self'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'` }),
    Object.assign(page.createElement("meta"), { name: "color-scheme", content: "light dark" }));
  const styles = page.createElement("style");
  styles.setAttribute("nonce", nonce);
  styles.textContent = style;
  page.head.append(styles);
  page.body.dir = "auto";
  page.body.append(body);
  const frame = h("iframe", { class: "document", title: name, sandbox: "allow-same-origin allow-popups allow-popups-to-escape-sandbox", srcdoc: `<!doctype html>${page.documentElement.outerHTML}` });
  frame.addEventListener("load", () => {
    const inner = frame.contentDocument;
    inner?.addEventListener("click", (event) => {
      const link = (event.target as Element).closest("a");
      const href = link?.getAttribute("href");
      if (!link || !href || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (href.startsWith("#")) {
        event.preventDefault();
        inner.getElementById(decodeURIComponent(href.slice(1)))?.scrollIntoView();
      } else if (isFile(new URL(link.href))) {
        event.preventDefault();
        follow(new URL(link.href));
      }
    });
    // Keys in the frame are those of the page around it, but for those that scroll and follow links.
    inner?.addEventListener("keydown", (event) => {
      const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
      if (altKey || ctrlKey || metaKey || ["Tab", "Enter", " ", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"].includes(key)) return;
      const dialog = frame.closest("dialog");
      // A made event closes no dialog.
      if (key === "Escape" && dialog) dialog.querySelector<HTMLElement>(".dialog-tools > :last-child")?.click();
      else if (!frame.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }))) event.preventDefault();
    });
  });
  return frame;
}

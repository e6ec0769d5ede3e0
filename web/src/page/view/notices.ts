import { h } from "../../dom.ts";
import { icon, icons } from "./icons.ts";

const shownMs = 6000;
const region = h("div", { class: "notices", role: "status", "aria-live": "polite" });
const spoken = h("div", { class: "unseen", role: "status", "aria-live": "polite" });

export const noticeRegions = [region, spoken];

/** Into the dialog on top: everything outside of it is inert, also for screen readers. */
export function placeNotices(): void {
  const host = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (region.parentElement !== host) host.append(...noticeRegions);
}

/** Shows a sentence for a few seconds, which screen readers read. */
export function notify(text: string, isProblem = false): void {
  const notice = h("p", { class: isProblem ? "notice problem" : "notice" }, icon(isProblem ? icons.alert : icons.done, 18), h("span", {}, text));
  placeNotices();
  region.append(notice);
  while (region.childElementCount > 3) region.firstElementChild!.remove();
  setTimeout(() => notice.remove(), isProblem ? 2 * shownMs : shownMs);
}

/** Says something to screen readers only. */
export function announce(text: string): void {
  placeNotices();
  spoken.textContent = text;
}

import { h } from "../../dom.ts";
import { returnFocus } from "./focus.ts";
import { icon, icons } from "./icons.ts";

const shownMs = 6000;
const offeredMs = 15_000;

/** An action that a notice offers. */
export interface Offer {
  label: string;
  act: () => void;
}

const region = h("div", { class: "notices", role: "status", "aria-live": "polite" });
const spoken = h("div", { class: "unseen", role: "status", "aria-live": "polite" });

export const noticeRegions = [region, spoken];

/** Into the dialog on top: everything outside of it is inert, also for screen readers. */
export function placeNotices(): void {
  const host = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (region.parentElement !== host) host.append(...noticeRegions);
}

/** Shows a sentence for a few seconds, which screen readers read; one with an offer stays longer, and as long as it has the pointer or the focus. */
export function notify(text: string, isProblem = false, offer?: Offer): void {
  const before = document.activeElement;
  const button = offer && h("button", { type: "button", class: "button small", click: () => {
    remove();
    offer.act();
  } }, offer.label);
  const notice = h("p", { class: isProblem ? "notice problem" : "notice" }, icon(isProblem ? icons.alert : icons.done, 18), h("span", {}, text), button);
  const remove = (): void => {
    const hadFocus = notice.contains(document.activeElement);
    notice.remove();
    if (hadFocus) returnFocus(before);
  };
  const end = (): unknown => notice.matches(":hover, :focus-within") ? setTimeout(end, shownMs) : remove();
  placeNotices();
  region.append(notice);
  while (region.childElementCount > 3) region.firstElementChild!.remove();
  setTimeout(end, offer ? offeredMs : isProblem ? 2 * shownMs : shownMs);
}

/** Says something to screen readers only. */
export function announce(text: string): void {
  placeNotices();
  spoken.textContent = text;
}

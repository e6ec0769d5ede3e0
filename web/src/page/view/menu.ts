import type { IconNode } from "lucide";
import { h } from "../../dom.ts";
import { returnFocus } from "./focus.ts";
import { icon } from "./icons.ts";

export interface MenuItem {
  label: string;
  icon: IconNode;
  act: () => void;
  isDanger?: boolean;
}

/** Opens a menu at an element, or where the pointer is. */
export function openMenu(items: MenuItem[], anchor: Element, point?: { x: number; y: number }): void {
  const before = document.activeElement;
  const buttons = items.map((item) =>
    h("button", { type: "button", role: "menuitem", tabindex: -1, class: item.isDanger ? "danger" : null, click: () => choose(item) }, icon(item.icon, 18), item.label));
  const menu = h("div", { role: "menu", class: "menu", popover: "auto", tabindex: -1 }, ...buttons);
  menu.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState !== "closed") return;
    menu.remove();
    anchor.removeAttribute("aria-expanded");
  });
  menu.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Tab") close();
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    buttons.at(to % buttons.length)?.focus();
  });
  // Outside of an open dialog it would be inert.
  (anchor.closest("dialog") ?? document.body).append(menu);
  menu.showPopover();
  if (anchor.hasAttribute("aria-haspopup")) anchor.setAttribute("aria-expanded", "true");
  place(menu, anchor, point);
  buttons[0]?.focus();

  function close(): void {
    menu.hidePopover();
    returnFocus(before);
  }

  function choose(item: MenuItem): void {
    close();
    item.act();
  }
}

/** Below its anchor where there is room, otherwise above, and always on the screen. */
function place(menu: HTMLElement, anchor: Element, point?: { x: number; y: number }): void {
  const box = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const isRight = getComputedStyle(anchor).direction === "ltr";
  const left = point?.x ?? (isRight ? box.right - width : box.left);
  const below = point?.y ?? box.bottom + 4;
  const top = below + height > innerHeight - 8 ? (point?.y ?? box.top - 4) - height : below;
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  menu.style.top = `${Math.max(8, top)}px`;
}

import { h } from "../dom.ts";

/** A table that scrolls sideways where it is too wide; its edge fades while there is more. */
export function scrollable(label: string, table: HTMLElement, kind = ""): HTMLElement {
  const place = h("div", { class: `scroll ${kind}`.trim(), tabindex: 0, role: "region", "aria-label": label }, table);
  const look = (): void => {
    place.classList.toggle("more", place.scrollLeft + place.clientWidth < place.scrollWidth - 1);
  };
  place.addEventListener("scroll", look, { passive: true });
  const observer = new ResizeObserver(look);
  observer.observe(place);
  observer.observe(table);
  return place;
}

import { h } from "../dom.ts";

let top = 2;

/** Sets the level of the headings of sections: one below that of what contains them. */
export const sectionsAt = (level: 2 | 3): void => {
  top = level;
};

/** A heading of a section (0), or of a part of one (1, 2): no level is left out, whatever contains them. */
export const heading = (depth: 0 | 1 | 2, ...children: (string | HTMLElement)[]): HTMLElement =>
  h(`h${top + depth}` as "h2", { class: `heading-${depth}` }, ...children);

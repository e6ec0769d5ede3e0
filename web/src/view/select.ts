import { h } from "../dom.ts";

/** A choice with its label. */
export function select(label: string, options: string[], change: (index: number) => void): HTMLElement {
  const box = h("select", { change: (event: Event) => change((event.target as HTMLSelectElement).selectedIndex) }, options.map((option) => h("option", {}, option)));
  return h("label", {}, label, box);
}

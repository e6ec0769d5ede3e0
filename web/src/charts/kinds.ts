import type { Kind } from "../model/run.ts";
import { h } from "../dom.ts";

/** The colours are the style's, so that they follow light, dark and print without being redrawn. */
export const kindColour: Record<Kind, string> = { own: "var(--own)", baseline: "var(--baseline)", other: "var(--other)" };

export const kindSymbol = { own: "circle", baseline: "square", other: "triangle" } as const satisfies Record<Kind, string>;

const shapes: Record<Kind, string> = {
  own: '<circle cx="6" cy="6" r="5"/>',
  baseline: '<rect x="1.5" y="1.5" width="9" height="9"/>',
  other: '<path d="M6 1 11.5 10.5 0.5 10.5Z"/>',
};

/** The meaning of the colours and signs. */
export function kindKey(kinds: Set<Kind>, baseline: string | null): HTMLElement {
  const names: Record<Kind, string> = { own: "Millrace", baseline: `baseline: ${baseline ?? ""}`, other: "other" };
  const items = (["baseline", "other", "own"] as const).filter((kind) => kinds.has(kind)).map((kind) => {
    const sign = h("span", { class: "swatch" });
    sign.innerHTML = `<svg width="12" height="12" aria-hidden="true" fill="${kindColour[kind]}">${shapes[kind]}</svg>`;
    sign.append(names[kind]);
    return sign;
  });
  return h("p", { class: "key" }, items);
}

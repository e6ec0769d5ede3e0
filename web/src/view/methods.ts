import { h } from "../dom.ts";
import type { Run } from "../model/run.ts";

/** A line for each method, folded: the report is read by people who never saw the laboratory. */
export function methods(run: Run): HTMLElement | null {
  const texts = Object.entries(run.facts.methods ?? {});
  if (texts.length === 0) return null;
  return h(
    "details",
    { class: "methods" },
    h("summary", {}, "What the methods are"),
    h("dl", {}, texts.map(([method, text]) => h("div", {}, h("dt", {}, method), h("dd", {}, text)))),
  );
}

import { h } from "../dom.ts";
import type { Run } from "../model/run.ts";

/** What the measurements say should be done, and how to see whether it helped. */
export function advice(run: Run): HTMLElement | null {
  if (run.facts.advice.length === 0) return null;
  return h(
    "div",
    {},
    run.facts.advice.map((item) =>
      h(
        "div",
        { class: "advice" },
        h("h4", {}, item.title),
        h("ul", {}, item.evidence.map((line) => h("li", {}, line))),
        h("p", {}, item.action),
        item.code ? h("pre", {}, item.code) : null,
        h("p", { class: "quiet" }, `To check: ${item.check}`),
      ),
    ),
  );
}

import { h } from "../dom.ts";
import { heading } from "./heading.ts";
import type { Run } from "../model/run.ts";

type Advice = Run["facts"]["advice"][number];

/** Advice from the measurements, and how to check whether it helped: a line each, with the rest folded. */
export function advice(run: Run): HTMLElement | null {
  return folded(run.facts.advice.filter((item) => !item.ofOthers && !item.isWarning));
}

/** Whether a published conclusion holds here. */
export function conclusions(run: Run): HTMLElement | null {
  return folded(run.facts.advice.filter((item) => item.ofOthers));
}

function folded(items: Advice[]): HTMLElement | null {
  if (items.length === 0) return null;
  const sections = [...new Set(items.map((item) => item.section))];
  const title = (section: string): HTMLElement | null => (sections.length > 1 ? heading(1, section) : null);
  return h("div", {}, sections.map((section) => [title(section), ...items.filter((item) => item.section === section).map(one)]).flat());
}

/** A line that unfolds to the rest. */
export function one(item: Advice): HTMLElement {
  return h(
    "details",
    { class: "advice" },
    h("summary", {}, item.title),
    h("ul", {}, item.evidence.map((line) => h("li", {}, line))),
    h("p", {}, item.action),
    item.code ? h("pre", {}, item.code) : null,
    h("p", { class: "quiet" }, "To check: ", h("code", {}, item.check)),
  );
}

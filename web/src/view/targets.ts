import { h } from "../dom.ts";
import { scrollable } from "./scroll.ts";
import type { Run } from "../model/run.ts";

/** The suite's targets, and whether this run reached them. */
export function targets(run: Run): HTMLElement | null {
  const { bars } = run.facts;
  const measured = (bars ?? []).filter((target) => target.met !== undefined);
  if (measured.length === 0) return null;
  const rows = measured.map((target) => h("tr", {}, outcome(target.met), h("td", {}, target.figure), h("td", { "data-label": "target" }, target.limit), h("td", { "data-label": "measured" }, target.measured)));
  const missed = measured.filter((target) => target.met === false).length;
  return h("details", {}, h("summary", {}, `${measured.length} measured, ${missed === 0 ? "all met" : `${missed} missed`}`), scrollable(
    "Targets and what was measured",
    h(
      "table",
      { class: "targets" },
      h("thead", {}, h("tr", {}, ["Met", "Figure", "Target", "Measured"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, rows),
    ),
  ));
}

// A sign and a word, so that the colour is not needed.
function outcome(met: boolean | undefined): HTMLElement {
  return met ? h("td", { class: "good" }, "✓ met") : h("td", { class: "bad" }, "✗ missed");
}

import { h } from "../dom.ts";
import type { Run } from "../model/run.ts";

/** The suite's targets, and whether this run reached them. */
export function targets(run: Run): HTMLElement | null {
  const { bars } = run.facts;
  if (bars.length === 0) return null;
  const rows = bars.map((target) => h("tr", {}, outcome(target.met), h("td", {}, target.figure), h("td", { "data-label": "target" }, target.limit), h("td", { "data-label": "measured" }, target.measured)));
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Targets" },
    h(
      "table",
      { class: "targets" },
      h("thead", {}, h("tr", {}, ["Met", "Figure", "Target", "Measured"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, rows),
    ),
  );
}

// A sign and a word, so that the colour is not needed.
function outcome(met: boolean | undefined): HTMLElement {
  if (met === undefined) return h("td", { class: "quiet" }, "not measured");
  return met ? h("td", { class: "good" }, "✓ met") : h("td", { class: "bad" }, "✗ missed");
}

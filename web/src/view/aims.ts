import { h } from "../dom.ts";
import type { Run } from "../model/run.ts";

/** The suite's aims, and whether this run reached them. */
export function aims(run: Run): HTMLElement | null {
  const { bars } = run.facts;
  if (bars.length === 0) return null;
  const rows = bars.map((bar) => h("tr", {}, outcome(bar.met), h("td", {}, bar.figure), h("td", { "data-label": "aim" }, bar.limit), h("td", { "data-label": "measured" }, bar.measured)));
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Aims" },
    h(
      "table",
      { class: "aims" },
      h("thead", {}, h("tr", {}, ["Met", "Figure", "Aim", "Measured"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, rows),
    ),
  );
}

// A sign and a word, so that nobody needs the colour.
function outcome(met: boolean | undefined): HTMLElement {
  if (met === undefined) return h("td", { class: "quiet" }, "not measured");
  return met ? h("td", { class: "good" }, "✓ met") : h("td", { class: "bad" }, "✗ missed");
}

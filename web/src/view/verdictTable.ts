import { h } from "../dom.ts";
import type { Verdict } from "../model/payload.ts";
import type { Case } from "../model/run.ts";
import { scrollable } from "./scroll.ts";
import { meterText } from "../text/meters.ts";
import { none, percent, ratio } from "../text/numbers.ts";

/** How the case compares with the baseline, metric by metric. */
export function verdictTable(item: Case): HTMLElement | null {
  if (item.verdicts.length === 0) return null;
  return h(
    "div",
    {},
    h("h3", { class: "heading-1" }, `Compared with ${[...new Set(item.verdicts.map((verdict) => verdict.against))].join(", ")}`),
    scrollable(
      "Verdicts",
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ["Metric", "Verdict", "Ratio", "95 % CI", "Noise up to", "Why"].map((title) => h("th", { scope: "col" }, title)))),
        h("tbody", {}, item.verdicts.map(row)),
      ),
    ),
  );
}

function row(verdict: Verdict): HTMLElement {
  const kind = verdict.better === undefined ? "" : verdict.better ? "good" : "bad";
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, meterText(verdict.metric).title),
    h("td", { class: kind }, verdict.verdict),
    h("td", { class: "number" }, verdict.ratio === undefined ? none : ratio(verdict.ratio)),
    h("td", { class: "number" }, verdict.low === undefined || verdict.high === undefined ? none : `${ratio(verdict.low)}–${ratio(verdict.high)}`),
    h("td", { class: "number" }, verdict.threshold === undefined ? none : percent(verdict.threshold)),
    h("td", {}, verdict.reason ?? ""),
  );
}

import { h } from "../dom.ts";
import type { Group } from "../model/groups.ts";
import type { Case, Run } from "../model/run.ts";
import { milliseconds, none, ratio } from "../text/numbers.ts";
import { parameterTitle, valueText } from "../text/parameters.ts";
import { roving } from "./roving.ts";
import { scrollable } from "./scroll.ts";

// The colours are full at three times as fast or as slow; the scale is logarithmic and the same in every report.
const full = Math.log(3);

/** The ratio of every case of a group, its number in its cell; a table, so that it can be read without seeing it. */
export function heatMap(run: Run, group: Group): HTMLElement {
  const rows = group.methods.map((method) =>
    h("tr", {}, h("th", { scope: "row", title: run.facts.methods?.[method] }, breakable(method)), group.columns.map((column) => h("td", {}, cell(group.at(method, column))))),
  );
  const columns = group.columns.map((column) => h("th", { scope: "col" }, run.axis === null ? "" : valueText(run.axis, column)));
  const table = h(
    "table",
    { class: "heat" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "quiet" }, run.axis === null ? "" : parameterTitle(run.axis)), columns)),
    h("tbody", {}, rows),
  );
  roving(table, () => [...table.tBodies[0]!.rows].map((row) => [...row.querySelectorAll<HTMLElement>("button")]).filter((cells) => cells.length > 0));
  return h("div", {}, scrollable("Ratios", table), key(run, group));
}

/** FilePipeMapped in three lines, where a column is narrow. */
const breakable = (name: string): (Node | string)[] => name.split(/(?<=[a-z])(?=[A-Z])/).flatMap((word, at) => at ? [h("wbr", {}), word] : [word]);

function cell(item: Case | undefined): HTMLElement {
  if (!item) return h("span", { class: "cell missing", title: "not measured" }, none);
  if (item.error !== null) {
    return h("button", { class: "cell failed", type: "button", "data-case": item.id, title: item.error }, h("b", {}, "failed"));
  }
  const time = item.medianMs === null ? "" : `${milliseconds(item.medianMs)} ms`;
  if (item.ratio === null) return h("button", { class: "cell", type: "button", "data-case": item.id }, h("b", {}, time || none));
  const title = [item.timeVerdict?.verdict, item.unverifiedReason].filter(Boolean).join("; ");
  return h(
    "button",
    { class: `cell ${side(item.ratio)}`, style: tint(item.ratio), type: "button", "data-case": item.id, title: title || null },
    h("b", {}, `${open(item) ? "? " : alike(item) ? "≈ " : ""}${ratio(item.ratio)}${item.unverified ? " !" : ""}`),
    h("small", {}, time),
  );
}

const alike = (item: Case): boolean => item.timeVerdict !== null && ["same", "noise"].includes(item.timeVerdict.verdict);

const open = (item: Case): boolean => item.timeVerdict?.verdict === "too little data";

const side = (value: number): string => (value < 1 ? "less" : "more");

const tint = (value: number): string => `--heat-part: ${Math.round(Math.min(1, Math.abs(Math.log(value)) / full) * 100)}%`;

function key(run: Run, group: Group): HTMLElement {
  const steps = [0.33, 0.5, 0.75, 1, 1.33, 2, 3];
  const signs = [
    group.cases.some(alike) ? "≈ no measurable difference" : "",
    group.cases.some(open) ? "? too little data" : "",
    group.cases.some((item) => item.unverified) ? "! not verified" : "",
    group.cases.some((item) => item.ratio === null && item.error === null) ? "no ratio: the baseline was not measured" : "",
  ].filter(Boolean);
  return h(
    "div",
    { class: "key" },
    h("span", {}, "faster"),
    h("span", { class: "ramp" }, steps.map((step) => h("span", { class: `cell ${side(step)}`, style: tint(step) }, ratio(step)))),
    h("span", {}, "slower"),
    h("span", {}, `Time relative to ${run.baseline ?? "the baseline"}, within the same rounds; small print: median time.`),
    signs.map((sign) => h("span", {}, sign)),
    h("span", { class: "no-print" }, "Select a cell for all its samples; arrow keys move."),
  );
}

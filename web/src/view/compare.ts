import { drawBars } from "../charts/bars.ts";
import { drawBest } from "../charts/best.ts";
import { kindKey } from "../charts/kinds.ts";
import { drawLines, hasLines } from "../charts/lines.ts";
import { measures } from "../charts/measures.ts";
import { responsive } from "../charts/responsive.ts";
import { drawScatter, type Memory } from "../charts/scatter.ts";
import { h } from "../dom.ts";
import { bestOfEach, sameWork, valuesOf, type Group } from "../model/groups.ts";
import type { Run } from "../model/run.ts";
import { parameterText, parameterTitle } from "../text/parameters.ts";
import { heatMap } from "./heatMap.ts";
import { methods } from "./methods.ts";
import { select } from "./select.ts";

type Section = [id: string, title: string, content: HTMLElement | null];

const memories: Memory[] = [
  { field: "peakOverIdleBytes", title: "Peak memory over idle" },
  { field: "peakResidentBytes", title: "Peak memory" },
  { field: "allocatedBytes", title: "Allocated" },
];

/** Four views of one group of cases, which is chosen above the first: each method at its best, lines, heat map, scatter. */
export function compare(run: Run): { best: Section; charts: Section[] } | null {
  if (run.groups.length === 0) return null;
  let group = run.groups[0]!;
  const redraws: (() => void)[] = [];
  const choose = (index: number): void => {
    group = run.groups[index]!;
    for (const redraw of redraws) redraw();
  };
  const axis = run.axis ? parameterTitle(run.axis).toLowerCase() : "case";
  // With one column, the first picture has all that a heat map would show.
  const columns = run.groups.some((item) => item.columns.length > 1);
  const map = columns ? h("div", {}, redrawn(() => [groupLine(run, group), heatMap(run, group)], redraws)) : null;
  const lines = run.groups.some(hasLines);
  return {
    best: ["best", "Each method at its best", h("div", {}, chooser(run, choose), best(run, () => group, redraws), methods(run))],
    charts: [
      ["bars", lines ? `Lines over the ${axis}` : "Bars", figures(run, () => group, redraws)],
      ["heat", `Ratio by method and ${axis}`, map],
      ["memory", "Memory against speed", scatter(run, () => group, redraws)],
    ],
  };
}

function chooser(run: Run, choose: (index: number) => void): HTMLElement {
  const same = [...valuesOf(run.cases)].filter(
    ([name, values]) => name !== run.axis && values.length === 1 && run.cases.every((item) => name in item.parameters),
  );
  const constant = same.map(([name, values]) => parameterText(name, values[0]!)).join(", ");
  const note = h("span", { class: "quiet small" }, constant ? `All cases: ${constant}.` : "");
  return h(
    "div",
    { class: "controls inline" },
    run.groups.length === 1 ? null : select("Cases in the charts", run.groups.map((group) => `${group.title} (${group.cases.length})`), choose),
    note,
  );
}

const groupLine = (run: Run, group: Group): HTMLElement =>
  h("p", { class: "quiet small" }, run.groups.length > 1 ? `Shown: ${group.title}.` : "");

function best(run: Run, group: () => Group, redraws: (() => void)[]): HTMLElement {
  const chart = h("div", { class: "chart" });
  const note = h("p", { class: "quiet small" });
  const draw = (width: number): void => {
    const cases = sameWork(group(), run.axis, run.main);
    const each = bestOfEach(cases);
    const work = cases.length === group().cases.length || run.axis === null ? "" : ` ${parameterText(run.axis, cases[0]!.parameters[run.axis] ?? "")}.`;
    note.textContent = `${work} Bands: 95 % confidence interval of the median; dotted: the baseline${group().floor ? `; dashed: the floor, ${group().floor!.method}, which makes only the necessary calls` : ""}. ×: time relative to the baseline's best.`.trim();
    if (each.length === 0) chart.replaceChildren(h("p", {}, "No case was measured."));
    else drawBest(chart, width, run, each, group().floor);
  };
  redraws.push(() => draw(chart.clientWidth));
  const printed = redrawn(() => [groupLine(run, group())], redraws);
  printed.className = "only-print";
  return h("div", {}, printed, responsive(chart, draw), kindKey(new Set(run.cases.map((item) => item.kind)), run.baseline), note);
}

function figures(run: Run, group: () => Group, redraws: (() => void)[]): HTMLElement {
  const usable = measures.filter((measure) => run.cases.some((item) => measure.value(item) !== null));
  if (usable.length === 0) return h("p", {}, "No case was measured.");
  let measure = usable[0]!;
  const place = h("div", { class: "panels" });
  const note = h("p", { class: "quiet small" });
  const draw = (width: number): void => {
    const lines = hasLines(group());
    note.textContent = `${run.groups.length > 1 ? `${group().title}. ` : ""}${measure.note}${lines ? " Both axes are logarithmic: a line that is level does not depend on it." : " Dashed: the baseline."}`;
    place.className = lines ? "chart" : "panels";
    if (lines) {
      place.style.gridTemplateColumns = "";
      drawLines(place, width, run, group(), measure);
    } else {
      drawBars(place, width, run, group(), measure);
    }
  };
  redraws.push(() => draw(place.clientWidth));
  return h(
    "div",
    {},
    h("div", { class: "controls" }, select("Shown", usable.map((item) => item.title + (item.unit ? `, ${item.unit}` : "")), (index) => {
      measure = usable[index]!;
      draw(place.clientWidth);
    })),
    note,
    kindKey(new Set(run.cases.map((item) => item.kind)), run.baseline),
    responsive(place, draw),
  );
}

function scatter(run: Run, group: () => Group, redraws: (() => void)[]): HTMLElement | null {
  const usable = memories.filter(({ field }) => run.cases.some((item) => item.value(field) !== null));
  if (usable.length === 0) return null;
  let memory = usable[0]!;
  const chart = h("div", { class: "chart" });
  const draw = (width: number): void => {
    if (group().cases.some((item) => item.medianMs !== null && item.value(memory.field) !== null)) drawScatter(chart, width, run, group(), memory);
    else chart.replaceChildren(h("p", {}, "This group has no such figures."));
  };
  redraws.push(() => draw(chart.clientWidth));
  return h(
    "div",
    {},
    h("div", { class: "controls" }, usable.length > 1 ? select("Memory", usable.map((item) => item.title), (index) => {
      memory = usable[index]!;
      draw(chart.clientWidth);
    }) : null),
    redrawn(() => [groupLine(run, group())], redraws),
    h("p", { class: "quiet small" }, "Lower left is better. Each method's fastest case is filled and named, its others are hollow."),
    kindKey(new Set(run.cases.map((item) => item.kind)), run.baseline),
    responsive(chart, draw),
  );
}

function redrawn(build: () => HTMLElement[], redraws: (() => void)[]): HTMLElement {
  const place = h("div", {}, build());
  redraws.push(() => place.replaceChildren(...build()));
  return place;
}

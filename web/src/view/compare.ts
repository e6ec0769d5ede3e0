import { drawBars } from "../charts/bars.ts";
import { kindKey } from "../charts/kinds.ts";
import { measures } from "../charts/measures.ts";
import { responsive } from "../charts/responsive.ts";
import { drawScatter, type Memory } from "../charts/scatter.ts";
import { h } from "../dom.ts";
import { valuesOf, type Group } from "../model/groups.ts";
import type { Run } from "../model/run.ts";
import { parameterText, parameterTitle } from "../text/parameters.ts";
import { heatMap } from "./heatMap.ts";
import { select } from "./select.ts";

const memories: Memory[] = [
  { field: "peakOverIdleBytes", title: "Peak memory over idle" },
  { field: "peakResidentBytes", title: "Peak memory" },
  { field: "allocatedBytes", title: "Allocated" },
];

/** Heat map, bars and scatter: three views of one group of cases, which is chosen above the first. */
export function compare(run: Run): [string, string, HTMLElement | null][] {
  if (run.groups.length === 0) return [];
  let group = run.groups[0]!;
  const redraws: (() => void)[] = [];
  const choose = (index: number): void => {
    group = run.groups[index]!;
    for (const redraw of redraws) redraw();
  };
  const view = (build: () => HTMLElement[]): HTMLElement => {
    const place = h("div", {}, build());
    redraws.push(() => place.replaceChildren(...build()));
    return place;
  };
  const map = h("div", {}, chooser(run, choose), view(() => [groupLine(run, group, "only-print"), heatMap(run, group)]));
  return [
    ["heat", "Ratio by method and " + (run.axis ? parameterTitle(run.axis).toLowerCase() : "case"), map],
    ["bars", "Bars", bars(run, () => group, redraws)],
    ["memory", "Memory against speed", scatter(run, () => group, redraws)],
  ];
}

function chooser(run: Run, choose: (index: number) => void): HTMLElement {
  const same = [...valuesOf(run.cases)].filter(
    ([name, values]) => name !== run.axis && values.length === 1 && run.cases.every((item) => name in item.parameters),
  );
  const constant = same.map(([name, values]) => parameterText(name, values[0]!)).join(", ");
  const note = constant ? `All cases: ${constant}.` : "";
  if (run.groups.length === 1) return h("p", { class: "quiet small" }, note);
  return h(
    "div",
    {},
    h("div", { class: "controls" }, select("Cases in the three charts", run.groups.map((group) => `${group.title} (${group.cases.length})`), choose)),
    note ? h("p", { class: "quiet small" }, note) : null,
  );
}

const groupLine = (run: Run, group: Group, kind = ""): HTMLElement =>
  h("p", { class: `quiet small ${kind}` }, run.groups.length > 1 ? `Shown: ${group.title}.` : "");

function bars(run: Run, group: () => Group, redraws: (() => void)[]): HTMLElement {
  const usable = measures.filter((measure) => run.cases.some((item) => measure.value(item) !== null));
  if (usable.length === 0) return h("p", {}, "No case was measured.");
  let measure = usable[0]!;
  const panels = h("div", { class: "panels" });
  const note = h("p", { class: "quiet small" });
  const draw = (width: number): void => {
    note.textContent = `${run.groups.length > 1 ? `${group().title}. ` : ""}${measure.note} Dashed: the baseline.`;
    drawBars(panels, width, run, group(), measure);
  };
  redraws.push(() => draw(panels.clientWidth));
  return h(
    "div",
    {},
    h("div", { class: "controls" }, select("Bars show", usable.map((item) => item.title + (item.unit ? `, ${item.unit}` : "")), (index) => {
      measure = usable[index]!;
      draw(panels.clientWidth);
    })),
    h("p", { class: "only-print" }, "Median time, ms, unless chosen otherwise."),
    note,
    kindKey(new Set(run.cases.map((item) => item.kind)), run.baseline),
    responsive(panels, draw),
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
  const line = view(() => groupLine(run, group()), redraws);
  return h(
    "div",
    {},
    h("div", { class: "controls" }, usable.length > 1 ? select("Memory", usable.map((item) => item.title), (index) => {
      memory = usable[index]!;
      draw(chart.clientWidth);
    }) : null),
    line,
    h("p", { class: "quiet small" }, "Lower left is better. Each method's fastest case is filled and named, its others are hollow."),
    kindKey(new Set(run.cases.map((item) => item.kind)), run.baseline),
    responsive(chart, draw),
  );
}

function view(build: () => HTMLElement, redraws: (() => void)[]): HTMLElement {
  const place = h("div", {}, build());
  redraws.push(() => place.replaceChildren(build()));
  return place;
}

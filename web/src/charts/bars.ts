import * as Plot from "@observablehq/plot";
import { h } from "../dom.ts";
import { heading } from "../view/heading.ts";
import type { Group } from "../model/groups.ts";
import type { Case, Run } from "../model/run.ts";
import { valueText } from "../text/parameters.ts";
import { columnsOf } from "./columns.ts";
import { kindColour } from "./kinds.ts";
import { asImage, linkMarks } from "./link.ts";
import type { Measure } from "./measures.ts";

interface Bar {
  id: string;
  method: string;
  fill: string;
  value: number;
  low: number | null;
  high: number | null;
  title: string;
}

const gap = 32;

/** A panel of bars per column of the heat map, all on one scale. */
export function drawBars(place: HTMLElement, width: number, run: Run, group: Group, measure: Measure): void {
  const { columns, width: panel } = columnsOf(width, 340, gap, group.columns.length);
  place.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  const bars = new Map(group.columns.map((column) => [column, barsOf(group, column, measure)]));
  const most = Math.max(0, ...[...bars.values()].flat().map((bar) => Math.max(bar.value, bar.high ?? 0)));
  place.replaceChildren(
    ...group.columns
      .filter((column) => bars.get(column)!.length > 0)
      .map((column) => figure(run, column, bars.get(column)!, measure, most, panel)),
  );
}

function barsOf(group: Group, column: string | number, measure: Measure): Bar[] {
  return group.methods.map((method) => group.at(method, column)).filter((item) => item !== undefined).flatMap((item: Case) => {
    const value = measure.value(item);
    if (value === null) return [];
    const [low, high] = measure.interval(item) ?? [null, null];
    const range = low !== null && high !== null ? `, 95 % CI ${measure.text(low)} to ${measure.text(high)}` : "";
    return [{ id: item.id, method: item.method, fill: kindColour[item.kind], value, low, high, title: `${item.method}: ${measure.text(value)} ${measure.unit}${range}` }];
  });
}

function figure(run: Run, column: string | number, bars: Bar[], measure: Measure, most: number, width: number): HTMLElement {
  const title = run.axis === null ? "" : valueText(run.axis, column);
  const baseline = bars.find((bar) => bar.method === run.baseline)?.value;
  const ranged = bars.filter((bar) => bar.low !== null);
  const chart = Plot.plot({
    width,
    height: bars.length * 22 + 34,
    marginTop: 4,
    marginBottom: 26,
    marginLeft: 138,
    marginRight: 58,
    style: { fontSize: "12px" },
    x: { domain: [0, most || 1], label: null, ticks: 4, tickFormat: measure.tick, tickSize: 3 },
    y: { domain: bars.map((bar) => bar.method), label: null, tickSize: 0 },
    marks: [
      Plot.gridX({ ticks: 4, stroke: "var(--line)", strokeOpacity: 1 }),
      Plot.barX(bars, { x: "value", y: "method", fill: "fill", title: "title", insetTop: 3, insetBottom: 3 }),
      baseline === undefined ? null : Plot.ruleX([baseline], { stroke: "var(--ink)", strokeDasharray: "2,3", strokeOpacity: 0.7 }),
      Plot.ruleY(ranged, { x1: "low", x2: "high", y: "method", stroke: "var(--page)", strokeWidth: 4 }),
      Plot.ruleY(ranged, { x1: "low", x2: "high", y: "method", stroke: "var(--ink)", strokeWidth: 1.5, marker: "tick" }),
      Plot.text(bars, {
        x: (bar: Bar) => Math.max(bar.value, bar.high ?? 0),
        y: "method",
        text: (bar: Bar) => measure.text(bar.value),
        textAnchor: "start",
        dx: 7,
        fill: "var(--text)",
        stroke: "var(--page)",
        strokeWidth: 3,
      }),
    ],
  });
  linkMarks(chart, "bar", bars);
  asImage(chart, `${measure.title} at ${title}: ${bars.map((bar) => bar.title).join("; ")}`);
  return h("figure", { class: "chart" }, title ? heading(1, title) : null, chart);
}

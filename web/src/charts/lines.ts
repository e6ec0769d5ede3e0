import * as Plot from "@observablehq/plot";
import type { Group } from "../model/groups.ts";
import type { Case, Kind, Run } from "../model/run.ts";
import { valueText } from "../text/parameters.ts";
import { kindColour, kindSymbol } from "./kinds.ts";
import { textWidth } from "./labels.ts";
import { asImage, linkMarks } from "./link.ts";
import type { Measure } from "./measures.ts";
import { tickText, valueAxis } from "./ticks.ts";

interface Point {
  id: string;
  method: string;
  kind: Kind;
  x: number;
  value: number;
  low: number | null;
  high: number | null;
  title: string;
}

const lineHeight = 15;
const narrow = 560;
const widths: Record<Kind, number> = { own: 2, baseline: 2.5, other: 1.25 };

/** Whether a group can be drawn as lines: some numbers on its axis. */
export const hasLines = (group: Group): boolean => group.columns.filter((column) => typeof column === "number" && column > 0).length >= 3;

/** A line per method over the columns of the heat map, both axes logarithmic: who depends on the buffer, and who does not. */
export function drawLines(place: HTMLElement, width: number, run: Run, group: Group, measure: Measure): void {
  const points = group.methods.flatMap((method) => pointsOf(run, group, method, measure));
  if (points.length === 0) {
    place.replaceChildren(document.createTextNode("These cases have no such figures."));
    return;
  }
  const columns = group.columns.filter((column): column is number => typeof column === "number");
  const floor = measure.title === "Median time" ? group.floor : null;
  const values = [...points.flatMap((point) => [point.value, point.low ?? point.value, point.high ?? point.value]), ...(floor ? [floor.medianMs!] : [])];
  const y = valueAxis(values);
  const ends = endsOf(points);
  const small = width < narrow;
  const size = small ? "11px" : "12px";
  const names = Math.max(...ends.map((end) => textWidth(end.method, size)), floor ? textWidth("floor", size) : 0);
  const height = Math.max(small ? 380 : 420, (ends.length + 1) * lineHeight + 70);
  const chart = Plot.plot({
    width,
    height,
    marginTop: 24,
    marginBottom: 40,
    marginLeft: 54,
    marginRight: names + 30,
    style: { fontSize: size },
    x: {
      type: "symlog",
      constant: columns[0]! / 1e6,
      domain: [columns[0]!, columns.at(-1)!],
      ticks: columns.filter((_, index) => index % Math.ceil((58 * columns.length) / (width - names - 84)) === 0),
      tickFormat: (value: number) => valueText(run.axis!, value),
      label: `${run.axis![0]!.toUpperCase()}${run.axis!.slice(1)} →`,
      tickSize: 3,
    },
    y: { ...y, label: `↑ ${measure.title}${measure.unit ? `, ${measure.unit}` : ""}`, tickFormat: measure.tick ?? tickText, tickSize: 3 },
    symbol: { domain: ["own", "baseline", "other"], range: [kindSymbol.own, kindSymbol.baseline, kindSymbol.other] },
    marks: [
      Plot.gridY({ ticks: y.ticks, stroke: "var(--line)", strokeOpacity: 1 }),
      floor ? Plot.ruleY([floor.medianMs], { stroke: "var(--good)", strokeWidth: 1.75, strokeDasharray: "6,3" }) : null,
      Plot.ruleX(points.filter((point) => point.low !== null), { x: "x", y1: "low", y2: "high", stroke: (point: Point) => kindColour[point.kind], strokeWidth: 5, strokeOpacity: 0.3 }),
      Plot.line(points, { x: "x", y: "value", z: "method", stroke: (point: Point) => kindColour[point.kind], strokeWidth: (point: Point) => widths[point.kind], strokeLinejoin: "round" }),
      Plot.dot(points, { x: "x", y: "value", r: 3.5, sort: null, symbol: "kind", fill: (point: Point) => kindColour[point.kind], title: "title" }),
    ],
  });
  linkMarks(chart, "dot", points);
  asImage(chart, `${measure.title} over ${run.axis}: ${points.map((point) => point.title).join("; ")}`);
  const scaleY = chart.scale("y")!;
  const scaleX = chart.scale("x")!;
  const wanted = ends.map((end) => ({ text: end.method, x: scaleX.apply(end.x) as number, y: scaleY.apply(end.value) as number, fill: kindColour[end.kind] }));
  if (floor) wanted.push({ text: "floor", x: width - names - 30, y: scaleY.apply(floor.medianMs!) as number, fill: "var(--good)" });
  nameEnds(chart as SVGSVGElement, wanted, width - names - 10, height - 44);
  place.replaceChildren(chart);
}

function pointsOf(run: Run, group: Group, method: string, measure: Measure): Point[] {
  return group.columns.flatMap((column) => {
    const item: Case | undefined = group.at(method, column);
    const value = item ? measure.value(item) : null;
    if (!item || value === null || typeof column !== "number") return [];
    const [low, high] = measure.interval(item) ?? [null, null];
    const range = low !== null && high !== null ? `, 95 % CI ${measure.text(low)} to ${measure.text(high)}` : "";
    return [{ id: item.id, method, kind: item.kind, x: column, value, low, high, title: `${method} at ${valueText(run.axis!, column)}: ${measure.text(value)} ${measure.unit}${range}` }];
  });
}

const endsOf = (points: Point[]): Point[] => [...new Map(points.map((point) => [point.method, point])).values()];

interface End {
  text: string;
  x: number;
  y: number;
  fill: string;
}

// Names in the order of the ends of their lines, apart by a line of text, each joined with its end.
function nameEnds(chart: SVGSVGElement, ends: End[], left: number, bottom: number): void {
  const sorted = [...ends].sort((a, b) => a.y - b.y);
  const places = sorted.map((end) => end.y);
  for (let i = 1; i < places.length; i++) places[i] = Math.max(places[i]!, places[i - 1]! + lineHeight);
  let limit = bottom;
  for (let i = places.length - 1; i >= 0; i--) {
    places[i] = Math.min(places[i]!, limit);
    limit = places[i]! - lineHeight;
  }
  sorted.forEach((end, index) => {
    const line = make("path", { d: `M${end.x + 5},${end.y}L${left - 4},${places[index]!}`, fill: "none", stroke: end.fill, "stroke-opacity": 0.6 });
    const text = make("text", { x: left, y: places[index]! + 4, "text-anchor": "start", fill: "var(--text)" });
    text.textContent = end.text;
    chart.append(line, text);
  });
}

function make(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

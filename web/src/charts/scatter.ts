import * as Plot from "@observablehq/plot";
import type { Group } from "../model/groups.ts";
import type { Case, Kind, Run } from "../model/run.ts";
import { bytes, milliseconds } from "../text/numbers.ts";
import { parameterText } from "../text/parameters.ts";
import { kindColour, kindSymbol } from "./kinds.ts";
import { placeLabels } from "./labels.ts";
import { asImage, linkMarks } from "./link.ts";
import { logAxis, tickText } from "./ticks.ts";

export interface Memory {
  field: string;
  title: string;
}

interface Point {
  id: string;
  kind: Kind;
  label: string;
  ms: number;
  memory: number;
  best: boolean;
  title: string;
}

const mostMemoryTicks = 8;
const narrow = 560;

/** Memory against time: lower left is better. Each method's fastest case is filled and named. */
export function drawScatter(place: HTMLElement, width: number, run: Run, group: Group, memory: Memory): void {
  const points = pointsOf(run, group, memory);
  const times = points.map((point) => point.ms);
  const time = logAxis(Math.min(...times) / 1.15, Math.max(...times) * 1.15);
  const scale = memoryScale(points.map((point) => point.memory));
  const height = width < narrow ? 480 : 440;
  const chart = Plot.plot({
    width,
    height,
    marginLeft: 62,
    marginRight: 16,
    marginTop: 28,
    marginBottom: 40,
    style: { fontSize: "12px" },
    x: { ...time, label: "Median time, ms →", labelAnchor: "right", tickFormat: tickText, tickSize: 3 },
    y: {
      ...scale,
      label: `↑ ${memory.title}`,
      tickFormat: bytes,
      tickSize: 3,
    },
    symbol: { domain: ["own", "baseline", "other"], range: [kindSymbol.own, kindSymbol.baseline, kindSymbol.other] },
    marks: [
      Plot.gridX({ ticks: time.ticks, stroke: "var(--line)", strokeOpacity: 1 }),
      Plot.gridY({ ticks: scale.ticks, stroke: "var(--line)", strokeOpacity: 1 }),
      Plot.dot(points, {
        x: "ms",
        y: "memory",
        r: (point: Point) => (point.best ? 5.5 : 4),
        // The library would draw large dots first, beneath the others.
        sort: null,
        symbol: "kind",
        stroke: (point: Point) => kindColour[point.kind],
        strokeWidth: 1.5,
        fill: (point: Point) => (point.best ? kindColour[point.kind] : "var(--page)"),
        title: "title",
      }),
    ],
  });
  linkMarks(chart, "dot", points);
  asImage(chart, `${memory.title} against median time: ${points.filter((point) => point.best).map((point) => point.title).join("; ")}`);
  const x = chart.scale("x")!;
  const y = chart.scale("y")!;
  const at = (point: Point) => ({ x: x.apply(point.ms) as number, y: y.apply(point.memory) as number });
  placeLabels(
    chart as SVGSVGElement,
    points.filter((point) => point.best).map((point) => ({ ...at(point), text: point.label })),
    points.map(at),
    { left: 64, right: width - 8, top: 20, bottom: height - 42 },
  );
  place.replaceChildren(chart);
}

/**
 * In powers of two, and linear close to zero where a case has none at all; see logAxis for the constant.
 */
function memoryScale(values: number[]): { type: "symlog"; constant: number; domain: [number, number]; ticks: number[] } {
  const zero = values.includes(0);
  const domain: [number, number] = [zero ? 0 : Math.min(...values) / 1.5, Math.max(...values, 512) * 1.5];
  const least = zero ? 256 : domain[0];
  let ticks: number[] = [];
  for (const power of [1, 2, 3, 4, 6]) {
    ticks = zero ? [0] : [];
    for (let tick = 2 ** power; tick <= domain[1]; tick *= 2 ** power) if (tick >= least) ticks.push(tick);
    if (ticks.length <= mostMemoryTicks) break;
  }
  return { type: "symlog", constant: zero ? 256 : 1e-3, domain, ticks };
}

function pointsOf(run: Run, group: Group, memory: Memory): Point[] {
  const measured = group.cases.filter((item) => item.medianMs !== null && item.value(memory.field) !== null);
  const best = new Map<string, Case>();
  for (const item of measured) {
    const known = best.get(item.method);
    if (!known || item.medianMs! < known.medianMs!) best.set(item.method, item);
  }
  // The filled ones last: on top of the others.
  return measured.sort((a, b) => Number(best.get(a.method) === a) - Number(best.get(b.method) === b)).map((item) => {
    const column = run.axis === null ? undefined : item.parameters[run.axis];
    const at = column === undefined ? "" : ` at ${parameterText(run.axis!, column)}`;
    const value = item.value(memory.field)!;
    return {
      id: item.id,
      kind: item.kind,
      label: item.method,
      ms: item.medianMs!,
      memory: value,
      best: best.get(item.method) === item,
      title: `${item.method}${at}: ${milliseconds(item.medianMs!)} ms, ${bytes(value)}`,
    };
  });
}

import * as Plot from "@observablehq/plot";
import type { Case, Run } from "../model/run.ts";
import { milliseconds, none, ratio } from "../text/numbers.ts";
import { parameterText } from "../text/parameters.ts";
import { kindColour, kindSymbol } from "./kinds.ts";
import { textWidth } from "./labels.ts";
import { asImage, linkMarks } from "./link.ts";
import { logAxis, tickText } from "./ticks.ts";

const narrow = 560;

// Times this far apart share no linear axis.
const farApart = 6;

interface Row extends Case {
  low: number;
  high: number;
  at: string;
  time: string;
  times: string;
  title: string;
}

/** A row for each method at its best, the fastest first: its median with its interval, the baseline and the floor as lines. */
export function drawBest(place: HTMLElement, width: number, run: Run, best: Case[], floor: Case | null): void {
  const baseline = best.find((item) => item.baseline);
  const rows = best.map((item) => rowOf(run, item, baseline));
  const times = [...rows.flatMap((row) => [row.low, row.high]), ...(floor ? [floor.medianMs!] : [])];
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const axis = most > farApart * least ? logAxis(least / 1.15, most * 1.15) : { domain: [0, most * 1.04], ticks: width < narrow ? 4 : 8 };
  const small = width < narrow;
  const height = small ? 40 : 24;
  // Where a name has no room beside its row, it stands above it.
  const left = small ? 6 : Math.min(240, Math.max(...rows.map((row) => textWidth(row.method))) + 16);
  const shift = small ? 9 : 0;
  const columns = small ? [] : [{ x: 62, of: (row: Row) => row.at }, { x: 134, of: (row: Row) => row.time }, { x: 200, of: (row: Row) => row.times }];
  const shared = { y: "method", fill: "var(--text)" } as const;
  const chart = Plot.plot({
    width,
    height: rows.length * height + 62,
    marginTop: 30,
    marginBottom: 32,
    marginLeft: left,
    marginRight: small ? 12 : 206,
    style: { fontSize: "13px" },
    x: { ...axis, label: "Median time, ms →", tickFormat: tickText, tickSize: 3 },
    y: { domain: rows.map((row) => row.method), label: null, tickSize: 0, ...(small ? { axis: null } : {}) },
    symbol: { domain: ["own", "baseline", "other"], range: [kindSymbol.own, kindSymbol.baseline, kindSymbol.other] },
    marks: [
      Plot.gridX({ ticks: axis.ticks, stroke: "var(--line)", strokeOpacity: 1 }),
      baseline ? Plot.ruleX([baseline.medianMs], { stroke: "var(--ink)", strokeDasharray: "2,3", strokeOpacity: 0.7 }) : null,
      floor ? Plot.ruleX([floor.medianMs], { stroke: "var(--good)", strokeWidth: 1.75, strokeDasharray: "6,3" }) : null,
      floor ? Plot.text([floor], { x: "medianMs", frameAnchor: "top", dy: -12, dx: -4, text: () => `floor: ${milliseconds(floor.medianMs!)} ms`, fill: "var(--good)", textAnchor: "start" }) : null,
      Plot.ruleY(rows, { x1: "low", x2: "high", y: "method", stroke: (row: Row) => kindColour[row.kind], strokeWidth: 6, strokeOpacity: 0.4, dy: shift }),
      Plot.dot(rows, { x: "medianMs", y: "method", r: 5, sort: null, symbol: "kind", fill: (row: Row) => kindColour[row.kind], title: "title", dy: shift }),
      ...columns.map(({ x, of }) => Plot.text(rows, { ...shared, text: of, frameAnchor: "right", textAnchor: "end", dx: x })),
      ...(small
        ? [
            Plot.text(rows, { ...shared, text: "method", frameAnchor: "left", textAnchor: "start", dy: -9, stroke: "var(--page)", strokeWidth: 3 }),
            Plot.text(rows, { ...shared, text: (row: Row) => [row.at, row.time, row.times].filter(Boolean).join("  "), frameAnchor: "right", textAnchor: "end", dy: -9, fill: "var(--quiet)", stroke: "var(--page)", strokeWidth: 3 }),
          ]
        : []),
    ],
  });
  linkMarks(chart, "dot", rows);
  const limit = floor ? `; floor: ${floor.method}, ${milliseconds(floor.medianMs!)} ms` : "";
  asImage(chart, `Each method at its best, the fastest first: ${rows.map((row) => row.title).join("; ")}${limit}`);
  place.replaceChildren(chart);
}

function rowOf(run: Run, item: Case, baseline: Case | undefined): Row {
  const [low, high] = item.intervalMs ?? [item.medianMs!, item.medianMs!];
  const column = run.axis === null ? undefined : item.parameters[run.axis];
  const at = column === undefined || (run.axis !== "buffer" && run.axis !== "chunk") ? "" : parameterText(run.axis!, column);
  const time = `${milliseconds(item.medianMs!)} ms`;
  const found = ratioOf(item, baseline);
  const times = item.baseline ? "baseline" : found === null ? none : `${ratio(found)} ×`;
  const range = item.intervalMs ? `, 95 % CI ${milliseconds(low)} to ${milliseconds(high)}` : "";
  const what = run.facts.methods?.[item.method];
  const title = `${item.method}${at ? ` at ${at}` : ""}: ${time}${range}${found === null || item.baseline ? "" : `, ${ratio(found)} of ${baseline!.method}`}${what ? ` (${what})` : ""}`;
  return { ...item, low, high, at, time, times, title };
}

// The verdict's ratio where both have the same parameters; otherwise the quotient of the medians.
function ratioOf(item: Case, baseline: Case | undefined): number | null {
  if (!baseline) return null;
  const same = JSON.stringify(item.parameters) === JSON.stringify(baseline.parameters);
  return same && item.ratio !== null ? item.ratio : item.medianMs! / baseline.medianMs!;
}

import * as Plot from "@observablehq/plot";
import type { Case, Sample } from "../model/run.ts";
import type { Spread } from "../model/samples.ts";
import { milliseconds } from "../text/numbers.ts";
import { asImage } from "./link.ts";
import { logAxis, tickText } from "./ticks.ts";

/** How the axis of times is drawn: logarithmic or not, and up to where. */
export interface TimeScale {
  log: boolean;
  /** In milliseconds; null for all samples. */
  upTo: number | null;
}

const launchColours = 5;
const colourOf = (launch: number): string => `var(--launch-${launch % launchColours})`;

// An axis of times; the extent is that of the drawn values.
function timeAxis(drawn: { ms: number }[], { log }: TimeScale, ticks: number) {
  const times = drawn.map(({ ms }) => ms);
  return { ...(log ? logAxis(Math.min(...times), Math.max(...times)) : { ticks }), tickFormat: tickText, tickSize: 3 };
}

/** A logarithmic scale where times are far apart. */
export function scaleOf(samples: Sample[], upTo: number | null): TimeScale {
  const times = samples.map((sample) => sample.ms).filter((ms) => upTo === null || ms <= upTo);
  return { log: Math.max(...times) > 6 * Math.min(...times), upTo };
}

const within = <T extends { ms: number }>(items: T[], { upTo }: TimeScale): T[] => (upTo === null ? items : items.filter((item) => item.ms <= upTo));

/** Every sample as a dot, a row per launch, with the percentiles. */
export function drawStrip(width: number, samples: Sample[], spread: Spread, scale: TimeScale): Element {
  const launches = [...new Set(samples.map((sample) => sample.launch))].sort((a, b) => a - b);
  const shown = within(samples, scale);
  const dots = shown.map((sample) => ({ ...sample, row: sample.launch + spreadOut(sample.index), title: sampleText(sample) }));
  const marks = within(percentileMarks(spread), scale);
  return asImage(
    Plot.plot({
      width,
      height: 60 + 44 * launches.length,
      marginLeft: 74,
      marginRight: 20,
      marginTop: 28,
      marginBottom: 36,
      style: { fontSize: "12px" },
      x: { ...timeAxis(shown, scale, width < 500 ? 4 : 8), label: "Time, ms →" },
      y: { domain: [launches[0]! - 0.5, launches.at(-1)! + 0.5], reverse: true, ticks: launches, tickFormat: (launch: number) => `launch ${launch + 1}`, label: null, tickSize: 0 },
      marks: [
        Plot.ruleX(marks.filter((mark) => mark.name !== "p50"), { x: "ms", stroke: "var(--ink)", strokeDasharray: "3,3", strokeOpacity: 0.8 }),
        Plot.ruleX(marks.filter((mark) => mark.name === "p50"), { x: "ms", stroke: "var(--ink)", strokeWidth: 1.75 }),
        Plot.dot(dots.filter((dot) => dot.verified), { x: "ms", y: "row", r: 2.5, fill: (dot: Sample) => colourOf(dot.launch), fillOpacity: 0.65, title: "title" }),
        Plot.dot(dots.filter((dot) => !dot.verified), { x: "ms", y: "row", r: 4, symbol: "times", stroke: "var(--bad)", strokeWidth: 1.5, title: "title" }),
        Plot.text(apart(marks, shown, width, scale.log), { x: "ms", text: "name", frameAnchor: "top", dy: -14, fill: "var(--text)" }),
      ],
    }),
    `${shown.length} of ${samples.length} samples by launch`,
  );
}

/** How many samples took at most so long, of the case and of the baseline. */
export function drawSteps(width: number, samples: Sample[], baseline: Case | undefined, scale: TimeScale): Element {
  const own = within(steps(samples), scale);
  const other = baseline ? within(steps(baseline.samples()), scale) : [];
  return asImage(
    Plot.plot({
      width,
      height: 240,
      marginLeft: 48,
      marginRight: 16,
      marginBottom: 36,
      style: { fontSize: "12px" },
      x: { ...timeAxis([...own, ...other], scale, 5), label: "Time, ms →" },
      y: { domain: [0, 1], tickFormat: "%", ticks: [0, 0.25, 0.5, 0.75, 0.9, 1], label: null, tickSize: 0 },
      marks: [
        Plot.gridY({ ticks: [0, 0.25, 0.5, 0.75, 0.9, 1], stroke: "var(--line)", strokeOpacity: 1 }),
        Plot.lineY(other, { x: "ms", y: "part", curve: "step-after", stroke: "var(--baseline)", strokeWidth: 1.75, strokeDasharray: "5,3" }),
        Plot.lineY(own, { x: "ms", y: "part", curve: "step-after", stroke: "var(--own)", strokeWidth: 2 }),
      ],
    }),
    "Cumulative distribution of the samples",
  );
}

/** The samples in the order in which they were taken: a machine that drifts shows here. */
export function drawOrder(width: number, samples: Sample[], scale: TimeScale): Element {
  const dots = within(samples, scale).map((sample) => ({ ...sample, title: sampleText(sample) }));
  const axis = timeAxis(dots, scale, 5);
  return asImage(
    Plot.plot({
      width,
      height: 240,
      marginLeft: 48,
      marginRight: 16,
      marginBottom: 36,
      style: { fontSize: "12px" },
      x: { domain: [0, samples.length], label: "Sample →", ticks: 5, tickSize: 3 },
      y: { ...axis, label: "↑ ms" },
      marks: [
        Plot.gridY({ ticks: axis.ticks, stroke: "var(--line)", strokeOpacity: 1 }),
        Plot.dot(dots.filter((dot) => dot.verified), { x: "index", y: "ms", r: 2, fill: (dot: Sample) => colourOf(dot.launch), title: "title" }),
        Plot.dot(dots.filter((dot) => !dot.verified), { x: "index", y: "ms", r: 4, symbol: "times", stroke: "var(--bad)", strokeWidth: 1.5, title: "title" }),
      ],
    }),
    "All samples in the order in which they were taken",
  );
}

interface Mark {
  name: string;
  ms: number;
}

function percentileMarks({ percentiles }: Spread): Mark[] {
  return ([[1, "p25"], [2, "p50"], [3, "p75"], [4, "p90"], [5, "p99"]] as const).map(([i, name]) => ({ name, ms: percentiles[i]! / 1e6 }));
}

// Only names that do not run into each other; the median first.
function apart(marks: Mark[], shown: Sample[], width: number, log: boolean): Mark[] {
  const position = (ms: number): number => (log ? Math.log(ms) : ms);
  const ends = shown.map((sample) => position(sample.ms));
  const pixels = (width - 94) / (Math.max(...ends) - Math.min(...ends) || 1);
  const kept: Mark[] = [];
  for (const name of ["p50", "p99", "p25", "p75", "p90"]) {
    const mark = marks.find((candidate) => candidate.name === name);
    if (mark && kept.every((other) => Math.abs(position(other.ms) - position(mark.ms)) * pixels > 28)) kept.push(mark);
  }
  return kept;
}

const steps = (samples: Sample[]): { ms: number; part: number }[] => {
  const sorted = samples.map((sample) => sample.ms).sort((a, b) => a - b);
  return sorted.map((ms, i) => ({ ms, part: (i + 1) / sorted.length }));
};

const sampleText = (sample: Sample): string =>
  `${milliseconds(sample.ms)} ms, sample ${sample.index + 1}, launch ${sample.launch + 1}, round ${sample.round + 1}${sample.verified ? "" : ", not verified"}`;

// Dots of a row at heights that look random and are the same each time.
const spreadOut = (index: number): number => (((index * 0.618034) % 1) - 0.5) * 0.7;

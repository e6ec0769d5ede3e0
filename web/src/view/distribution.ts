import { drawOrder, drawSteps, drawStrip, scaleOf } from "../charts/distribution.ts";
import { h } from "../dom.ts";
import type { Case, Run, Sample } from "../model/run.ts";
import { select } from "./select.ts";

const gap = 32;
const leastForTwo = 760;

// Later samples than these leave the others too little room; then one may look at those alone.
const farAway = 1.5;

/** All samples of a case in three pictures, and those of the baseline beside them. */
export function distribution(run: Run, item: Case, width: number): HTMLElement | null {
  const samples = item.samples();
  const spread = item.spreads().get("wallNs");
  if (samples.length === 0 || !spread) return null;
  const baseline = baselineOf(run, item);
  const half = width > leastForTwo ? Math.floor((width - gap) / 2) : width;
  const pictures = h("div", {});
  const draw = (upTo: number | null): void => {
    const scale = scaleOf(samples, upTo);
    const both = baseline ? scaleOf([...samples, ...baseline.samples()], upTo) : scale;
    pictures.replaceChildren(
      figure(note(samples, scale.log, upTo), "", drawStrip(width, samples, spread, scale)),
      h(
        "div",
        { class: "panels", style: `grid-template-columns: repeat(${half < width ? 2 : 1}, minmax(0, 1fr))` },
        figure(baseline ? `Line: this case, dashed: ${baseline.method}.` : "", "Cumulative distribution", drawSteps(half, samples, baseline, both)),
        figure("Colours: launches. A drift or a disturbance shows here.", "In the order in which they were taken", drawOrder(half, samples, scale)),
      ),
    );
  };
  draw(null);
  const p90 = spread.percentiles[4]! / 1e6;
  const far = spread.percentiles[6]! / 1e6 > farAway * p90;
  return h(
    "div",
    {},
    h("h3", { class: "heading-1" }, `All ${samples.length} samples`),
    far ? h("div", { class: "controls" }, select("Show", ["all samples", "up to the 90th percentile"], (index) => draw(index === 0 ? null : p90))) : null,
    pictures,
  );
}

function baselineOf(run: Run, item: Case): Case | undefined {
  if (item.baseline) return undefined;
  const group = run.groups.find((candidate) => candidate.cases.includes(item));
  return group?.cases.find((other) => other.baseline && (run.axis === null || other.parameters[run.axis] === item.parameters[run.axis]));
}

const figure = (text: string, title: string, chart: Element): HTMLElement =>
  h("figure", { class: "chart" }, title ? h("h4", { class: "heading-1" }, title) : null, h("p", { class: "quiet small" }, text), chart);

function note(samples: Sample[], log: boolean, upTo: number | null): string {
  const later = upTo === null ? 0 : samples.filter((sample) => sample.ms > upTo).length;
  return [
    "A dot per sample, a row per launch; lines: percentiles of all samples.",
    later > 0 ? `${later} later samples are not in the pictures.` : "",
    log ? "Logarithmic scale." : "",
    samples.some((sample) => !sample.verified) ? "Crosses: not verified." : "",
  ].filter(Boolean).join(" ");
}

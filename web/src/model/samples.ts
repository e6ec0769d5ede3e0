import type { Distribution, StoredCase } from "./payload.ts";

/** n, and the percentiles 0 25 50 75 90 99 100. */
export interface Spread {
  n: number;
  percentiles: number[];
}

// Lists that say which sample it is, or how sure, and measure nothing.
const noMeters = new Set(["launch", "round", "unverified", "allocatedObjectsStdDev"]);

/** Every meter of a case: from the summary, and from the samples where an older file's summary has none. */
export function spreadsOf(item: StoredCase): Map<string, Spread> {
  const found = new Map<string, Spread>();
  const { wallNs, distributions } = item.summary ?? {};
  if (wallNs) found.set("wallNs", ofDistribution(wallNs));
  for (const [name, distribution] of Object.entries(distributions ?? {})) found.set(name, ofDistribution(distribution));
  const { passes, ...lists } = item.samples ?? {};
  for (const [name, list] of Object.entries({ ...lists, ...passes })) {
    if (!noMeters.has(name) && !found.has(name) && list.length > 0) found.set(name, ofSamples(list));
  }
  return found;
}

const ofDistribution = (d: Distribution): Spread => ({ n: d.n, percentiles: [d.min, d.p25, d.median, d.p75, d.p90, d.p99, d.max] });

function ofSamples(list: number[]): Spread {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (part: number): number => {
    const place = (sorted.length - 1) * part;
    const low = sorted[Math.floor(place)]!;
    return low + (sorted[Math.ceil(place)]! - low) * (place - Math.floor(place));
  };
  return { n: list.length, percentiles: [0, 0.25, 0.5, 0.75, 0.9, 0.99, 1].map(at) };
}

/** The 95 % confidence interval of a median from the order of the samples; Reporting/MedianInterval.cs has the reasons. */
export function medianInterval(samples: number[]): [number, number] | null {
  const count = samples.length;
  let logarithm = -count * Math.log(2);
  let sum = Math.exp(logarithm);
  let below = 0;
  while (sum <= 0.025) {
    below++;
    logarithm += Math.log((count - below + 1) / below);
    sum += Math.exp(logarithm);
  }
  if (below === 0) return null;
  const sorted = [...samples].sort((a, b) => a - b);
  return [sorted[below - 1]!, sorted[count - below]!];
}

import { axisOf, groupsOf, type Group } from "./groups.ts";
import type { CasePayload, Parameters, RunPayload } from "./payload.ts";
import { unpack, unroll } from "./samples.ts";

export interface Verdict {
  metric: string;
  against: string;
  verdict: string;
  better: boolean | null;
  ratio: number | null;
  low: number | null;
  high: number | null;
  threshold: number | null;
  reason: string | null;
}

/** n, and the percentiles 0 25 50 75 90 99 100. */
export interface Spread {
  n: number;
  percentiles: number[];
}

export interface Sample {
  index: number;
  ms: number;
  launch: number;
  round: number;
  verified: boolean;
}

/** A case as the page shows it. Times are in milliseconds. */
export interface Case {
  id: string;
  method: string;
  kind: Kind;
  baseline: boolean;
  noise: boolean;
  parameters: Parameters;
  error: string | null;
  unverified: boolean;
  unverifiedReason: string | null;
  strategy: string | null;
  strategyReason: string | null;
  bytesFrom: string | null;
  medianMs: number | null;
  intervalMs: [number, number] | null;
  ratio: number | null;
  ratioInterval: [number, number] | null;
  verdicts: Verdict[];
  timeVerdict: Verdict | null;
  unavailable: Record<string, string>;
  value(name: string): number | null;
  spreads(): Map<string, Spread>;
  samples(): Sample[];
}

/** Which of three groups a method belongs to; they are told apart by colour and by sign. */
export type Kind = "own" | "baseline" | "other";

export interface Run {
  id: string;
  facts: RunPayload;
  /** All but the second copies, which tell how large the noise is. */
  cases: Case[];
  baseline: string | null;
  axis: string | null;
  groups: Group[];
}

export function decodeRun(facts: RunPayload, index: number): Run {
  const id = `run-${index + 1}`;
  const cases = facts.cases.map((item, i) => decodeCase(facts, item, `${id}-case-${i + 1}`)).filter((item) => !item.noise);
  const axis = axisOf(cases);
  return {
    id,
    facts,
    cases,
    baseline: cases.find((item) => item.baseline)?.method ?? null,
    axis,
    groups: groupsOf(cases, axis),
  };
}

function decodeCase(run: RunPayload, item: CasePayload, id: string): Case {
  const text = (index: number | null | undefined): string | null => (index === null || index === undefined ? null : run.texts[index] ?? null);
  const verdicts = (item.verdicts ?? []).map((v) => decodeVerdict(v, text));
  const wall = item.meters?.[run.meterNames.indexOf("wallNs")];
  const value = (name: string): number | null => item.values?.[run.fields.indexOf(name)] ?? null;
  return {
    id,
    method: item.method,
    kind: item.baseline ? "baseline" : item.own ? "own" : "other",
    baseline: item.baseline ?? false,
    noise: item.noise ?? false,
    parameters: item.parameters,
    error: text(item.error),
    unverified: item.unverified ?? false,
    unverifiedReason: text(item.unverifiedReason),
    strategy: text(item.strategy),
    strategyReason: text(item.strategyReason),
    bytesFrom: text(item.bytesFrom),
    medianMs: wall && item.error === undefined ? decodeSpread(wall).percentiles[2]! / 1e6 : null,
    intervalMs: item.interval ? [item.interval[0] / 1e6, item.interval[1] / 1e6] : null,
    ratio: item.ratio?.[0] ?? null,
    ratioInterval: item.ratio && item.ratio[1] !== null && item.ratio[2] !== null ? [item.ratio[1], item.ratio[2]] : null,
    verdicts,
    timeVerdict: verdicts.find((verdict) => verdict.metric === "wallNs") ?? null,
    unavailable: Object.fromEntries(Object.entries(item.unavailable ?? {}).map(([meter, reason]) => [meter, text(reason) ?? ""])),
    value,
    spreads: () => new Map(Object.entries(item.meters ?? {}).map(([meter, list]) => [run.meterNames[Number(meter)]!, decodeSpread(list)])),
    samples: () => decodeSamples(run, item),
  };
}

function decodeVerdict(list: (number | null)[], text: (index: number | null | undefined) => string | null): Verdict {
  const [metric, against, verdict, better, ratio, low, high, threshold, reason] = list;
  return {
    metric: text(metric) ?? "",
    against: text(against) ?? "",
    verdict: text(verdict) ?? "",
    better: better === null || better === undefined ? null : better === 1,
    ratio: ratio ?? null,
    low: low ?? null,
    high: high ?? null,
    threshold: threshold ?? null,
    reason: text(reason),
  };
}

// All percentiles are the same where only one is written.
function decodeSpread([n, ...percentiles]: number[]): Spread {
  return { n: n!, percentiles: percentiles.length === 1 ? Array<number>(7).fill(percentiles[0]!) : percentiles };
}

function decodeSamples(run: RunPayload, item: CasePayload): Sample[] {
  if (!item.samples) return [];
  const [launches, rounds] = (run.orders[item.order ?? 0] ?? [[], []]).map(unroll);
  const notVerified = new Set(item.notVerified ?? []);
  return unpack(item.samples).map((ns, index) => ({
    index,
    ms: ns / 1e6,
    launch: launches?.[index] ?? 0,
    round: rounds?.[index] ?? index,
    verified: !notVerified.has(index),
  }));
}

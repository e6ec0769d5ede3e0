import { axisOf, groupsOf, type Group } from "./groups.ts";
import type { Parameters, RunPayload, StoredCase, Verdict } from "./payload.ts";
import { medianInterval, spreadsOf, type Spread } from "./samples.ts";

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
  /** Whether it makes only the necessary calls: a lower limit, not a method to choose. */
  floor: boolean;
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

/** Which of three groups a method belongs to; they differ in colour and sign. */
export type Kind = "own" | "baseline" | "other";

export interface Run {
  id: string;
  facts: RunPayload;
  /** All but the second copies, which show how large the noise is. */
  cases: Case[];
  baseline: string | null;
  axis: string | null;
  groups: Group[];
  /** A case of the first group. */
  main: Case | null;
}

export function decodeRun(facts: RunPayload, index: number): Run {
  const id = `run-${index + 1}`;
  const cases = facts.cases.map((item, i) => decodeCase(item, `${id}-case-${i + 1}`)).filter((item) => !item.noise);
  const axis = axisOf(cases);
  return {
    id,
    facts,
    cases,
    baseline: cases.find((item) => item.baseline)?.method ?? null,
    axis,
    groups: groupsOf(cases, axis, `${id}-case-${(facts.main ?? 0) + 1}`),
    main: cases.find((item) => item.id === `${id}-case-${(facts.main ?? 0) + 1}`) ?? null,
  };
}

// Reports colour Millrace's own methods apart from the others.
const own = /^(FilePipe|Millrace|Http1|Tus)/;

function decodeCase(item: StoredCase, id: string): Case {
  const verdicts = item.verdicts ?? [];
  const timeVerdict = verdicts.find((verdict) => verdict.metric === "wallNs") ?? null;
  const interval = item.samples ? medianInterval(item.samples.wallNs) : null;
  const value = (name: string): number | null => {
    const found = (item.summary as Record<string, unknown> | undefined)?.[name];
    return typeof found === "number" ? found : null;
  };
  return {
    id,
    method: item.method,
    kind: item.baseline ? "baseline" : own.test(item.method) ? "own" : "other",
    baseline: item.baseline,
    noise: item.role !== undefined,
    floor: item.method.startsWith("Raw"),
    parameters: item.parameters,
    error: item.error ?? (item.summary ? null : "too few samples"),
    unverified: !item.verified && item.error === undefined,
    unverifiedReason: item.unverifiedReason ?? null,
    strategy: item.strategy ?? null,
    strategyReason: item.strategyReason ?? null,
    bytesFrom: item.summary?.bytesFrom ?? null,
    medianMs: item.summary && item.error === undefined ? item.summary.wallNs.median / 1e6 : null,
    intervalMs: interval && [interval[0] / 1e6, interval[1] / 1e6],
    ratio: timeVerdict?.ratio ?? value("medianRatio"),
    ratioInterval: timeVerdict?.low !== undefined && timeVerdict.high !== undefined ? [timeVerdict.low, timeVerdict.high] : null,
    verdicts,
    timeVerdict,
    unavailable: item.unavailable ?? {},
    value,
    spreads: () => spreadsOf(item),
    samples: () => samplesOf(item),
  };
}

function samplesOf({ samples }: StoredCase): Sample[] {
  if (!samples) return [];
  const unverified = new Set(samples.unverified);
  return samples.wallNs.map((ns, index) => ({
    index,
    ms: ns / 1e6,
    launch: samples.launch[index] ?? 0,
    round: samples.round[index] ?? index,
    verified: !unverified.has(index),
  }));
}

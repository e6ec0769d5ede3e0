import type { Case } from "../model/run.ts";
import { tickText } from "./ticks.ts";
import { bytes, milliseconds, ratio, significant } from "../text/numbers.ts";

/** What bars can show of a case. */
export interface Measure {
  title: string;
  unit: string;
  note: string;
  value(item: Case): number | null;
  interval(item: Case): [number, number] | null;
  text(value: number): string;
  /** The same beside an axis. */
  tick(value: number): string;
}

const noInterval = (): null => null;

export const measures: Measure[] = [
  {
    title: "Median time",
    unit: "ms",
    note: "Lines: 95 % confidence interval of the median.",
    value: (item) => item.medianMs,
    interval: (item) => item.intervalMs,
    text: milliseconds,
    tick: tickText,
  },
  {
    title: "Ratio to the baseline",
    unit: "×",
    note: "Lines: 95 % confidence interval, where the run has a verdict.",
    value: (item) => item.ratio,
    interval: (item) => item.ratioInterval,
    text: ratio,
    tick: tickText,
  },
  {
    title: "Processor time",
    unit: "ms",
    note: "User and system, mean, the whole process.",
    value: cpuMs,
    interval: noInterval,
    text: milliseconds,
    tick: tickText,
  },
  {
    title: "Throughput",
    unit: "MiB/s",
    note: "By the median time.",
    value: (item) => item.value("mibPerSecond"),
    interval: noInterval,
    text: (value) => significant(value),
    tick: tickText,
  },
  { title: "Allocated", unit: "", note: "Managed bytes per invocation.", value: (item) => item.value("allocatedBytes"), interval: noInterval, text: bytes, tick: bytes },
  {
    title: "Peak memory over idle",
    unit: "",
    note: "Of a process that ran nothing but the case.",
    value: (item) => item.value("peakOverIdleBytes"),
    interval: noInterval,
    text: bytes,
    tick: bytes,
  },
];

function cpuMs(item: Case): number | null {
  const user = item.value("userCpuNs");
  const system = item.value("systemCpuNs");
  return user === null || system === null ? null : (user + system) / 1e6;
}

import type { Case, Run } from "../model/run.ts";
import { valuesOf } from "../model/groups.ts";
import { bytes, count, estimate, milliseconds, percent, ratio, significant } from "../text/numbers.ts";
import { parameterTitle, valueText } from "../text/parameters.ts";

/** A column of the table of all cases. */
export interface Column {
  title: string;
  unit: string;
  number: boolean;
  /** The sort key; null goes last. */
  value(item: Case): number | string | null;
  text(item: Case): string;
}

/** The columns that at least one case has a value for. */
export function columnsOf(run: Run): Column[] {
  const parameters = [...valuesOf(run.cases)]
    .filter(([name, values]) => values.length > 1 || run.cases.some((item) => !(name in item.parameters)))
    .sort(([a], [b]) => Number(b === run.axis) - Number(a === run.axis))
    .map(([name]) => parameter(name));
  return [...parameters, ...figures].filter((column) => run.cases.some((item) => column.value(item) !== null));
}

function parameter(name: string): Column {
  return {
    title: parameterTitle(name),
    unit: "",
    number: false,
    value: (item) => item.parameters[name] ?? null,
    text: (item) => (name in item.parameters ? valueText(name, item.parameters[name]!) : ""),
  };
}

const field = (title: string, unit: string, name: string, write: (value: number) => string, scale = 1): Column =>
  figure(title, unit, (item) => scaled(item.value(name), scale), write);

const scaled = (value: number | null, scale: number): number | null => (value === null ? null : value / scale);

const figure = (title: string, unit: string, value: (item: Case) => number | null, write: (value: number) => string): Column => ({
  title,
  unit,
  number: true,
  value,
  text: (item) => {
    const found = value(item);
    return found === null ? "" : write(found);
  },
});

// An interval sorts by its width, by the middle: the least certain case is at one end.
const interval = (title: string, unit: string, of: (item: Case) => [number, number] | null, write: (value: number) => string): Column => ({
  title,
  unit,
  number: true,
  value: (item) => {
    const range = of(item);
    return range && range[0] > 0 ? range[1] / range[0] : null;
  },
  text: (item) => {
    const range = of(item);
    return range ? `${write(range[0])}–${write(range[1])}` : "";
  },
});

const text = (title: string, of: (item: Case) => string | null): Column => ({
  title,
  unit: "",
  number: false,
  value: of,
  text: (item) => of(item) ?? "",
});

const figures: Column[] = [
  figure("Median", "ms", (item) => item.medianMs, milliseconds),
  interval("95 % CI", "ms", (item) => item.intervalMs, milliseconds),
  figure("Ratio", "", (item) => item.ratio, ratio),
  interval("95 % CI", "ratio", (item) => item.ratioInterval, ratio),
  figure("× floor", "", (item) => item.value("floorRatio"), ratio),
  text("Verdict", (item) => item.timeVerdict?.verdict ?? null),
  field("Speed", "MiB/s", "mibPerSecond", (value) => significant(value)),
  field("CPU user", "ms", "userCpuNs", (value) => significant(value), 1e6),
  field("CPU system", "ms", "systemCpuNs", (value) => significant(value), 1e6),
  field("Cores", "used", "coresUsed", (value) => value.toFixed(2)),
  field("In calls", "of time", "callingThreadShare", percent),
  field("Allocated", "", "allocatedBytes", bytes),
  field("Objects", "sampled", "allocatedObjects", estimate),
  field("Peak memory", "over idle", "peakOverIdleBytes", bytes),
  field("CPU", "server, ms", "serverCpuNs", (value) => significant(value), 1e6),
  field("Allocated", "server", "serverAllocatedBytes", bytes),
  field("Peak memory", "server", "serverPeakResidentBytes", bytes),
  field("System calls", "", "systemCalls", count),
  field("Read calls", "", "readCalls", count),
  field("Write calls", "", "writeCalls", count),
  field("Faults", "minor", "minorFaults", count),
  field("Faults", "major", "majorFaults", count),
  field("Switches", "context", "contextSwitches", count),
  text("Bytes from", (item) => item.bytesFrom),
  text("Strategy", (item) => item.strategy),
];

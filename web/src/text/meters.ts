import { bytes, count, estimate, milliseconds } from "./numbers.ts";

/** The title of a meter, which ends with its unit, and the format of its numbers. */
export interface MeterText {
  title: string;
  unit: string;
  text(value: number): string;
}

const titles: Record<string, string> = {
  wallNs: "Time",
  userCpuNs: "CPU, user",
  systemCpuNs: "CPU, system",
  callingThreadNs: "In reading calls",
  coresUsed: "Cores used",
  minorFaults: "Faults, minor",
  majorFaults: "Faults, major",
  voluntarySwitches: "Switches, voluntary",
  involuntarySwitches: "Switches, involuntary",
  logicalReadBytes: "Bytes read by calls",
  physicalReadBytes: "Bytes read from disk",
  readCalls: "Read calls",
  logicalWriteBytes: "Bytes written by calls",
  physicalWriteBytes: "Bytes written to disk",
  writeCalls: "Write calls",
  systemCalls: "System calls",
  allocatedBytes: "Allocated",
  allocatedObjects: "Objects, sampled",
  peakResidentBytes: "Peak memory",
  peakOverIdleBytes: "Peak over idle",
  serverCpuNs: "CPU, server",
  serverAllocatedBytes: "Allocated, server",
  serverGen2: "Collections, gen 2, server",
  serverPeakResidentBytes: "Peak memory, server",
  gen0: "Collections, gen 0",
  gen1: "Collections, gen 1",
  gen2: "Collections, gen 2",
};

const estimates = new Set(["allocatedObjects"]);

/** Works for meters that this page has never heard of, too. */
export function meterText(name: string): MeterText {
  const title = titles[name] ?? name;
  if (name.endsWith("Ns")) return { title, unit: "ms", text: (value) => milliseconds(value / 1e6) };
  if (name.endsWith("Bytes")) return { title, unit: "", text: bytes };
  return { title, unit: "", text: estimates.has(name) ? estimate : count };
}

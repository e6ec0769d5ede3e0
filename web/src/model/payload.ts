/** The data in the page: runs as results.json has them, with their advice; Reporting/HtmlReport.cs compresses it. */
export interface Payload {
  schema: "millrace.report/2";
  runs: RunPayload[];
  published: Published[];
  /** Suites that were measured on several machines. */
  machines: Machines[];
}

/** Cells are in the order of the machines; a raw row has no rank. */
export interface Machines {
  suite: string;
  machines: string[];
  works: { title: string; change?: string; rows: { method: string; cells: { ratio: number; rank?: number }[] }[] }[];
}

export type Parameters = Record<string, string | number>;

export interface RunPayload {
  suite: string;
  mode: string;
  purpose?: string;
  command: string;
  started: string;
  durationSeconds: number;
  interrupted?: boolean;
  seed: number;
  engine: Record<string, unknown>;
  machine: Record<string, unknown>;
  meters: Record<string, string>;
  launches: Launch[];
  meterCosts: { meter: string; nanoseconds: number; per: string; where: string }[];
  absent: { what: string; reason: string }[];
  warnings: string[];
  noise: { method: string; parameters: Parameters; medianRatio: number; ratio: number; ratioStdDev: number; deviation: number }[];
  /** Only where the run was asked to fail under its targets. */
  bars?: { figure: string; limit: string; measured: string; met?: boolean }[];
  finding?: string;
  /** A line for each method that the laboratory knows. */
  methods?: Record<string, string>;
  /** The index of a case of the group to show first. */
  main?: number;
  advice: { section: string; title: string; evidence: string[]; action: string; code?: string; check: string; ofOthers?: boolean; isWarning?: boolean }[];
  cases: StoredCase[];
}

export interface Launch {
  index: number;
  started: string;
  durationSeconds: number;
  seed: number;
  hotRounds?: number;
  coldRounds?: number;
  compilerQuiet?: boolean;
  loadAverage?: number;
}

export interface Distribution {
  n: number;
  min: number;
  p25: number;
  median: number;
  p75: number;
  p90: number;
  p99: number;
  max: number;
}

export interface Verdict {
  metric: string;
  against: string;
  verdict: string;
  better?: boolean;
  ratio?: number;
  low?: number;
  high?: number;
  threshold?: number;
  reason?: string;
}

/** A case of results.json; docs/results-schema.md describes every field. */
export interface StoredCase {
  method: string;
  baseline: boolean;
  role?: string;
  verified: boolean;
  unverifiedReason?: string;
  error?: string;
  parameters: Parameters;
  strategy?: string;
  strategyReason?: string;
  samples?: { launch: number[]; round: number[]; wallNs: number[]; unverified?: number[]; passes?: Record<string, number[]> };
  summary?: { wallNs: Distribution; bytesFrom?: string; distributions?: Record<string, Distribution> };
  verdicts?: Verdict[];
  unavailable?: Record<string, string>;
}

export interface Published {
  title: string;
  source: string;
  notes: string;
  rows: { method: string; ourMethod?: string; parameters: Parameters; ratio: number }[];
}

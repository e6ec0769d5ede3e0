/** The shape of the data in the page; Reporting/Html/CasePayload.cs writes it. */
export interface Payload {
  schema: "millrace.report/1";
  runs: RunPayload[];
  published: Published[];
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
  bars: { figure: string; limit: string; measured: string; met?: boolean }[];
  finding?: string;
  advice: { section: string; title: string; evidence: string[]; action: string; code?: string; check: string; ofOthers?: boolean }[];
  cases: CasePayload[];
  texts: string[];
  fields: string[];
  meterNames: string[];
  orders: [number[], number[]][];
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

export type Samples = number[] | { exponent: number; packed: string };

/** Numbers named "…Reason", strategy, bytesFrom and error are indexes into texts. */
export interface CasePayload {
  method: string;
  own?: true;
  baseline?: true;
  noise?: true;
  unverified?: true;
  unverifiedReason?: number;
  error?: number;
  parameters: Parameters;
  strategy?: number;
  strategyReason?: number;
  bytesFrom?: number;
  order?: number;
  samples?: Samples;
  notVerified?: number[];
  interval?: [number, number];
  values?: (number | null)[];
  ratio?: [number, number | null, number | null];
  verdicts?: (number | null)[][];
  meters?: Record<string, number[]>;
  unavailable?: Record<string, number>;
}

export interface Published {
  title: string;
  source: string;
  notes: string;
  rows: { method: string; ourMethod?: string; parameters: Record<string, string>; ratio: number }[];
}

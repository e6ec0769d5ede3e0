import { h } from "../dom.ts";
import { heading } from "./heading.ts";
import type { Run } from "../model/run.ts";
import { meterText } from "../text/meters.ts";
import { bytes, duration, none, percent, significant, time } from "../text/numbers.ts";
import { parametersText } from "../text/parameters.ts";
import { scrollable } from "./scroll.ts";

type Section = [string, string, HTMLElement | null];

/** The facts needed to trust the numbers, or to measure them again. */
export function facts(run: Run): Section[] {
  return [
    ["noise", "Noise", noise(run)],
    ["meters", "Meters", meters(run)],
    ["launches", "Launches", launches(run)],
    ["machine", "Machine and engine", machine(run)],
  ];
}

function noise(run: Run): HTMLElement | null {
  const all = run.facts.noise;
  if (all.length === 0) return null;
  const rows = all.map((item) => [
    `${item.method} ${parametersText(item.parameters)}`,
    item.medianRatio.toFixed(3),
    item.ratio.toFixed(3),
    item.ratioStdDev.toFixed(3),
    percent(item.deviation),
  ]);
  return h(
    "div",
    {},
    h("p", {}, "The same method measured as two cases of the same rounds: differences as small as these mean nothing."),
    grid(["Cases", "Median ratio", "Ratio", "Standard deviation", "Deviation"], rows, 1),
  );
}

function meters(run: Run): HTMLElement | null {
  const { meters: sources, meterCosts } = run.facts;
  const reasons = new Map<string, { reason: string; cases: number }>();
  for (const [name, reason] of run.cases.flatMap((item) => Object.entries(item.unavailable))) reasons.set(name, { reason, cases: (reasons.get(name)?.cases ?? 0) + 1 });
  const rows = [
    ...Object.entries(sources).map(([name, source]) => [meterText(name).title, source] as [string, string]),
    ...[...reasons].map(([name, { reason, cases }]) => [meterText(name).title, `not available${cases < run.cases.length ? ` in ${cases} of ${run.cases.length} cases` : ""}: ${reason}`] as [string, string]),
  ];
  if (rows.length === 0 && meterCosts.length === 0) return null;
  const costs = meterCosts.map((cost) => [cost.meter, duration(cost.nanoseconds / 1e9), cost.per, cost.where]);
  return h("div", {}, list(rows), costs.length === 0 ? null : [heading(1, "Their cost here"), grid(["Meter", "Time", "Per", "Where"], costs, 4)].flat());
}

function launches(run: Run): HTMLElement | null {
  const all = run.facts.launches;
  if (all.length === 0) return null;
  const rows = all.map((launch) => [
    String(launch.index + 1),
    time(launch.started),
    duration(launch.durationSeconds),
    String(launch.seed),
    String(launch.hotRounds ?? 0),
    String(launch.coldRounds ?? 0),
    launch.compilerQuiet ? "yes" : "no",
    launch.loadAverage === undefined ? none : significant(launch.loadAverage),
  ]);
  return grid(["Launch", "Began", "Took", "Seed", "Hot rounds", "Cold rounds", "JIT idle", "Load before"], rows, 2);
}

const names: Record<string, string> = {
  cpu: "Processor",
  os: "System",
  cores: "Logical processors",
  physicalCores: "Physical cores",
  memoryBytes: "Memory",
  cacheBytes: "Last-level cache",
  millrace: "Millrace",
  warmUpPhases: "Warm-up phases",
  warmUpCalls: "Warm-up calls",
};

function machine(run: Run): HTMLElement {
  const { facts: all } = run;
  return h(
    "div",
    { class: "two" },
    h("div", {}, heading(1, "Machine"), list(describe(all.machine))),
    h("div", {}, heading(1, "Engine"), list([...describe(all.engine), ["Seed", String(all.seed)], ["Command", all.command]])),
  );
}

function describe(object: Record<string, unknown>): [string, string][] {
  return Object.entries(object).flatMap(([name, value]): [string, string][] => {
    if (value !== null && typeof value === "object") return describe(value as Record<string, unknown>);
    const title = names[name] ?? (/^[A-Z]/.test(name) ? name : name.replace(/^./, (c) => c.toUpperCase()).replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`));
    const text = typeof value === "number" && name.endsWith("Bytes") ? bytes(value) : typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
    return [[title, text]];
  });
}

const list = (rows: [string, string][]): HTMLElement =>
  h("table", { class: "facts" }, h("tbody", {}, rows.map(([name, text]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, text)))));

function grid(titles: string[], rows: string[][], texts: number): HTMLElement {
  const kind = (index: number): string | null => (index < texts ? null : "number");
  return scrollable(
    titles.join(", "),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, titles.map((title, i) => h("th", { scope: "col", class: kind(i) }, title)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, i) => h("td", { class: kind(i) }, cell))))),
    ),
  );
}

import { h } from "../dom.ts";
import type { Case, Run } from "../model/run.ts";
import { bytes, duration, time } from "../text/numbers.ts";
import { parametersText } from "../text/parameters.ts";
import { one } from "./advice.ts";

/** Where the run took place, its finding, and what reduces the value of its numbers. */
export function head(run: Run): HTMLElement {
  const { facts } = run;
  const machine = facts.machine as { cpu?: string; cores?: number; memoryBytes?: number; os?: string; runtime?: string };
  const place = [
    machine.cpu,
    machine.cores === undefined ? null : `${machine.cores} ${machine.cores === 1 ? "core" : "cores"}`,
    machine.memoryBytes === undefined ? null : bytes(machine.memoryBytes),
    machine.os,
    machine.runtime,
    time(facts.started),
    duration(facts.durationSeconds),
    `${run.cases.length} cases`,
  ];
  return h(
    "header",
    {},
    h("p", { class: "meta quiet small" }, place.filter(Boolean).join(", ")),
    facts.finding ? h("p", { class: "finding" }, facts.finding) : null,
    warnings(run),
    problems(run),
  );
}

const shownAtOnce = 2;

/** What makes the figures worth less than they look: a line each, which unfolds to its evidence; the first ones at once. */
function warnings(run: Run): HTMLElement | null {
  const found = run.facts.advice.filter((item) => item.isWarning);
  if (found.length === 0) return null;
  const more = found.slice(shownAtOnce);
  return h(
    "div",
    { class: "warnings", role: "note", "aria-label": "Before you trust it" },
    found.slice(0, shownAtOnce).map((item) => one(item)),
    more.length === 0 ? null : h("details", { class: "more-warnings" }, h("summary", {}, `${more.length} more to know before you trust it`), more.map((item) => one(item))),
  );
}

function problems(run: Run): HTMLElement | null {
  const lines = [
    ...run.facts.absent.map((absent) => `Not measured: ${absent.what}: ${absent.reason}.`),
    ...grouped(run.cases.filter((item) => item.error !== null), "Failed", (item) => item.error),
    ...grouped(run.cases.filter((item) => item.unverified), "Not verified", (item) => item.unverifiedReason),
  ];
  if (lines.length === 0) return null;
  return h(
    "details",
    { class: "problems small" },
    h("summary", {}, "Not measured, failed or not verified"),
    h("ul", {}, lines.map((line) => h("li", {}, line))),
  );
}

const manyCases = 3;

// A reason once, however many cases have it.
function grouped(cases: Case[], what: string, reasonOf: (item: Case) => string | null): string[] {
  const byReason = new Map<string, Case[]>();
  for (const item of cases) {
    const reason = reasonOf(item) ?? "no reason given";
    byReason.set(reason, [...(byReason.get(reason) ?? []), item]);
  }
  return [...byReason].map(([reason, items]) => {
    const names = items.slice(0, manyCases).map((item) => `${item.method} (${parametersText(item.parameters)})`);
    const more = items.length > manyCases ? ` and ${items.length - manyCases} more` : "";
    return `${what}: ${names.join("; ")}${more}: ${reason}`;
  });
}

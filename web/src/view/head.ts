import { h } from "../dom.ts";
import type { Case, Run } from "../model/run.ts";
import { bytes, duration, time } from "../text/numbers.ts";
import { parametersText } from "../text/parameters.ts";

/** The finding, where and how the run took place, and what reduces the value of its numbers. */
export function head(run: Run): HTMLElement {
  const { facts } = run;
  const machine = facts.machine as { cpu?: string; cores?: number; memoryBytes?: number; os?: string; runtime?: string };
  const place = [
    machine.cpu,
    machine.cores === undefined ? null : `${machine.cores} ${machine.cores === 1 ? "core" : "cores"}`,
    machine.memoryBytes === undefined ? null : bytes(machine.memoryBytes),
    machine.os,
    machine.runtime,
  ];
  return h(
    "header",
    {},
    facts.finding ? h("p", { class: "finding" }, facts.finding) : null,
    h(
      "p",
      { class: "meta quiet small" },
      place.filter(Boolean).join(", "),
      h("br"),
      `${time(facts.started)}, ${duration(facts.durationSeconds)}, ${run.cases.length} cases. `,
    ),
    h("pre", { class: "wrap" }, facts.command),
    notes(run),
  );
}

function notes(run: Run): HTMLElement | null {
  const { facts } = run;
  const lines = [
    ...facts.warnings,
    ...(facts.interrupted ? ["The run ended before it was complete."] : []),
    ...facts.absent.map((absent) => `Not measured: ${absent.what}: ${absent.reason}.`),
    ...problems(run.cases.filter((item) => item.error !== null), "Failed", (item) => item.error),
    ...problems(run.cases.filter((item) => item.unverified), "Not verified", (item) => item.unverifiedReason),
  ];
  return lines.length === 0 ? null : h("div", { class: "notes small", role: "note" }, h("ul", {}, lines.map((line) => h("li", {}, line))));
}

const manyCases = 3;

// A reason once, however many cases have it.
function problems(cases: Case[], what: string, reasonOf: (item: Case) => string | null): string[] {
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

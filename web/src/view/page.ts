import { h } from "../dom.ts";
import { heading, sectionsAt } from "./heading.ts";
import type { Payload } from "../model/payload.ts";
import { decodeRun, type Run } from "../model/run.ts";
import { time } from "../text/numbers.ts";
import { advice, conclusions } from "./advice.ts";
import { targets } from "./targets.ts";
import { caseDialog } from "./caseDialog.ts";
import { caseTable } from "./caseTable.ts";
import { compare } from "./compare.ts";
import { facts } from "./facts.ts";
import { head } from "./head.ts";
import { machines } from "./machines.ts";
import { published } from "./published.ts";

/** A section, or null when the run has nothing for it. */
type Section = [id: string, title: string, content: HTMLElement | null];

/** Builds the whole page. */
export function drawPage(place: HTMLElement, payload: Payload): void {
  const runs = payload.runs.map(decodeRun);
  const first = runs[0];
  if (!first) {
    place.append(h("h1", {}, "Millrace laboratory"), h("p", {}, "This report has no runs."));
    return;
  }
  document.title = runs.length === 1 ? `Millrace laboratory: ${nameOf(first)}` : `Millrace laboratory: ${runs.length} runs`;
  place.append(h("h1", {}, runs.length === 1 ? document.title : "Millrace laboratory"));
  if (runs.length > 1) place.append(contents(runs));
  sectionsAt(runs.length > 1 ? 3 : 2);
  const several = machines(payload.machines);
  if (several) place.append(several);
  for (const run of runs) place.append(section(run, payload, runs.length > 1));
  caseDialog(runs);
}

const nameOf = (run: Run): string => [run.facts.suite, run.facts.mode, run.facts.purpose].filter(Boolean).join(", ");

function contents(runs: Run[]): HTMLElement {
  const items = runs.map((run) =>
    h("li", {}, h("a", { href: `#${run.id}` }, nameOf(run)), ` – ${String(run.facts.machine["cpu"])}, ${time(run.facts.started)}`),
  );
  return h("div", { class: "contents" }, h("p", {}, `${runs.length} runs:`), h("ol", {}, items));
}

function section(run: Run, payload: Payload, several: boolean): HTMLElement {
  const compared = compare(run);
  const sections: Section[] = [
    ...(compared ? [compared.best] : []),
    ["advice", "Advice", advice(run)],
    ...(compared?.charts ?? []),
    ["published", "Published figures", published(run, payload.published)],
    ["conclusions", "Published conclusions, tested here", conclusions(run)],
    ["table", "All cases", caseTable(run)],
    ...facts(run),
    ["targets", "Targets", targets(run)],
  ];
  const shown = sections.filter((entry): entry is [string, string, HTMLElement] => entry[2] !== null);
  return h(
    "article",
    { class: "run", id: run.id },
    several ? h("h2", {}, `${nameOf(run)}, ${time(run.facts.started)}`) : null,
    head(run),
    shown.map(([id, title, content], index) => [
      h("section", { id: `${run.id}-${id}`, "aria-label": title }, heading(0, title), content),
      // Below the first screen, which has the answer and its picture.
      index > 0 ? null : h("nav", { "aria-label": `Sections of ${nameOf(run)}` }, h("ul", {}, shown.map(([to, name]) => h("li", {}, h("a", { href: `#${run.id}-${to}` }, name))))),
    ]).flat(),
  );
}

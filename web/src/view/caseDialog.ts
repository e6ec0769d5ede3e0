import { h } from "../dom.ts";
import type { Case, Run } from "../model/run.ts";
import { bytes, estimate, milliseconds, none, ratio, significant } from "../text/numbers.ts";
import { parametersText } from "../text/parameters.ts";
import { distribution } from "./distribution.ts";
import { meterTable, unavailableList } from "./meterTable.ts";
import { verdictTable } from "./verdictTable.ts";

/** Opens a case wherever something with its identifier is clicked, and gives the focus back when it closes. */
export function caseDialog(runs: Run[]): void {
  const cases = new Map(runs.flatMap((run) => run.cases.map((item) => [item.id, { run, item }] as const)));
  const dialog = h("dialog", { "aria-labelledby": "case-title" });
  document.body.append(dialog);
  document.addEventListener("click", (event) => {
    const id = (event.target as Element).closest<HTMLElement>("[data-case]")?.dataset["case"];
    const found = id === undefined ? undefined : cases.get(id);
    if (found) open(dialog, found.run, found.item);
    else if (event.target === dialog) dialog.close();
  });
}

function open(dialog: HTMLDialogElement, run: Run, item: Case): void {
  const close = h("button", { class: "button no-print", type: "button", click: () => dialog.close() }, "Close");
  const body = h("div", {});
  dialog.replaceChildren(
    h(
      "div",
      { class: "dialog-head" },
      h("div", {}, h("h2", { id: "case-title", class: "heading-0" }, item.method), h("p", { class: "quiet small" }, parametersText(item.parameters), run.facts.methods?.[item.method] ? [h("br"), run.facts.methods[item.method]!] : [])),
      close,
    ),
    body,
  );
  // Shown first: the charts are as wide as the dialog is.
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  body.append(...content(run, item, body.clientWidth));
}

function content(run: Run, item: Case, width: number): HTMLElement[] {
  const parts: (HTMLElement | null)[] = [
    item.error !== null ? h("p", { class: "notes wrap" }, `Failed: ${item.error}`) : null,
    item.unverified ? h("p", { class: "notes" }, `Not verified: ${item.unverifiedReason ?? "no reason given"}`) : null,
    item.strategy ? h("p", {}, `It used ${item.strategy}${item.strategyReason ? `: ${item.strategyReason}` : ""}.`) : null,
    numbers(item),
    distribution(run, item, width),
    verdictTable(item),
    meterTable(item, run.facts.meters),
    unavailableList(item),
    sampleList(item),
  ];
  return parts.filter((part) => part !== null);
}

function numbers(item: Case): HTMLElement | null {
  if (item.medianMs === null) return null;
  const memory = item.value("peakOverIdleBytes");
  const allocated = item.value("allocatedBytes");
  const objects = item.value("allocatedObjects");
  const deviation = item.value("allocatedObjectsStdDev");
  const speed = item.value("mibPerSecond");
  const entries: [string, string | null][] = [
    ["Median", `${milliseconds(item.medianMs)} ms`],
    ["95 % CI", item.intervalMs ? `${item.intervalMs.map(milliseconds).join("–")} ms` : null],
    ["Ratio", item.ratio === null ? none : ratio(item.ratio) + (item.ratioInterval ? ` (${item.ratioInterval.map(ratio).join("–")})` : "")],
    ["Verdict", item.timeVerdict?.verdict ?? null],
    ["Speed", speed === null ? null : `${significant(speed)} MiB/s`],
    ["Allocated", allocated === null ? null : bytes(allocated)],
    ["Objects, sampled", objects === null ? null : estimate(objects) + (deviation ? ` ± ${significant(deviation, 2)}` : "")],
    ["Peak over idle", memory === null ? null : bytes(memory)],
  ];
  return h("dl", { class: "numbers" }, entries.filter(([, text]) => text !== null).map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text))));
}

function sampleList(item: Case): HTMLElement | null {
  const samples = item.samples();
  if (samples.length === 0) return null;
  return h("details", { class: "no-print" }, h("summary", {}, `The ${samples.length} samples as numbers, ms`), h("p", { class: "small wrap" }, samples.map((sample) => milliseconds(sample.ms)).join(" ")));
}

import { h } from "../dom.ts";
import { valuesOf } from "../model/groups.ts";
import type { Case, Run } from "../model/run.ts";
import { parameterTitle, parametersText, valueText } from "../text/parameters.ts";
import { columnsOf, type Column } from "./columns.ts";
import { roving } from "./roving.ts";
import { scrollable } from "./scroll.ts";

type Test = (item: Case) => boolean;

/** All cases with their figures; sorted by a click on a title, filtered by the fields above. */
export function caseTable(run: Run): HTMLElement {
  const columns = columnsOf(run);
  const rows = new Map(run.cases.map((item) => [item, row(run, item, columns)]));
  const body = h("tbody", {}, [...rows.values()]);
  const status = h("p", { class: "quiet small no-print", role: "status" });
  const tests = new Map<string, Test>();
  const filter = (): void => {
    const shown = run.cases.filter((item) => {
      const visible = [...tests.values()].every((test) => test(item));
      rows.get(item)!.hidden = !visible;
      return visible;
    });
    const all = `${run.cases.length} cases`;
    status.textContent = `${shown.length === run.cases.length ? all : `${shown.length} of ${all}`}. Click a heading to sort, a method to see its samples.`;
    body.dispatchEvent(new Event("roving-reset"));
  };
  filter();
  const head = h("tr", {});
  const sort = (title: HTMLElement, column: Column | null): void => {
    const down = title.getAttribute("aria-sort") === "ascending";
    for (const other of head.children) other.removeAttribute("aria-sort");
    title.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (item: Case) => (column ? column.value(item) : item.method);
    const sorted = [...run.cases].sort((a, b) => compareValues(value(a), value(b), down));
    body.replaceChildren(...sorted.map((item) => rows.get(item)!));
    body.dispatchEvent(new Event("roving-reset"));
  };
  head.append(titleCell("Method", "", false, (cell) => sort(cell, null)));
  for (const column of columns) head.append(titleCell(column.title, column.unit, column.number, (cell) => sort(cell, column)));
  roving(body, () => [...body.rows].filter((line) => !line.hidden).map((line) => [line.querySelector<HTMLElement>("button")!]));
  return h(
    "div",
    {},
    controls(run, (name, test) => {
      if (test) tests.set(name, test);
      else tests.delete(name);
      filter();
    }),
    status,
    scrollable("Table of all cases", h("table", { class: "cases" }, h("thead", {}, head), body), "tall"),
  );
}

// Numbers before nothing, in both directions.
function compareValues(a: number | string | null, b: number | string | null, down: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : a === b ? 0 : 1;
  return down ? -order : order;
}

function titleCell(title: string, unit: string, number: boolean, click: (cell: HTMLElement) => void): HTMLElement {
  const button = h("button", { class: "sort no-print", type: "button" }, title, unit ? h("span", { class: "unit" }, unit) : null);
  // Chromium does not print buttons in a header that it repeats on each page.
  const cell = h("th", { scope: "col", class: number ? "number" : null }, button, h("span", { class: "only-print", "aria-hidden": "true" }, `${title} ${unit}`));
  button.addEventListener("click", () => click(cell));
  return cell;
}

function row(run: Run, item: Case, columns: Column[]): HTMLTableRowElement {
  const state = item.error !== null ? "failed" : item.unverified ? "not verified" : null;
  const name = h(
    "th",
    { scope: "row" },
    h("button", { class: "open", type: "button", "data-case": item.id, title: run.facts.methods?.[item.method] }, item.method),
    state ? h("span", { class: "tag", title: item.error ?? item.unverifiedReason }, state) : null,
  );
  return h("tr", {}, name, columns.map((column) => h("td", { class: column.number ? "number" : null }, column.text(item))));
}

function controls(run: Run, set: (name: string, test: Test | null) => void): HTMLElement {
  const search = h("input", { type: "search", autocomplete: "off", placeholder: "FilePipe", size: 18 });
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    set("search", words.length === 0 ? null : (item) => words.every((word) => textOf(item).includes(word)));
  });
  const selects = [...valuesOf(run.cases)]
    .filter(([, values]) => values.length > 1)
    .map(([name, values]) => choice(parameterTitle(name), values.map((value) => valueText(name, value)), (index) => (item) => item.parameters[name] === values[index], (test) => set(name, test)));
  const verdicts = [...new Set(run.cases.map((item) => item.timeVerdict?.verdict).filter((verdict) => verdict !== undefined))];
  if (verdicts.length > 0) {
    selects.push(choice("Verdict", verdicts, (index) => (item) => item.timeVerdict?.verdict === verdicts[index], (test) => set("verdict", test)));
  }
  return h("div", { class: "controls" }, h("label", {}, "Filter by text", search), selects);
}

const textOf = (item: Case): string => `${item.method} ${parametersText(item.parameters)} ${item.error ?? ""}`.toLowerCase();

function choice(title: string, options: string[], testOf: (index: number) => Test, set: (test: Test | null) => void): HTMLElement {
  const box = h("select", {}, h("option", {}, "all"), options.map((option) => h("option", {}, option)));
  box.addEventListener("change", () => set(box.selectedIndex === 0 ? null : testOf(box.selectedIndex - 1)));
  return h("label", {}, title, box);
}

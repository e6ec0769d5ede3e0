import { h } from "../dom.ts";
import type { Published } from "../model/payload.ts";
import type { Case, Run } from "../model/run.ts";
import { none, ratio } from "../text/numbers.ts";
import { parametersText, valueText } from "../text/parameters.ts";

type Row = Published["rows"][number];

/** What others published, beside what this machine measured for the method that it corresponds to. */
export function published(run: Run, tables: Published[]): HTMLElement | null {
  const methods = new Set(run.cases.map((item) => item.method));
  const shown = tables.filter((table) => table.rows.some((row) => row.ourMethod !== undefined && methods.has(row.ourMethod)));
  return shown.length === 0 ? null : h("div", {}, shown.map((table) => one(run, table)));
}

function one(run: Run, table: Published): HTMLElement {
  const pairs = table.rows.map((row) => ({ row, item: nearest(run, row) }));
  const most = Math.max(1, ...pairs.flatMap(({ row, item }) => [row.ratio, item?.ratio ?? 0]));
  return h(
    "div",
    {},
    h("h4", {}, table.title),
    h("p", { class: "small quiet" }, `${table.notes} Dotted: the baseline of each. Source: `, /^https?:/.test(table.source) ? h("a", { href: table.source, rel: "noreferrer" }, table.source) : table.source),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": table.title },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ["Published as", "Ratio", "Case of this run"].map(title))),
        h("tbody", {}, pairs.map(({ row, item }) => line(row, item, most))),
      ),
    ),
  );
}

const title = (text: string): HTMLElement => h("th", { scope: "col" }, text);

function line(row: Row, item: Case | undefined, most: number): HTMLElement {
  const here = item?.ratio ?? null;
  const parameters = Object.entries(row.parameters).map(([name, value]) => valueText(name, asNumber(value))).join(", ");
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, row.method, h("div", { class: "quiet small" }, parameters)),
    h("td", {}, figure("there", row.ratio, most, "var(--baseline)"), figure("here", here, most, "var(--own)")),
    h(
      "td",
      { class: "case" },
      item ? h("button", { class: "open", type: "button", "data-case": item.id }, item.method) : null,
      h("div", { class: "quiet small" }, item ? parametersText(item.parameters) : row.ourMethod ? "not measured in this run" : "no such method here"),
    ),
  );
}

function figure(where: string, value: number | null, most: number, colour: string): HTMLElement {
  return h("div", { class: "pair" }, h("span", { class: "quiet small" }, where), h("span", { class: "number" }, value === null ? none : ratio(value)), value === null ? null : strip(value, most, colour));
}

const asNumber = (value: string): string | number => (/^\d+(\.\d+)?$/.test(value) ? Number(value) : value);

function strip(value: number, most: number, colour: string): HTMLElement {
  const place = h("span", { class: "strip", "aria-hidden": "true" });
  place.innerHTML = `<svg width="120" height="12"><rect width="${((118 * value) / most).toFixed(1)}" height="12" fill="${colour}"/><path d="M${((118 * 1) / most).toFixed(1)} 0V12" stroke="var(--ink)" stroke-dasharray="2,2"/></svg>`;
  return place;
}

// Numbers are as far apart as their logarithms, texts are equal or not; the first of the nearest wins.
function nearest(run: Run, row: Row): Case | undefined {
  let best: Case | undefined;
  let least = Infinity;
  for (const item of run.cases) {
    if (item.method !== row.ourMethod || item.ratio === null) continue;
    const distance = Object.entries(row.parameters).reduce((sum, [name, value]) => sum + apart(item.parameters[name], asNumber(value)), 0);
    if (distance < least) [best, least] = [item, distance];
  }
  return best;
}

const different = 10;

function apart(ours: string | number | undefined, theirs: string | number): number {
  if (ours === undefined) return 0;
  return typeof ours === "number" && typeof theirs === "number" && ours > 0 && theirs > 0 ? Math.abs(Math.log2(ours / theirs)) : ours === theirs ? 0 : different;
}

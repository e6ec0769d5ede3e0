import { h } from "../dom.ts";
import { heading } from "./heading.ts";
import type { Published } from "../model/payload.ts";
import type { Case, Run } from "../model/run.ts";
import { none, ratio } from "../text/numbers.ts";
import { scrollable } from "./scroll.ts";
import { parametersText, valueText } from "../text/parameters.ts";

type Row = Published["rows"][number];
type Pair = { row: Row; item: Case | undefined };

/** Published figures, beside this machine's figures for the corresponding method. */
export function published(run: Run, tables: Published[]): HTMLElement | null {
  const methods = new Set(run.cases.map((item) => item.method));
  const shown = tables.filter((table) => table.rows.some((row) => row.ourMethod !== undefined && methods.has(row.ourMethod)));
  return shown.length === 0 ? null : h("div", {}, shown.map((table) => one(run, table)));
}

function one(run: Run, table: Published): HTMLElement {
  const pairs = table.rows.map((row) => ({ row, item: same(run, row) }));
  const most = Math.max(1, ...pairs.flatMap(({ row, item }) => [row.ratio, item?.ratio ?? 0]));
  return h(
    "div",
    {},
    heading(1, table.title),
    h("p", { class: "small quiet" }, "Source: ", /^https?:/.test(table.source) ? h("a", { href: table.source, rel: "noreferrer" }, table.source) : table.source),
    framed(table.title, ["Published as", "Ratios there", "Ratios here", "In common"], overview(pairs)),
    h(
      "details",
      { class: "no-print" },
      h("summary", {}, `All ${table.rows.length} published rows, with their details`),
      h("p", { class: "small" }, `${table.notes} Dotted: the baseline of each.`),
      framed(`${table.title}, all rows`, ["Published as", "Ratio", "Case of this run"], pairs.map(({ row, item }) => line(row, item, most))),
    ),
  );
}

function framed(label: string, titles: string[], rows: HTMLElement[]): HTMLElement {
  return scrollable(
    label,
    h("table", {}, h("thead", {}, h("tr", {}, titles.map(title))), h("tbody", {}, rows)),
  );
}

/** A row for each published method: its smallest, median and largest ratio in the cases that both have. */
function overview(pairs: Pair[]): HTMLElement[] {
  const methods = [...new Set(pairs.map(({ row }) => row.method))];
  return methods.map((method) => {
    const mine = pairs.filter(({ row }) => row.method === method);
    const common = mine.filter(({ item }) => item !== undefined);
    const ours = mine[0]?.row.ourMethod;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, method, ours && ours !== method ? h("div", { class: "quiet small" }, `here ${ours}`) : null),
      h("td", { class: "number" }, range((common.length > 0 ? common : mine).map(({ row }) => row.ratio))),
      h("td", { class: "number" }, common.length > 0 ? range(common.map(({ item }) => item?.ratio ?? NaN)) : none),
      h("td", {}, common.length > 0 ? `${common.length} of ${mine.length} cases` : ours ? "not measured in this run" : "no such method here"),
    );
  });
}

function range(values: number[]): string {
  const sorted = [...values].sort((one, other) => one - other);
  const [least, middle, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  if (least === undefined || middle === undefined || most === undefined) return none;
  if (least === most) return ratio(least);
  return `${ratio(least)} to ${ratio(most)}${sorted.length > 2 ? `, median ${ratio(middle)}` : ""}`;
}

const title = (text: string): HTMLElement => h("th", { scope: "col" }, text);

function line(row: Row, item: Case | undefined, most: number): HTMLElement {
  const here = item?.ratio ?? null;
  const parameters = Object.entries(row.parameters).map(([name, value]) => valueText(name, value)).join(", ");
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

function strip(value: number, most: number, colour: string): HTMLElement {
  const place = h("span", { class: "strip", "aria-hidden": "true" });
  place.innerHTML = `<svg width="120" height="12"><rect width="${((118 * value) / most).toFixed(1)}" height="12" fill="${colour}"/><path d="M${((118 * 1) / most).toFixed(1)} 0V12" stroke="var(--ink)" stroke-dasharray="2,2"/></svg>`;
  return place;
}

// The case with the same parameters, as far as both have them; the first one of several ways to fill the cache.
function same(run: Run, row: Row): Case | undefined {
  return run.cases.find(
    (item) =>
      item.method === row.ourMethod &&
      item.ratio !== null &&
      item.parameters["cache"] !== "cold" &&
      // The laboratory has the transport of a published row in the method's name.
      Object.entries(row.parameters).every(([name, value]) => name === "transport" || (item.parameters[name] ?? value) === value),
  );
}

import { h } from "../dom.ts";
import type { Machines } from "../model/payload.ts";
import { scrollable } from "./scroll.ts";
import { ratio } from "../text/numbers.ts";

/** Runs of one suite on several machines: where the fastest method changes, and every method's ratio and rank. */
export function machines(suites: Machines[]): HTMLElement | null {
  return suites.length === 0 ? null : h("section", { id: "machines", "aria-label": "Machines side by side" }, suites.map(suite));
}

function suite(found: Machines): HTMLElement {
  const changes = found.works.flatMap((work) => (work.change ? [work.change] : []));
  return h(
    "div",
    {},
    h("h2", {}, `Machines side by side: ${found.suite}`),
    changes.length > 0
      ? h("div", {}, h("p", {}, "The fastest method depends on the machine:"), h("ul", {}, changes.map((change) => h("li", {}, change))))
      : h("p", {}, "One method is the fastest, or within the noise of it, on all of them."),
    h("p", { class: "small quiet" }, "Each method's fastest case by the baseline's fastest on the same machine, and its rank there."),
    found.works.map((work) => table(found.machines, work)),
  );
}

const table = (names: string[], work: Machines["works"][number]): HTMLElement =>
  h(
    "div",
    {},
    h("h3", { class: "heading-1" }, work.title),
    scrollable(work.title, h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ["Method", ...names].map((name, i) => h("th", { scope: "col", class: i === 0 ? null : "number" }, name)))),
      h(
        "tbody",
        {},
        work.rows.map((row) =>
          h("tr", {}, h("th", { scope: "row" }, row.method), row.cells.map((cell) => h("td", { class: "number" }, text(cell)))),
        ),
      ),
    )),
  );

const text = (cell: { ratio: number; rank?: number }): string => ratio(cell.ratio) + (cell.rank === undefined ? "" : ` (${cell.rank})`);

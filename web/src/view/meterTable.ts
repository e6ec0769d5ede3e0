import { h } from "../dom.ts";
import type { Case } from "../model/run.ts";
import { scrollable } from "./scroll.ts";
import { meterText } from "../text/meters.ts";

const titles = ["p0", "p25", "p50", "p75", "p90", "p99", "p100"];

/** The percentiles of every meter of a case. */
export function meterTable(item: Case, sources: Record<string, string>): HTMLElement | null {
  const spreads = [...item.spreads()];
  if (spreads.length === 0) return null;
  const rows = spreads.map(([name, spread]) => {
    const meter = meterText(name);
    return h(
      "tr",
      {},
      h("th", { scope: "row", title: sources[name] ?? null }, meter.title + (meter.unit ? `, ${meter.unit}` : "")),
      h("td", { class: "number" }, String(spread.n)),
      spread.percentiles.map((value) => h("td", { class: "number" }, meter.text(value))),
    );
  });
  return h(
    "div",
    {},
    h("h3", { class: "heading-1" }, "Percentiles of every meter"),
    scrollable(
      "Percentiles of every meter",
      h(
        "table",
        { class: "meters" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Meter"), ["Samples", ...titles].map((title) => h("th", { scope: "col", class: "number" }, title)))),
        h("tbody", {}, rows),
      ),
    ),
  );
}

/** Meters without a number say why; they are never shown as zero. */
export function unavailableList(item: Case): HTMLElement | null {
  const entries = Object.entries(item.unavailable);
  if (entries.length === 0) return null;
  return h("ul", { class: "small quiet" }, entries.map(([meter, reason]) => h("li", {}, `${meterText(meter).title}: not available: ${reason}`)));
}

/** Makes the marks of a chart open their case: the library leaves the index of its datum on each element. */
export function linkMarks(chart: Element, label: string, cases: { id: string }[]): void {
  for (const mark of chart.querySelectorAll<SVGElement & { __data__?: unknown }>(`g[aria-label="${label}"] > *`)) {
    const item = typeof mark.__data__ === "number" ? cases[mark.__data__] : undefined;
    if (item) mark.dataset["case"] = item.id;
  }
}

/** Makes the marks of a chart open their case: the library leaves the index of its datum on each element. */
export function linkMarks(chart: Element, label: string, cases: { id: string }[]): void {
  for (const mark of chart.querySelectorAll<SVGElement & { __data__?: unknown }>(`g[aria-label="${label}"] > *`)) {
    const item = typeof mark.__data__ === "number" ? cases[mark.__data__] : undefined;
    if (item) mark.dataset["case"] = item.id;
  }
}

/** Makes a chart one image with a text; the library's names of its parts, which a part may not have, become data. */
export function asImage<T extends Element>(chart: T, label: string): T {
  for (const part of chart.querySelectorAll<SVGElement>("g[aria-label]")) {
    part.dataset["mark"] = part.getAttribute("aria-label")!;
    part.removeAttribute("aria-label");
  }
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", label);
  return chart;
}

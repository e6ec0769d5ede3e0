interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Label {
  x: number;
  y: number;
  text: string;
}

const height = 15;
const distance = 9;

/** Names points where there is room: right, left, above, below, then further away with a line. */
export function placeLabels(chart: SVGSVGElement, labels: Label[], points: { x: number; y: number }[], area: Box): void {
  const widthOf = ruler(chart);
  const taken: Box[] = points.map(({ x, y }) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 }));
  for (const label of labels.sort((a, b) => a.x - b.x || a.y - b.y)) {
    const free = candidates(label, widthOf(label.text)).find((box) => inside(box, area) && !taken.some((other) => overlap(box, other)));
    if (!free) continue;
    taken.push(free);
    const middle = (free.top + free.bottom) / 2;
    if (Math.abs(middle - label.y) > 1.8 * height) {
      const x2 = Math.min(Math.max(label.x, free.left), free.right);
      chart.append(make("line", { x1: label.x, y1: label.y, x2, y2: middle < label.y ? free.bottom : free.top, stroke: "var(--quiet)" }));
    }
    const text = make("text", { x: free.left, y: free.bottom - 3.5, "text-anchor": "start", fill: "var(--text)", stroke: "var(--page)", "stroke-width": 3, "paint-order": "stroke" });
    text.textContent = label.text;
    chart.append(text);
  }
}

let canvas: CanvasRenderingContext2D | undefined;

/** How wide a text becomes in a chart. */
export function textWidth(text: string, size = "13px"): number {
  canvas ??= document.createElement("canvas").getContext("2d")!;
  canvas.font = `${size} ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text).width + 2;
}

// The chart is not in the page yet, so it cannot measure its own texts.
function ruler(chart: SVGSVGElement): (text: string) => number {
  return (text) => textWidth(text, chart.style.fontSize || "12px");
}

function candidates({ x, y }: Label, width: number): Box[] {
  const boxes: Box[] = [];
  for (const shift of [0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5]) {
    const top = y - height / 2 + shift * height;
    boxes.push(
      { left: x + distance, right: x + distance + width, top, bottom: top + height },
      { left: x - distance - width, right: x - distance, top, bottom: top + height },
    );
    if (shift !== 0) boxes.push({ left: x - width / 2, right: x + width / 2, top, bottom: top + height });
  }
  return boxes;
}

const inside = (box: Box, area: Box): boolean =>
  box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom;

const overlap = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function make(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

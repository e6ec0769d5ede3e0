/** Runs in the page: the contrast of every visible text with what is behind it (WCAG 2.2, 1.4.3); the texts below `least`. */
export function lowContrast(least) {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  // Whatever way a colour is written, drawn it is red, green, blue and alpha.
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  let texts = 0;
  for (const element of document.querySelectorAll("main *, dialog[open] *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (!own || element.tagName === "TITLE" || element.closest("option") || element.getClientRects().length === 0) continue;
    const style = getComputedStyle(element);
    const svg = element instanceof SVGElement;
    const front = rgba(svg ? style.fill : style.color);
    const [a, b] = [luminance(front), luminance(behind(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    texts++;
    if (contrast < least) found.push(`${element.textContent.trim().slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return { texts, found: [...new Set(found)] };
}

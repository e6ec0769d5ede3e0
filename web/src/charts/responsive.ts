/** Draws at the width that there is, and again when it changes; a case that is hidden is drawn when it shows. */
export function responsive(element: HTMLElement, draw: (width: number) => void): HTMLElement {
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== drawn) {
      drawn = width;
      draw(width);
    }
  }).observe(element);
  return element;
}

/** On paper nothing can be unfolded: advice is shown whole while the page is printed. */
export function unfoldForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>(":is(.advice, .more-warnings, .problems):not([open])")];
    for (const item of opened) item.open = true;
  });
  addEventListener("afterprint", () => {
    for (const item of opened) item.open = false;
  });
}

/**
 * Where the focus was lost, gives it back to an element, or, if that no longer exists, to the list: rows are drawn again, also while
 * a dialog is open. A focus on nothing would start over at the top of the page.
 */
export function returnFocus(to: Element | null): void {
  // An element that was just hidden has the focus until the browser draws.
  const isLost = (): boolean => !document.activeElement || document.activeElement === document.body || document.activeElement.closest("[hidden]") !== null;
  const row = document.querySelector<HTMLElement>("#list .rows .row[tabindex='0']");
  for (const element of [to, row, document.querySelector("main")]) {
    if (isLost() && element instanceof HTMLElement && element.isConnected) element.focus({ preventScroll: true });
  }
}

/** A finger moves it so far before it lets go, in CSS pixels, or as fast, in pixels per millisecond. */
const farEnough = 60;
const fastEnough = 0.4;

/** Turns pages by swiping, as a book in the direction of the page; the page follows the finger. */
export function onSwipe(stage: HTMLElement, applies: () => boolean, turn: (step: number) => void, canTurn: (step: number) => boolean): void {
  let from: { id: number; x: number; y: number; time: number } | undefined;
  const stepOf = (moved: number): number => ((moved < 0) === (getComputedStyle(stage).direction === "ltr") ? 1 : -1);
  const move = (pixels: number): void => {
    if (stage.firstElementChild instanceof HTMLElement || stage.firstElementChild instanceof SVGElement) stage.firstElementChild.style.translate = pixels ? `${pixels}px` : "";
  };
  stage.addEventListener("pointerdown", (event) => {
    // A second finger enlarges the picture; in an enlarged one, a finger moves the visible part.
    if (from || !event.isPrimary || event.pointerType === "mouse" || !applies() || (visualViewport?.scale ?? 1) > 1.01) {
      from = undefined;
      move(0);
      return;
    }
    from = { id: event.pointerId, x: event.clientX, y: event.clientY, time: event.timeStamp };
  });
  stage.addEventListener("pointermove", (event) => {
    if (event.pointerId !== from?.id) return;
    const moved = event.clientX - from.x;
    // At the end it gives way only a little.
    move(canTurn(stepOf(moved)) ? moved : moved / 4);
  });
  stage.addEventListener("pointerup", (event) => {
    if (event.pointerId !== from?.id) return;
    const moved = event.clientX - from.x;
    const isAcross = Math.abs(moved) > Math.abs(event.clientY - from.y);
    const speed = Math.abs(moved) / Math.max(1, event.timeStamp - from.time);
    from = undefined;
    move(0);
    if (isAcross && (Math.abs(moved) >= farEnough || (speed >= fastEnough && Math.abs(moved) > farEnough / 4))) turn(stepOf(moved));
  });
  stage.addEventListener("pointercancel", (event) => {
    if (event.pointerId !== from?.id) return;
    from = undefined;
    move(0);
  });
}

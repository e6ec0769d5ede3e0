type Grid = HTMLElement[][];

/** One stop of the tab key for a whole grid; the arrows, Home and End move within it. */
export function roving(place: HTMLElement, grid: () => Grid): void {
  const first = (): void => {
    for (const cell of grid().flat()) cell.tabIndex = -1;
    const start = grid()[0]?.[0];
    if (start) start.tabIndex = 0;
  };
  first();
  place.addEventListener("focusin", (event) => {
    const cells = grid().flat();
    if (!cells.includes(event.target as HTMLElement)) return;
    for (const cell of cells) cell.tabIndex = cell === event.target ? 0 : -1;
  });
  place.addEventListener("keydown", (event) => {
    const rows = grid();
    const row = rows.findIndex((cells) => cells.includes(event.target as HTMLElement));
    if (row < 0) return;
    const column = rows[row]!.indexOf(event.target as HTMLElement);
    const target = targetOf(event.key, rows, row, column);
    if (!target) return;
    event.preventDefault();
    target.focus();
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  place.addEventListener("roving-reset", first);
}

function targetOf(key: string, rows: Grid, row: number, column: number): HTMLElement | undefined {
  switch (key) {
    case "ArrowRight":
      return rows[row]![column + 1];
    case "ArrowLeft":
      return rows[row]![column - 1];
    case "ArrowDown":
      return rows[row + 1]?.[Math.min(column, rows[row + 1]!.length - 1)];
    case "ArrowUp":
      return rows[row - 1]?.[Math.min(column, rows[row - 1]!.length - 1)];
    case "Home":
      return rows[0]?.[0];
    case "End":
      return rows.at(-1)?.at(-1);
    default:
      return undefined;
  }
}

/** How many panels of at least a width fit side by side, and how wide they become. */
export function columnsOf(total: number, least: number, gap: number, most: number): { columns: number; width: number } {
  const columns = Math.max(1, Math.min(most, Math.floor((total + gap) / (least + gap))));
  return { columns, width: Math.floor((total - gap * (columns - 1)) / columns) };
}

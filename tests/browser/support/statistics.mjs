const at = (sorted, part) => {
  const place = (sorted.length - 1) * part;
  const low = Math.floor(place);
  return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
};

/** A distribution as results.json has it. */
export function describe(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const stdDev = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, n - 1));
  const [min, p25, median, p75, p90, p99, max] = [0, 0.25, 0.5, 0.75, 0.9, 0.99, 1].map((part) => at(sorted, part));
  return { n, mean, error: (3.34 * stdDev) / Math.sqrt(n), stdDev, min, p25, median, p75, p90, p99, max };
}

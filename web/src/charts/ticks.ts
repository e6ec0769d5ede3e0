const fewest = 3;

/** Marks of a logarithmic axis: 1, 2 and 5 times powers of ten; evenly spaced ones where that leaves too few. */
export function logTicks(least: number, most: number): number[] {
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power++) {
    for (const digit of [1, 2, 5]) all.push(round(digit * 10 ** power));
  }
  const within = all.filter((tick) => tick >= least && tick <= most);
  return within.length >= fewest ? within : evenTicks(least, most, 5);
}

function evenTicks(least: number, most: number, about: number): number[] {
  const raw = (most - least) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10);
  if (!(step > 0)) return [least];
  const ticks: number[] = [];
  for (let i = Math.ceil(least / step); i * step <= most; i++) ticks.push(round(i * step));
  return ticks;
}

// Without what binary fractions add.
const round = (value: number): number => Number(value.toPrecision(9));

/**
 * A logarithmic axis that shows all its labels: the library leaves some out on axes of type "log". With a constant far
 * below all values symlog is the same.
 */
export const logAxis = (least: number, most: number) =>
  ({ type: "symlog", constant: least / 1e6, domain: [least, most], ticks: logTicks(least, most) }) as const;

/** A logarithmic axis for values that may be zero; between zero and the smallest of the others it is linear. */
export function valueAxis(values: number[]): { type: "symlog"; constant: number; domain: [number, number]; ticks: number[] } {
  const positive = values.filter((value) => value > 0);
  const least = Math.min(...(positive.length > 0 ? positive : [1]));
  const most = Math.max(...values, least);
  if (positive.length === values.length) return { ...logAxis(least / 1.1, most * 1.1), domain: [least / 1.1, most * 1.1] };
  return { type: "symlog", constant: least, domain: [0, most * 1.1], ticks: [0, ...logTicks(least, most * 1.1)] };
}

/** A number at an axis, without trailing zeros. */
export const tickText = (value: number): string => (Math.abs(value) >= 1000 ? value.toLocaleString("en-US") : String(Number(value.toPrecision(4))));

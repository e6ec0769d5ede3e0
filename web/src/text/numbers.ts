/** Numbers as people read them: three or four digits, a unit, and a comma at thousands. */

export const none = "–";

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** With about so many significant digits, never as a power of ten, and no meaningless zeros for whole numbers. */
export function significant(value: number, digits = 3): string {
  if (value === 0) return "0";
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  if (decimals <= 0) return grouped.format(value);
  return value.toFixed(Math.min(decimals, 6));
}

/** A count: whole numbers without decimals. */
export const count = (value: number): string => (Number.isInteger(value) ? grouped.format(value) : significant(value));

/** An estimate, marked by a sign that a count lacks. Zero is exact. */
export const estimate = (value: number): string => (value === 0 ? "0" : `≈ ${value >= 100 ? grouped.format(value) : count(value)}`);

export const milliseconds = (value: number): string => significant(value, 4);

export const ratio = (value: number): string => (value >= 100 ? grouped.format(value) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

export const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

/** In the largest unit that keeps at least one digit before the point. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const unit = value < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** unit;
  return `${Number.isInteger(scaled) ? scaled : significant(scaled)} ${units[unit]}`;
}

/** A time in the unit that fits it. */
export function duration(seconds: number): string {
  if (seconds >= 120) return `${Math.round(seconds / 60)} min`;
  if (seconds >= 1) return `${significant(seconds)} s`;
  if (seconds >= 1e-3) return `${significant(seconds * 1e3)} ms`;
  return seconds >= 1e-6 ? `${significant(seconds * 1e6)} µs` : `${significant(seconds * 1e9)} ns`;
}

/** When, without what depends on the reader's language. */
export const time = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)}${/(Z|\+00:00)$/.test(iso) ? " UTC" : iso.slice(-6)}`;

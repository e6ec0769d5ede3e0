const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A whole number with separators. */
export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

/** Bytes with three digits at most: 1.4 MiB. */
export function size(bytes: number): string {
  let unit = 0;
  for (; bytes >= 1023.5 && unit < units.length - 1; unit++) bytes /= 1024;
  return `${unit && bytes < 99.95 ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
}

const two = (n: number): string => String(n).padStart(2, "0");

/**
 * A date and the time of day, the same in every language. The first use of `Intl` in a page takes 25 to 50 ms: too long for what is
 * painted first.
 */
export function date(time: number): string {
  const at = new Date(time);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

let moment: Intl.DateTimeFormat | undefined, exact: Intl.DateTimeFormat | undefined;
export const dateAndTime = (time: number): string => (moment ??= new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })).format(time);
export const exactDate = (time: number): string => (exact ??= new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" })).format(time);

/** Seconds in the two largest units: 1 h 5 min. */
export function duration(seconds: number): string {
  const s = Math.max(1, Math.round(seconds));
  if (s < 60) return `${s} s`;
  const minutes = Math.round(s / 60);
  if (s < 600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

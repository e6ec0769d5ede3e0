const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const plain = new Intl.NumberFormat("en");

/** A whole number with separators. */
export const count = (n: number): string => plain.format(n);

/** Bytes with three digits at most: 1.4 MiB. */
export function size(bytes: number): string {
  let unit = 0;
  for (; bytes >= 1023.5 && unit < units.length - 1; unit++) bytes /= 1024;
  return `${unit && bytes < 99.95 ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const year = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });

/** A date as short as it can be told apart: with the time in this year, without it before. */
export const date = (time: number): string =>
  (new Date(time).getFullYear() === new Date().getFullYear() ? year : day).format(time);
export const dateAndTime = (time: number): string => moment.format(time);
export const exactDate = (time: number): string => exact.format(time);

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

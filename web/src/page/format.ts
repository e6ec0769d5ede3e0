import { texts } from "./texts.ts";

/** Bytes with three digits at most: 1.4 MiB. */
export function size(bytes: number): string {
  let unit = 0;
  for (; bytes >= 1023.5 && unit < texts.units.length - 1; unit++) bytes /= 1024;
  return `${texts.number(bytes, unit && bytes < 99.95 ? 1 : 0)} ${texts.units[unit]}`;
}

const two = (n: number): string => String(n).padStart(2, "0");

/** A date and the time of day, the same in every language, without Intl: its first use takes longer than all rows of a screen. */
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
  const { seconds: inSeconds, minutes: inMinutes, hours: inHours, days } = texts.durations;
  if (s < 60) return inSeconds(s);
  const minutes = Math.round(s / 60);
  if (s < 600) return `${inMinutes(Math.floor(s / 60))} ${inSeconds(s % 60)}`;
  if (minutes < 60) return inMinutes(minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${inHours(hours)} ${inMinutes(minutes % 60)}` : days(Math.round(hours / 24));
}

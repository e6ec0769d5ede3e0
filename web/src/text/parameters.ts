import type { Parameters } from "../model/payload.ts";
import { bytes } from "./numbers.ts";

const inBytes = new Set(["buffer", "bytes", "chunk", "block"]);

/** "roundTripMs" as "round trip ms". */
const words = (name: string): string => name.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);

/** The name of a parameter as a title. */
export const parameterTitle = (name: string): string => {
  const text = name === "bytes" ? "file size" : name === "cacheFill" ? "filled by" : words(name);
  return text[0]!.toUpperCase() + text.slice(1);
};

/** A value for a column with a title. */
export const valueText = (name: string, value: string | number): string =>
  typeof value === "number" && inBytes.has(name) ? bytes(value) : String(value);

/** A value that needs no label. */
export const parameterText = (name: string, value: string | number): string =>
  typeof value === "number" && !inBytes.has(name) ? `${words(name)} ${value}` : valueText(name, value);

/** All parameters of a case in a line. */
export const parametersText = (parameters: Parameters): string =>
  Object.entries(parameters).map(([name, value]) => parameterText(name, value)).join(", ");

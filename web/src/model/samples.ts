import type { Samples } from "./payload.ts";

const digits = 1000;
const perDecade = 9000;

/** All samples in nanoseconds; Reporting/Html/PackedSamples.cs packs them. */
export function unpack(samples: Samples): number[] {
  if (Array.isArray(samples)) return samples;
  const bytes = Uint8Array.from(atob(samples.packed), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 2 }, (_, i) => {
    const value = view.getUint16(2 * i, true);
    return (digits + (value % perDecade)) * 10 ** (samples.exponent + Math.floor(value / perDecade));
  });
}

/** [value, how often, value, how often, …] as a list. */
export function unroll(runLengths: number[]): number[] {
  const all: number[] = [];
  for (let i = 0; i < runLengths.length; i += 2) {
    for (let n = runLengths[i + 1]!; n > 0; n--) all.push(runLengths[i]!);
  }
  return all;
}

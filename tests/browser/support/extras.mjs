import { readFileSync, writeFileSync } from "node:fs";

const advice = [{ title: "Read with 64 KiB", evidence: ["FilePipe: 0.70 of FileStream at 64 KiB"], action: "Set BufferSize.", code: "BufferSize = 65536", check: "Measure again." }];

const published = [
  {
    title: "Benchmarks of 2019",
    source: "https://example.org/benchmarks",
    notes: "Another machine and runtime.",
    rows: [
      { method: "TheirPipe", ourMethod: "FilePipe", parameters: { buffer: "5000", bytes: "134217728" }, ratio: 0.8 },
      { method: "TheirAdapter", ourMethod: "PipePump", parameters: { buffer: "4096" }, ratio: 2.1 },
      { method: "TheirNative", parameters: { buffer: "4096" }, ratio: 0.65 },
    ],
  },
];

/** Adds advice and published figures to a report, as the program does that has them. */
export function addExtras(path) {
  const page = readFileSync(path, "utf8");
  const changed = page.replace('"advice":[]', `"advice":${JSON.stringify(advice)}`).replace('"published":[]', `"published":${JSON.stringify(published)}`);
  if (changed.length < page.length + 500) throw new Error("The report has no empty advice or published figures to fill.");
  writeFileSync(path, changed);
}

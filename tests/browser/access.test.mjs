import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open } from "./support/browser.mjs";
import { accessibilityProblems } from "./support/axe.mjs";
import { lowContrast } from "./support/contrast.mjs";
import { makeReport } from "./support/report.mjs";
import { makeResults } from "./support/results.mjs";

// WCAG 2.2, level AA: 4.5 for text, 3 for what is not text.
const textContrast = 4.5;
const markContrast = 3;

let browser;
let report;

before(async () => {
  browser = await launch();
  report = makeReport(makeResults({ count: 132 }));
});

after(async () => {
  await browser?.close();
  report?.remove();
});

async function inPage(options, act) {
  const { page, context, errors } = await open(browser, report.url, options);
  await act(page);
  assert.deepEqual(errors, []);
  await context.close();
}

const desktop = { viewport: { width: 1280, height: 900 } };
const focused = (page) => page.evaluate(() => document.activeElement.textContent);
const dialog = (page) => page.getByRole("dialog");

async function tabTo(page, selector) {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
  }
  assert.fail(`The tab key does not reach ${selector}.`);
}

test("The keyboard alone opens a case from the heat map and comes back to it", async () => {
  await inPage(desktop, async (page) => {
    await tabTo(page, ".heat button");
    const first = await focused(page);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    const cell = await focused(page);
    assert.notEqual(cell, first);
    await page.keyboard.press("Enter");
    await dialog(page).waitFor();
    assert.ok(await page.evaluate(() => document.querySelector("dialog").contains(document.activeElement)));
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "hidden" });
    assert.equal(await focused(page), cell);
  });
});

test("The keyboard alone sorts, filters and opens a row", async () => {
  await inPage(desktop, async (page) => {
    await tabTo(page, "#run-1-table input");
    await page.keyboard.type("FilePipeDirect");
    await tabTo(page, ".cases thead th:nth-child(2) .sort");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".cases thead th").nth(1).getAttribute("aria-sort"), "ascending");
    await tabTo(page, ".cases tbody button");
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), "FilePipeDirect");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor();
    assert.match(await dialog(page).innerText(), /^FilePipeDirect/);
  });
});

test("What has the focus shows it", async () => {
  await inPage(desktop, async (page) => {
    await tabTo(page, ".heat button");
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), "none");
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`Every text has enough contrast, ${colorScheme}`, async () => {
    await inPage({ ...desktop, colorScheme }, async (page) => {
      await page.locator(".heat button").nth(8).click();
      const { texts, found } = await page.evaluate(lowContrast, textContrast);
      assert.ok(texts > 1000, `${texts} texts`);
      assert.deepEqual(found, []);
    });
  });

  test(`Every mark has enough contrast with the page, ${colorScheme}`, async () => {
    await inPage({ ...desktop, colorScheme }, async (page) => {
      const low = await page.evaluate(`(${marksBelow})(${markContrast})`);
      assert.deepEqual(low, []);
    });
  });
}

/** Runs in the page: the colours of marks whose contrast with the page is too low. */
function marksBelow(least) {
  const style = getComputedStyle(document.documentElement);
  const luminance = (colour) => {
    const digits = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit) : colour.slice(1).match(/../g);
    const [r, g, b] = digits.map((part) => parseInt(part, 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const names = ["--own", "--other", "--baseline", "--good", "--bad", "--warn", "--launch-0", "--launch-1", "--launch-2", "--launch-3", "--launch-4", "--focus"];
  const page = luminance(style.getPropertyValue("--page").trim());
  return names.filter((name) => {
    const [a, b] = [luminance(style.getPropertyValue(name).trim()), page].sort((x, y) => y - x);
    return !((a + 0.05) / (b + 0.05) >= least);
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing in a report, nor in a case of it, ${colorScheme}`, async () => {
    await inPage({ ...desktop, colorScheme }, async (page) => {
      assert.deepEqual(await accessibilityProblems(page), []);
      await page.locator(".heat button").nth(8).click();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  });
}

for (const width of [320, 360, 820]) {
  test(`A screen of ${width} pixels does not scroll sideways, nor does a case on it`, async () => {
    await inPage({ viewport: { width, height: 740 }, hasTouch: true, isMobile: true }, async (page) => {
      const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.equal(await wide(), 0);
      await page.locator(".heat button").nth(8).tap();
      await dialog(page).waitFor();
      assert.equal(await wide(), 0);
      assert.equal(await dialog(page).evaluate((element) => element.scrollWidth - element.clientWidth), 0);
    });
  });
}

test("Faster and slower, and the three kinds of methods, do not differ by colour alone", async () => {
  await inPage(desktop, async (page) => {
    const symbols = await page.locator("#run-1-memory g[data-mark=dot] path").evaluateAll((paths) => new Set(paths.map((path) => `${path.getAttribute("stroke")} ${path.getAttribute("d").replace(/[\d.-]+/g, "")}`)).size);
    assert.equal(symbols, 3);
    assert.match(await page.locator(".heat button").nth(2).innerText(), /\d\.\d\d/);
    assert.match(await page.locator(".key", { hasText: "faster" }).innerText(), /faster.*slower/s);
  });
});

test("Printing shows every case without controls, in black on white, also from a dark screen", async () => {
  await inPage({ ...desktop, colorScheme: "dark" }, async (page) => {
    await page.emulateMedia({ media: "print" });
    const look = await page.evaluate(() => ({ back: getComputedStyle(document.body).backgroundColor, front: getComputedStyle(document.body).color }));
    assert.deepEqual(look, { back: "rgb(255, 255, 255)", front: "rgb(0, 0, 0)" });
    assert.equal(await page.locator("select:visible, input:visible, nav:visible").count(), 0);
    const table = page.locator(".tall");
    assert.ok(await table.evaluate((element) => element.scrollHeight <= element.clientHeight + 1), "no row is hidden behind a scroll bar");
    const { found } = await page.evaluate(lowContrast, textContrast);
    assert.deepEqual(found, []);
  });
});

test("It prints to a PDF of several pages", async () => {
  const path = `${report.path}.pdf`;
  await inPage(desktop, async (page) => {
    await page.pdf({ path, preferCSSPageSize: true, printBackground: true });
  });
  const pdf = readFileSync(path, "latin1");
  rmSync(path);
  assert.ok(pdf.startsWith("%PDF-"));
  const pages = pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
  assert.ok(pages >= 4 && pages <= 30, `${pages} pages`);
});

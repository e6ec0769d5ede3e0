import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "./support/browser.mjs";
import { dialog, drawn, inFoldersOf, openPage, row, shows } from "./support/page.mjs";
import { serve } from "./support/served.mjs";

let browser, server;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve("--h2-port", "none", "--quiet")]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const inFolder = inFoldersOf(() => [browser, server.address, server.folder]);
const language = (page) => page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);

test("The page speaks the browser's language where it has texts for it", async () => {
  await inFolder({ "a.txt": "", "b.txt": "", "sub": null }, async (page) => {
    assert.deepEqual(await language(page), ["de", "ltr"]);
    await page.getByText("1 Ordner und 2 Dateien, 0 B").waitFor();
    await row(page, "a.txt").getByRole("button", { name: "Aktionen für a.txt" }).click();
    await page.getByRole("menuitem", { name: "Löschen…" }).click();
    await dialog(page).getByRole("heading", { name: "„a.txt“ löschen?" }).waitFor();
    await dialog(page).getByRole("button", { name: "Löschen", exact: true }).click();
    await page.getByText("1 Eintrag gelöscht").waitFor();
  }, { locale: "de-CH" });
  for (const [languages, expected] of [[["fr-FR", "de-AT"], "de"], [["en-GB", "de"], "en"], [["fr", "it"], "en"], [["AR-eg"], "ar"]]) {
    const { page, context } = await openPage(browser, server.address);
    await page.addInitScript((all) => Object.defineProperty(navigator, "languages", { value: all }), languages);
    await page.reload();
    await drawn(page);
    assert.equal((await language(page))[0], expected, String(languages));
    await context.close();
  }
});

test("A language that is written from right to left turns the page, and names keep their direction", async () => {
  await inFolder({ "plan (1).txt": "x", "صورة.jpg": "x", "sub": null }, async (page) => {
    assert.deepEqual(await language(page), ["ar", "rtl"]);
    const { check, more, wide } = await page.evaluate(() => ({
      check: document.querySelector(".rows .cell-check").getBoundingClientRect().left, more: document.querySelector(".rows .cell-more").getBoundingClientRect().left,
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }));
    assert.ok(check > more && wide <= 0);
    // An empty field has the page's direction: its icon does not cover the first letter.
    assert.equal(await page.locator("#filter").evaluate((field) => getComputedStyle(field).direction), "rtl");
    await page.locator(".sorting button").last().click();
    await page.locator(".tiles .rows .row").nth(2).waitFor();
    const covered = await page.locator(".tiles .rows .row").evaluateAll((tiles) => tiles.filter((tile) => {
      const name = tile.querySelector("bdi");
      const { left, width } = tile.querySelector(".more").getBoundingClientRect();
      // The three dots are in the middle of the button.
      return name.getBoundingClientRect().left + parseFloat(getComputedStyle(name).paddingLeft) < left + width / 2;
    }).map((tile) => tile.textContent));
    assert.deepEqual(covered, [], "no name is below its menu");
    await page.goto(new URL("nothere.txt", page.url()).href);
    // The name stands in a sentence from right to left, and does not turn it.
    await page.getByText("«\u2068nothere.txt\u2069» غير موجود هنا.").waitFor();
    const box = await page.locator(".notice span").evaluate((span) => getComputedStyle(span).direction);
    assert.equal(box, "rtl");
  }, { locale: "ar-EG", viewport: { width: 360, height: 740 } });
});

// A release is one file, beside which the test may not write.
const built = process.env.MILLRACE_COMMAND ? () => undefined : test;

built("A language is added beside the program, without building it again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-texts-"));
  const program = fileURLToPath(new URL("../../src/Millrace.Cli/bin/Release/net10.0/", import.meta.url));
  cpSync(program, join(folder, "program"), { recursive: true });
  mkdirSync(join(folder, "program/texts"));
  mkdirSync(join(folder, "shared"));
  writeFileSync(join(folder, "program/texts/texts.fr.json"), JSON.stringify({ upload: "Téléverser", summary: "{1, plural, one {# fichier} other {# fichiers}}", errors: { missing: 3 } }));
  writeFileSync(join(folder, "program/texts/texts.de.json"), JSON.stringify({ upload: "Hinauf" }));
  writeFileSync(join(folder, "program/texts/texts.no"), "nothing");
  const own = spawn("dotnet", [join(folder, "program/Millrace.Cli.dll"), "serve", join(folder, "shared"), "--port", "0", "--json", "--quiet", "--h2-port", "none"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(own, "exit");
  try {
    const { value } = await createInterface(own.stdout)[Symbol.asyncIterator]().next();
    for (const [locale, label] of [["fr-FR", "Téléverser"], ["de-DE", "Hinauf"], ["ar", "رفع"]]) {
      const { page, context, errors } = await openPage(browser, JSON.parse(value).address, { locale });
      await page.getByRole("button", { name: label, exact: true }).waitFor();
      assert.deepEqual(errors, []);
      if (locale === "fr-FR") {
        await page.getByText("0 fichier").waitFor();
        // What a language lacks is English.
        await page.getByRole("button", { name: "New folder" }).waitFor();
      }
      await context.close();
    }
  } finally {
    own.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  }
});

test("The folder that is served is named in the heading and in the title", async () => {
  const { page, context, errors } = await openPage(browser, server.address);
  await drawn(page);
  const name = basename(server.folder);
  await page.getByRole("heading", { name, exact: true }).waitFor();
  assert.equal(await page.title(), name);
  await context.close();
  assert.deepEqual(errors, []);
  await inFolder({ "sub": null }, async (one) => {
    await row(one, "sub").getByRole("link").click();
    await one.getByRole("heading", { name: "sub", exact: true }).waitFor();
    assert.equal(await one.title(), `sub – ${name}`);
  });
});

test("What is not there is named, and nothing can be made in a folder that is not there", async () => {
  await inFolder({ "a.txt": "" }, async (page) => {
    await page.goto(new URL("not%20here.txt", page.url()).href);
    await page.getByText("“not here.txt” is not here.").waitFor();
    await shows(page, ["a.txt"]);
    await page.goto(new URL("none/", page.url()).href);
    await page.getByText("There is no such folder").waitFor();
    for (const name of ["Upload", "New folder"]) assert.equal(await page.getByRole("button", { name }).count(), 0);
  });
});

test("The end of a long name stays, and what is found in it is marked", async () => {
  const long = `${"holiday in the mountains ".repeat(8)}0042.jpg`;
  await inFolder({ [long]: "x", "short name 1.txt": "" }, async (page) => {
    const name = row(page, long);
    await name.waitFor();
    const visible = await name.locator(".end").evaluate((end) => {
      const box = end.getBoundingClientRect();
      return { text: end.textContent, isInside: box.right <= end.closest(".cell-name").getBoundingClientRect().right + 1 && box.width > 20 };
    });
    assert.deepEqual(visible, { text: " 0042.jpg", isInside: true });
    assert.equal(await row(page, "short name 1.txt").locator(".end").count(), 0);
    await page.keyboard.press("/");
    await page.keyboard.type("s 0042");
    // A busy browser filters by a part of the word first.
    await page.waitForFunction(() => document.querySelector(".rows .end mark")?.textContent.length === 4);
    assert.equal(await page.locator(".rows .end mark").textContent(), "0042");
    assert.equal(await page.locator(".rows .row a").textContent(), long);
  }, { viewport: { width: 360, height: 740 } });
});

test("Rows are called first only if there are more, and what has no preview has a download", async () => {
  await inFolder({ "a.csv": "x,y\n1,2\n3,4\n", "b.csv": `x\n${"1\n".repeat(300)}`, "c.zip": "zip" }, async (page) => {
    await row(page, "a.csv").getByRole("link").click();
    await dialog(page).getByText("2 rows", { exact: true }).waitFor();
    await page.keyboard.press("ArrowRight");
    await dialog(page).getByText("First 200 rows", { exact: true }).waitFor();
    await page.keyboard.press("ArrowRight");
    const [download] = await Promise.all([page.waitForEvent("download"), dialog(page).locator(".nothing").getByRole("button", { name: "Download" }).click()]);
    assert.equal(readFileSync(await download.path(), "utf8"), "zip");
  });
});

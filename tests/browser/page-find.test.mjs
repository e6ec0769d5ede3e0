import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, patience } from "./support/browser.mjs";
import { dialog, inFoldersOf, names, row, shows, until } from "./support/page.mjs";
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
const status = (page) => page.locator(".status-line");
/** Also of a row that was found below, whose link names its folder. */
const menu = async (page, name, item) => {
  await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};
const tree = { "Café 1.txt": "1", "other.txt": "1", "a": null, "a/cafe 2.txt": "22", "a/b": null, "a/b/CAFÉ": null, "a/b/CAFÉ/x": "1", "a/b/cafe\u0301 3.txt": "333" };

test("Names below the folder are found while one types, after those of the folder itself", async () => {
  await inFolder(tree, async (page) => {
    await page.keyboard.press("/");
    // At once: a busy browser would filter by a part of the word first.
    await page.keyboard.insertText("CAFE");
    await shows(page, ["Café 1.txt", "CAFÉ", "cafe 2.txt", "cafe\u0301 3.txt"]);
    assert.deepEqual(await page.locator(".where").allTextContents(), ["a/b", "a", "a/b"]);
    assert.deepEqual(await page.locator("mark").allTextContents(), ["Café", "CAFÉ", "cafe", "cafe\u0301"]);
    await status(page).getByText("1 of 3 items. 3 in folders below").waitFor();
    await page.keyboard.type(" 3");
    await shows(page, ["cafe\u0301 3.txt"]);
    await page.keyboard.press("Escape");
    await shows(page, ["a", "Café 1.txt", "other.txt"]);
    await page.keyboard.type("nothing at all");
    await page.getByText("No name contains “nothing at all”").waitFor();
  });
});

test("A found file is opened, renamed, moved and deleted where it is", async () => {
  await inFolder(tree, async (page, at) => {
    const { existsSync } = await import("node:fs");
    await page.getByRole("searchbox").fill("cafe");
    await shows(page, ["Café 1.txt", "CAFÉ", "cafe 2.txt", "cafe\u0301 3.txt"]);
    await page.getByRole("link", { name: "cafe 2.txt in a" }).click();
    // Above it is the date, which may have the same digits.
    await dialog(page).locator(".stage").getByText("22", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await menu(page, "cafe 2.txt", "Rename…");
    assert.equal(await dialog(page).getByLabel("New name").inputValue(), "cafe 2.txt");
    await dialog(page).getByLabel("New name").fill("cafe two.txt");
    await dialog(page).getByRole("button", { name: "Rename" }).click();
    await shows(page, ["Café 1.txt", "CAFÉ", "cafe\u0301 3.txt", "cafe two.txt"]);
    assert.ok(existsSync(at("a/cafe two.txt")));
    await menu(page, "cafe two.txt", "Move…");
    await dialog(page).getByRole("button", { name: "Move here" }).click();
    await shows(page, ["Café 1.txt", "cafe two.txt", "CAFÉ", "cafe\u0301 3.txt"]);
    assert.ok(existsSync(at("cafe two.txt")));
    await menu(page, "CAFÉ", "Delete…");
    await dialog(page).getByRole("button", { name: "Delete" }).click();
    await shows(page, ["Café 1.txt", "cafe two.txt", "cafe\u0301 3.txt"]);
    assert.ok(!existsSync(at("a/b/CAFÉ")));
    await menu(page, "cafe\u0301 3.txt", "Show in its folder");
    await shows(page, ["cafe\u0301 3.txt"]);
    await page.waitForFunction(() => document.activeElement?.textContent?.includes("3.txt"));
  });
});

test("The search survives a refresh, and a page without scripts leads to it", async () => {
  await inFolder(tree, async (page, at, context) => {
    await page.getByRole("searchbox").fill("cafe 2");
    await shows(page, ["cafe 2.txt"]);
    writeFileSync(at("a/b/cafe 2 again.txt"), "");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Refresh" }).click();
    await shows(page, ["cafe 2 again.txt", "cafe 2.txt"]);

    const plain = await browser.newContext({ javaScriptEnabled: false });
    const other = await plain.newPage();
    other.setDefaultTimeout(patience);
    await other.goto(page.url());
    await other.getByRole("searchbox").fill("cafe 3");
    await other.getByRole("button", { name: "Search" }).click();
    await other.waitForURL(/search=/);
    assert.deepEqual(await other.locator("tbody a").allTextContents(), ["a/b/cafe\u0301 3.txt"]);
    const { href } = new URL(other.url());
    await plain.close();
    const again = await context.newPage();
    await again.goto(href);
    await shows(again, ["cafe\u0301 3.txt"]);
    assert.equal(new URL(again.url()).search, "");
  });
});

test("The sizes of folders are counted on request, and the free space is shown", async () => {
  await inFolder(tree, async (page) => {
    assert.match(await status(page).textContent(), /^1 folder and 2 files, 2 B, [\d.]+ [KMGTP]iB free$/);
    await menu(page, "a", "Size…");
    await dialog(page).getByText("2 folders and 3 files, 6 B").waitFor();
    assert.match(await dialog(page).textContent(), /Size of “a”/);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Size…" }).click();
    await dialog(page).getByText("3 folders and 5 files, 8 B").waitFor();
  });
});

test("Asking whether the folder has changed brings nothing if it has not", async () => {
  await inFolder({ "one.txt": "1" }, async (page, at) => {
    const answers = [];
    page.on("response", (response) => response.url().includes("limit=1000") && answers.push(response.status()));
    await page.reload();
    await shows(page, ["one.txt"]);
    // The page asks once a second at most.
    const come = () => page.evaluate(() => dispatchEvent(new Event("focus")));
    await until(async () => (await come(), answers.includes(304)), "an answer without a folder");
    assert.equal(answers.at(-1), 304);
    writeFileSync(at("two.txt"), "2");
    await until(async () => (await come(), (await names(page)).length === 2), "the new file in the list");
    assert.deepEqual(await names(page), ["one.txt", "two.txt"]);
    await row(page, "two.txt").waitFor();
  });
});

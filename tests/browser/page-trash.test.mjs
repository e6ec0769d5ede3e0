import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { dialog, inFoldersOf, menu, row, shows } from "./support/page.mjs";
import { serve } from "./support/served.mjs";

let browser, server;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve("--h2-port", "none", "--quiet", "--trash", "1d")]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const inFolder = inFoldersOf(() => [browser, server.address, server.folder]);

async function remove(page, name) {
  await menu(page, name, "Delete…");
  await dialog(page).getByText("You can restore it from the trash for some time.").waitFor();
  await dialog(page).getByRole("button", { name: "Delete" }).click();
}

async function openTrash(page) {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Trash…" }).click();
}

test("A deletion is undone, beside what has the name by now", async () => {
  await inFolder({ "a.txt": "first", "sub": null, "sub/x": "1" }, async (page, at) => {
    await remove(page, "a.txt");
    await shows(page, ["sub"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await shows(page, ["sub", "a.txt"]);
    await page.getByText("a.txt restored").waitFor();
    assert.equal(readFileSync(at("a.txt"), "utf8"), "first");

    await remove(page, "a.txt");
    await shows(page, ["sub"]);
    writeFileSync(at("a.txt"), "other");
    await page.getByRole("button", { name: "Undo" }).click();
    await shows(page, ["sub", "a (2).txt", "a.txt"]);
    assert.deepEqual([readFileSync(at("a.txt"), "utf8"), readFileSync(at("a (2).txt"), "utf8")], ["other", "first"]);

    for (const name of ["sub", "a.txt"]) await row(page, name).getByRole("checkbox").check();
    await page.keyboard.press("Delete");
    await dialog(page).getByRole("button", { name: "Delete" }).click();
    await shows(page, ["a (2).txt"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await shows(page, ["sub", "a (2).txt", "a.txt"]);
    assert.ok(existsSync(at("sub/x")));
  });
});

test("The trash lists what was deleted, restores it, deletes it for good and is emptied", async () => {
  await inFolder({ "one.txt": "1", "two.txt": "2", "three.txt": "3" }, async (page, at) => {
    for (const name of ["one.txt", "two.txt", "three.txt"]) {
      await remove(page, name);
      await row(page, name).waitFor({ state: "detached" });
    }
    await page.getByText("This folder is empty").waitFor();
    await openTrash(page);
    const entries = dialog(page).getByRole("list", { name: "Trash" }).getByRole("listitem");
    await entries.nth(2).waitFor();
    assert.match(await entries.first().textContent(), /^three\.txt.* · 1 B · deleted /);
    await dialog(page).getByRole("button", { name: "Restore one.txt" }).click();
    await entries.filter({ hasText: "one.txt" }).first().waitFor({ state: "detached" });
    await dialog(page).getByRole("button", { name: "Delete two.txt for good" }).click();
    await dialog(page).last().getByRole("button", { name: "Delete for good" }).click();
    await entries.filter({ hasText: "two.txt" }).waitFor({ state: "detached" });
    await dialog(page).getByRole("button", { name: "Empty the trash" }).click();
    await dialog(page).last().getByRole("button", { name: "Empty the trash" }).click();
    await dialog(page).getByText("The trash is empty.").waitFor();
    await page.keyboard.press("Escape");
    await shows(page, ["one.txt"]);
    assert.equal(readFileSync(at("one.txt"), "utf8"), "1");
  });
});

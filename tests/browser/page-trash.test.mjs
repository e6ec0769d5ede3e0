import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { dialog, inFoldersOf, menu, row, shows } from "./support/page.mjs";
import { serve } from "./support/served.mjs";

let browser, server;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve("--h2-port", "none", "--quiet", "--trash", "1d", "--hide", "dotfiles")]);
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

test("A folder with hidden files is deleted and moved with them after a question", async () => {
  await inFolder({ "sub": null, "sub/.one": "1", "sub/.two": "2", "sub/x": "x", "to": null }, async (page, at) => {
    const question = (text) => dialog(page).filter({ hasText: text });
    const deleting = question("2 hidden files are in it. Delete them too?");
    await remove(page, "sub");
    await deleting.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("It contains 2 hidden files, and was left as it is.", { exact: false }).waitFor();
    assert.ok(existsSync(at("sub/x")));

    await menu(page, "sub", "Move…");
    await dialog(page).getByRole("button", { name: "to", exact: true }).click();
    await dialog(page).getByRole("button", { name: "Move here" }).click();
    await question("2 hidden files are in it. Move them too?").getByRole("button", { name: "Move", exact: true }).click();
    await shows(page, ["to"]);
    assert.equal(readFileSync(at("to/sub/.one"), "utf8"), "1");

    await remove(page, "to");
    await deleting.getByRole("button", { name: "Delete" }).click();
    await page.getByText("This folder is empty").waitFor();
    assert.ok(!existsSync(at("to")));
    await page.locator(".notice", { hasText: "1 item deleted" }).getByRole("button", { name: "Undo" }).click();
    await shows(page, ["to"]);
    assert.equal(readFileSync(at("to/sub/.two"), "utf8"), "2");
    await page.getByText("to restored").waitFor();
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
    assert.match(await entries.first().textContent(), /^three\.txt.*\s· 1 B\s· deleted /);
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

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { dialog, inFoldersOf, menu, row, shows } from "./support/page.mjs";
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
const link = (page, name) => row(page, name).getByRole("link", { name, exact: true });

/** Drags a row with the mouse, with a key that is held from the middle on. */
async function drag(page, name, target, key) {
  const middle = async (locator) => {
    const { x, y, width, height } = await locator.boundingBox();
    return [x + width / 2, y + height / 2];
  };
  const [x, y] = await middle(link(page, name));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 10, y + 10, { steps: 3 });
  if (key) await page.keyboard.down(key);
  await page.mouse.move(...(await middle(target)), { steps: 5 });
  await page.mouse.up();
  if (key) await page.keyboard.up(key);
}

test("A row that is dragged onto a folder is moved there, and Undo moves it back", async () => {
  await inFolder({ "a.txt": "a", "b.txt": "b", "sub": null }, async (page, at) => {
    await drag(page, "a.txt", row(page, "sub"));
    await shows(page, ["sub", "b.txt"]);
    await page.getByText("1 item moved to folder", { exact: false }).waitFor();
    assert.equal(readFileSync(at("sub/a.txt"), "utf8"), "a");
    await page.getByRole("button", { name: "Undo" }).click();
    await shows(page, ["sub", "a.txt", "b.txt"]);
    assert.equal(readFileSync(at("a.txt"), "utf8"), "a");
    assert.deepEqual(await page.locator(".drop-target").count(), 0);
  });
});

test("With a key, a row is copied, and its time stays", async () => {
  await inFolder({ "a.txt": "a", "sub": null }, async (page, at) => {
    await drag(page, "a.txt", row(page, "sub"), "Control");
    await page.getByText("1 item copied to", { exact: false }).waitFor();
    await shows(page, ["sub", "a.txt"]);
    assert.equal(readFileSync(at("sub/a.txt"), "utf8"), "a");
    assert.equal(Math.floor(statSync(at("sub/a.txt")).mtimeMs / 1000), Math.floor(statSync(at("a.txt")).mtimeMs / 1000));
  });
});

test("All selected rows go along, a folder too, but not into itself", async () => {
  await inFolder({ "a.txt": "a", "b.txt": "b", "one": null, "one/x": "x", "two": null }, async (page, at) => {
    for (const name of ["a.txt", "one"]) await row(page, name).getByRole("checkbox").check();
    await drag(page, "a.txt", row(page, "one"));
    await shows(page, ["one", "two", "a.txt", "b.txt"]);
    await drag(page, "a.txt", row(page, "two"));
    await shows(page, ["two", "b.txt"]);
    assert.deepEqual(readdirSync(at("two")).sort(), ["a.txt", "one"]);
    assert.equal(readFileSync(at("two/one/x"), "utf8"), "x");
  });
});

test("A row is dragged onto a folder of the path", async () => {
  await inFolder({ "sub": null, "sub/a.txt": "a" }, async (page, at) => {
    await link(page, "sub").click();
    await shows(page, ["a.txt"]);
    await drag(page, "a.txt", page.locator(".crumbs a").last());
    await page.getByText("This folder is empty").waitFor();
    assert.equal(readFileSync(at("a.txt"), "utf8"), "a");
  });
});

test("Tiles are dragged as rows are", async () => {
  await inFolder({ "a.txt": "a", "sub": null }, async (page, at) => {
    await page.getByRole("button", { name: "Show as tiles" }).click();
    await drag(page, "a.txt", row(page, "sub"));
    await shows(page, ["sub"]);
    assert.ok(existsSync(at("sub/a.txt")));
  });
});

test("A name that is taken there is not replaced", async () => {
  await inFolder({ "a.txt": "new", "sub": null, "sub/a.txt": "old" }, async (page, at) => {
    await drag(page, "a.txt", row(page, "sub"));
    await page.getByText("a.txt: That name is already taken.").waitFor();
    assert.deepEqual([readFileSync(at("a.txt"), "utf8"), readFileSync(at("sub/a.txt"), "utf8")], ["new", "old"]);
  });
});

test("Files and folders are copied by the menu, beside the original under another name", async () => {
  await inFolder({ "a.txt": "a", "a (2).txt": "other", "sub": null, "sub/x": "x" }, async (page, at) => {
    await menu(page, "a.txt", "Copy to…");
    await dialog(page).getByRole("button", { name: "Copy here" }).click();
    await shows(page, ["sub", "a (2).txt", "a (3).txt", "a.txt"]);
    assert.equal(readFileSync(at("a (3).txt"), "utf8"), "a");
    await menu(page, "sub", "Copy to…");
    await dialog(page).getByRole("button", { name: "Copy here" }).click();
    await shows(page, ["sub", "sub (2)", "a (2).txt", "a (3).txt", "a.txt"]);
    assert.equal(readFileSync(at("sub (2)/x"), "utf8"), "x");
    await menu(page, "a.txt", "Copy to…");
    await dialog(page).getByRole("button", { name: "sub", exact: true }).click();
    await dialog(page).getByText("/ sub").waitFor();
    await dialog(page).getByRole("button", { name: "Copy here" }).click();
    // The notices of the first two copies may still stand there.
    await page.getByText(/^1 item copied to .*sub/).waitFor();
    assert.equal(readFileSync(at("sub/a.txt"), "utf8"), "a");
  });
});

test("The keyboard moves and copies", async () => {
  await inFolder({ "a.txt": "a", "sub": null }, async (page, at) => {
    await row(page, "a.txt").focus();
    await page.keyboard.press("c");
    await dialog(page).getByRole("button", { name: "sub" }).waitFor();
    await page.keyboard.press("Tab");
    await dialog(page).getByRole("button", { name: "sub" }).press("Enter");
    await dialog(page).getByText("/ sub").waitFor();
    await dialog(page).getByRole("button", { name: "Copy here" }).press("Enter");
    await page.getByText("copied to", { exact: false }).waitFor();
    assert.ok(existsSync(at("sub/a.txt")) && existsSync(at("a.txt")));
    await row(page, "sub").focus();
    await page.keyboard.press("m");
    await dialog(page).getByRole("heading", { name: "Move “sub”" }).waitFor();
  });
});

test("A finger that stays on a row does not drag it", async () => {
  await inFolder({ "a.txt": "a", "sub": null }, async (page) => {
    const isDraggable = () => row(page, "a.txt").evaluate((element) => element.draggable);
    await link(page, "a.txt").dispatchEvent("pointerdown", { pointerType: "touch", bubbles: true });
    assert.equal(await isDraggable(), false);
    await link(page, "a.txt").dispatchEvent("pointerdown", { pointerType: "mouse", bubbles: true });
    assert.equal(await isDraggable(), true);
  });
});

test("Where files are only read, nothing is moved or copied", async () => {
  const reader = await serve("--h2-port", "none", "--quiet", "--read-only");
  try {
    await inFoldersOf(() => [browser, reader.address, reader.folder])({ "a.txt": "a", "sub": null }, async (page, at) => {
      await drag(page, "a.txt", row(page, "sub"));
      await row(page, "a.txt").getByRole("button", { name: "Actions for a.txt" }).click();
      assert.deepEqual(await page.getByRole("menuitem").allTextContents(), ["Preview", "Download", "Copy link"]);
      assert.ok(existsSync(at("a.txt")));
      assert.equal(await page.getByRole("button", { name: "Upload" }).count(), 0);
    });
  } finally {
    await reader.stop();
  }
});

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open } from "./support/browser.mjs";
import { checksumsOf, allClosed, dialog, disk, drop, inFoldersOf, menu, openPage, row, shows, signIn } from "./support/page.mjs";
import { committedRun, makeReport, readRun } from "./support/report.mjs";
import { run, serve } from "./support/served.mjs";

// One test for each area of the pages; the other files have the rest.
let browser, server, closed, token, mine, report;

before(async () => {
  [browser, server, closed] = await Promise.all([launch(), serve("--h2-port", "none", "--quiet"), serve("--h2-port", "none", "--quiet", (folder) => {
    writeFileSync(join(folder, "kept.txt"), "secret");
    token = run("token", "add", "someone", "--folder", folder, "--scope", "read,list,link").trim();
  })]);
  mine = disk();
  report = makeReport(committedRun);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await closed?.stop();
  mine?.remove();
  report?.remove();
});

const inFolder = inFoldersOf(() => [browser, server.address, server.folder]);

test("Folders open and the way back leads to where one was", async () => {
  await inFolder({ "a": null, "a/deep": null, "a/deep/x.txt": "x", "z.txt": "z" }, async (page) => {
    await row(page, "a").getByRole("link").click();
    await shows(page, ["deep"]);
    await row(page, "deep").getByRole("link").click();
    await shows(page, ["x.txt"]);
    assert.match(page.url(), /\/folder%20\d+\/a\/deep\/$/);
    await page.goBack();
    await shows(page, ["deep"]);
    await page.getByRole("navigation").getByRole("link", { name: /folder/ }).click();
    await shows(page, ["a", "z.txt"]);
    assert.equal(await page.evaluate(() => document.activeElement.querySelector("a")?.textContent), "a");
    await page.reload();
    await shows(page, ["a", "z.txt"]);
  });
});

test("Three dropped files are uploaded and appear in the list", async () => {
  const files = [mine.write("one.txt", "one"), mine.write("two.bin", 9 * 1024 * 1024), mine.write("empty.dat", "")];
  await inFolder({}, async (page, at) => {
    const checksums = checksumsOf(page);
    await drop(page, files.map(({ path }) => path));
    await page.getByRole("heading", { name: "3 files uploaded" }).waitFor();
    for (const [index, name] of ["one.txt", "two.bin", "empty.dat"].entries()) {
      await row(page, name).waitFor();
      assert.ok(readFileSync(at(name)).equals(files[index].bytes), `${name} is what was dropped`);
    }
    // Two parts of 9 MiB; the other files go with the request that starts them.
    assert.equal(checksums.length, 2);
    for (const checksum of checksums) assert.match(checksum, /^sha256 [A-Za-z0-9+/]{43}=$/);
  });
});

test("Previews show pictures, sound, video, PDF, text and tables", async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30" fill="red"/></svg>';
  const wave = Buffer.concat([Buffer.from("RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00@\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00", "latin1"), Buffer.alloc(8000, 128)]);
  wave.writeUInt32LE(8036, 4);
  wave.writeUInt32LE(8000, 40);
  await inFolder({ "a.svg": svg, "b.wav": wave, "c.txt": "some text", "d.csv": 'name;km\n"a;""b""";12\nc;3\n', "e.bin": "x" }, async (page) => {
    const open = (name) => row(page, name).getByRole("link").click();
    await open("a.svg");
    await page.waitForFunction(() => document.querySelector(".stage img")?.naturalWidth === 40);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector(".stage audio")?.duration === 1);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector(".stage pre")?.textContent === "some text");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelectorAll(".stage td").length === 4);
    assert.deepEqual(await page.locator(".stage th, .stage td").allTextContents(), ["name", "km", 'a;"b"', "12", "c", "3"]);
    await page.keyboard.press("ArrowRight");
    await dialog(page).getByText("No preview for this type of file.").waitFor();
    await page.keyboard.press("Escape");
    await allClosed(page);
  });
});

test("The page asks for a token, says when it is wrong, and stays signed in without keeping the token", async () => {
  const { page, context, errors } = await openPage(browser, closed.address);
  await signIn(page, "mr_wrong");
  await dialog(page).getByText("This token is not valid.").waitFor();
  assert.equal(await page.locator(".rows .row").count(), 0);
  await signIn(page, token);
  await row(page, "kept.txt").waitFor();
  const [cookie] = await context.cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.expires], [true, "Strict", -1]);
  assert.ok(cookie.name.includes(new URL(closed.address).port), cookie.name);
  assert.ok(!cookie.value.includes(token));
  assert.equal(await page.evaluate(() => document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)), "{}{}");
  await page.reload();
  await row(page, "kept.txt").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await dialog(page).getByText("Signed out").waitFor();
  assert.equal(await page.evaluate(async () => (await fetch("/files/kept.txt")).status), 401);
  assert.deepEqual(errors, []);
  await context.close();
});

test("Files and folders are renamed, moved, created and deleted", async () => {
  await inFolder({ "old.txt": "content", "target": null, "full": null, "full/inner.txt": "x", "taken.txt": "t" }, async (page, at) => {
    await menu(page, "old.txt", "Rename…");
    await dialog(page).getByLabel("New name").fill("taken.txt");
    await dialog(page).getByRole("button", { name: "Rename" }).click();
    await dialog(page).getByText("That name is taken").waitFor();
    await dialog(page).getByLabel("New name").fill("new & 100%.txt");
    await dialog(page).getByRole("button", { name: "Rename" }).click();
    await row(page, "new & 100%.txt").waitFor();
    assert.equal(readFileSync(at("new & 100%.txt"), "utf8"), "content");

    await page.getByRole("button", { name: "New folder" }).click();
    await dialog(page).getByLabel("Name of the folder").fill("made");
    await page.keyboard.press("Enter");
    await row(page, "made").waitFor();
    assert.ok(existsSync(at("made")));

    await menu(page, "full", "Move…");
    await dialog(page).getByRole("button", { name: "target" }).click();
    await dialog(page).getByRole("button", { name: "Move here" }).click();
    await row(page, "full").waitFor({ state: "detached" });
    assert.equal(readFileSync(at("target/full/inner.txt"), "utf8"), "x");

    await row(page, "target").getByRole("checkbox").check();
    await row(page, "taken.txt").getByRole("checkbox").check();
    await page.getByRole("toolbar").getByRole("button", { name: "Delete…" }).click();
    await dialog(page).getByText("Folders are deleted with everything in them").waitFor();
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await shows(page, ["made", "new & 100%.txt"]);
    assert.equal(existsSync(at("target")) || existsSync(at("taken.txt")), false);
  });
});

test("A signed link is made where the token allows it, and works without a token", async () => {
  const { page, context, errors } = await openPage(browser, closed.address);
  await signIn(page, token);
  await menu(page, "kept.txt", "Share link…");
  await dialog(page).getByRole("button", { name: "Create link" }).click();
  const link = await dialog(page).getByLabel("Link").inputValue();
  assert.equal(await (await fetch(link)).text(), "secret");
  assert.ok(!link.includes(token));
  assert.deepEqual(errors, []);
  await context.close();
});

test("The committed run is shown with all that it has", async () => {
  const { cases } = readRun(committedRun);
  const { page, context, requests, errors } = await open(browser, report.url);
  assert.equal(await page.locator(".cases tbody tr:visible").count(), cases.filter((item) => item.role === undefined).length);
  assert.equal(await page.locator(".heat tbody tr").count(), 10);
  assert.match(await page.locator(".finding").innerText(), /^Reading 128 MiB with buffers of 4 KiB, FilePipe is 2\.2 times as fast as FileStream/);
  assert.equal(await page.getByRole("button", { name: "Peak memory" }).count(), 1);
  assert.deepEqual(errors, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith("data:")), [report.url]);
  await context.close();
});

// Links to folders, as those see them who make them and who get them.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { dialog, drawn, menu, openPage, row, signIn } from "./support/page.mjs";
import { run, serve } from "./support/served.mjs";

let browser, server;

before(async () => {
  browser = await launch();
  server = await serve("--h2-port", "none", "--quiet", (root) => {
    mkdirSync(join(root, "photos", "summer"), { recursive: true });
    mkdirSync(join(root, "inbox"));
    writeFileSync(join(root, "photos", "README.md"), "# Photos\n");
    writeFileSync(join(root, "photos", "summer", "beach.txt"), "sand");
    writeFileSync(join(root, "inbox", "taken.txt"), "old");
    writeFileSync(join(root, "secret.txt"), "secret");
  });
  run("token", "add", "keeper", "--folder", server.folder);
});

after(async () => {
  await browser.close();
  await server.stop();
});

const link = (...args) => run("link", ...args, "--folder", server.folder, "--url", server.address).trim();
const pathOf = (url) => url.slice(new URL(url).origin.length);
const open = (url, options = {}) => openPage(browser, server.address, { ...options, path: pathOf(url) });
const linkOf = (url) => JSON.parse(run("link", "--list", "--json", "--folder", server.folder).trim().split("\n").find((line) => JSON.parse(line).folder === url));

/** Chooses files as where the browser has no dialog of its own. */
async function choose(page, button, files) {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: button }).click()]);
  await chooser.setFiles(files.map(([name, text]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })));
}

test("A link shows its folder and nothing above it, and stays in the address", async () => {
  const { page, context, errors } = await open(link("photos/"));
  await drawn(page);
  await row(page, "summer").getByRole("link").click();
  await row(page, "beach.txt").waitFor();
  assert.match(page.url(), /\/files\/photos\/summer\/\?mr-link=ml_/);
  assert.deepEqual(await page.locator(".crumbs li").allInnerTexts(), ["photos", "summer"]);
  await page.reload();
  await row(page, "beach.txt").getByRole("link").click();
  await page.getByText("sand").waitFor();
  assert.equal(await page.getByRole("button", { name: "Sign out" }).count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test("A limited link loads nothing that was not opened", async () => {
  const url = link("photos/", "--max-uses", "1");
  const { page, context } = await open(url);
  await drawn(page);
  await page.waitForLoadState("networkidle");
  assert.equal(await page.getByRole("heading", { name: "README.md" }).count(), 0);
  const [download] = await Promise.all([page.waitForEvent("download"), menu(page, "README.md", "Download")]);
  assert.equal(readFileSync(await download.path(), "utf8"), "# Photos\n");
  await context.close();
});

test("Files are dropped under the sender's name, and a taken name gets a number", async () => {
  mkdirSync(join(server.folder, "inbox", "Anna"), { recursive: true });
  writeFileSync(join(server.folder, "inbox", "Anna", "taken.txt"), "old");
  const { page, context, errors } = await open(link("inbox/", "--drop", "--ask-name"), { viewport: { width: 360, height: 740 }, hasTouch: true });
  await page.addInitScript(() => delete window.showOpenFilePicker);
  await page.reload();
  await page.getByLabel("Your name").fill("Anna");
  await choose(page, "Choose files", [["taken.txt", "new"], ["other.txt", "more"]]);
  await page.getByRole("heading", { name: "2 files uploaded" }).waitFor();
  assert.equal(readFileSync(join(server.folder, "inbox", "Anna", "taken.txt"), "utf8"), "old");
  assert.equal(readFileSync(join(server.folder, "inbox", "Anna", "taken (2).txt"), "utf8"), "new");
  assert.deepEqual(readdirSync(join(server.folder, "inbox")).sort(), ["Anna", "taken.txt"]);
  assert.equal(await page.getByText("old", { exact: true }).count(), 0);
  await page.getByLabel("Your name").fill(".millrace");
  await choose(page, "Choose files", [["evil.txt", "x"]]);
  await page.getByRole("alert").filter({ hasText: /./ }).first().waitFor();
  assert.equal(existsSync(join(server.folder, ".millrace", "evil.txt")), false);
  assert.deepEqual(errors, []);
  await context.close();
});

test("A password is asked for until it is right, and not again in the tab", async () => {
  const file = join(server.folder, "password.txt");
  writeFileSync(file, "open sesame\n");
  const { page, context } = await open(link("photos/", "--password-file", file));
  const password = page.getByRole("textbox", { name: "Password" });
  await password.fill("wrong");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("That is not the password.").waitFor();
  await page.keyboard.press("Escape");
  await password.fill("open sesame");
  await page.getByRole("button", { name: "Open" }).click();
  await row(page, "summer").waitFor();
  assert.doesNotMatch(page.url(), /ml_[^.]*\./);
  await page.reload();
  await row(page, "summer").waitFor();
  await context.close();
});

test("A link is made, listed and revoked in the page", async () => {
  const { page, context, errors } = await openPage(browser, server.address);
  await signIn(page, run("token", "add", "maker", "--folder", server.folder).trim());
  await row(page, "photos").waitFor();
  await menu(page, "photos", "Share folder…");
  await dialog(page).getByLabel("Downloads (optional)").fill("3");
  await dialog(page).getByRole("button", { name: "Create link" }).click();
  const url = await dialog(page).getByLabel("Link").inputValue();
  assert.match(url, /\/files\/photos\/\?mr-link=ml_/);
  await page.keyboard.press("Escape");
  const other = await open(url);
  await row(other.page, "summer").waitFor();
  await page.getByRole("button", { name: "More" }).first().click();
  await page.getByRole("menuitem", { name: "Links…" }).click();
  const item = dialog(page).getByRole("listitem").filter({ hasText: "by maker" });
  await item.getByText("0 of 3 uses").waitFor();
  await item.getByRole("button", { name: "Revoke the link to photos" }).click();
  await page.getByText("Link revoked").waitFor();
  assert.equal(await item.count(), 0);
  await other.page.reload();
  await other.page.getByText("This link is not valid").waitFor();
  assert.equal(linkOf("photos").owner, undefined);
  assert.deepEqual([...errors, ...other.errors], []);
  await context.close();
  await other.context.close();
});

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { allClosed, dialog, drawn, inFoldersOf, menu, names, openPage, row, shows, signIn } from "./support/page.mjs";
import { run, serve } from "./support/served.mjs";

let browser, server;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve("--h2-port", "none", "--quiet")]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const inFolder = inFoldersOf(() => [browser, server.address, server.folder]);
const open = (page, name) => row(page, name).getByRole("link").click();
const formatted = (page) => page.frameLocator(".stage iframe.document");
const title = (page, name) => dialog(page).getByRole("heading", { name }).waitFor();

const hostile = `# Title

<script>window.ran = 1; parent.ran = 1</script><img src="none.png" onerror="parent.ran = 1"><p style="position:fixed" id="x" onclick="parent.ran=1">text</p>
<iframe src="/files/"></iframe><form action="/files/"><input name="a"><button>send</button></form><style>body { display: none }</style><base href="http://evil.example/">
<svg><script>parent.ran = 1</script></svg><math><mtext></mtext></math><meta http-equiv="refresh" content="0;url=http://evil.example/">

[run](javascript:parent.ran=1) [data](data:text/html,<script>parent.ran=1</script>) ![remote](http://evil.example/x.png) [good](https://example.com/)

- [x] done
`;

test("Markdown is shown as a document in which nothing runs, and which loads nothing from elsewhere", async () => {
  writeFileSync(`${server.folder}/hostile.md`, hostile);
  const { page, context } = await openPage(browser, server.address);
  const foreign = [];
  context.on("request", (request) => new URL(request.url()).hostname === "evil.example" && foreign.push(request.url()));
  await open(page, "hostile.md");
  const document = formatted(page);
  await document.getByRole("heading", { name: "Title" }).waitFor();
  assert.equal(await page.locator(".stage iframe").getAttribute("sandbox"), "allow-same-origin allow-popups allow-popups-to-escape-sandbox");
  assert.match(await document.locator("meta[http-equiv]").getAttribute("content"), /^default-src 'none'; img-src 'self'; style-src 'nonce-[^']+'; base-uri 'none'; form-action 'none'$/);
  assert.equal(await document.locator("script, iframe, form, button, base, svg, body style, [onclick], [onerror], [style]").count(), 0);
  assert.deepEqual(await document.locator("a").evaluateAll((links) => links.map((link) => [link.textContent, link.getAttribute("href"), link.rel])), [
    ["run", null, "noopener noreferrer"], ["data", null, "noopener noreferrer"], ["good", "https://example.com/", "noopener noreferrer"],
  ]);
  assert.ok(await document.getByRole("checkbox").isDisabled());
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.deepEqual(foreign, []);
  await dialog(page).getByRole("button", { name: "Show the source" }).click();
  await dialog(page).locator("pre").getByText("<script>window.ran = 1").waitFor();
  await context.close();
});

test("The document of a folder is shown below its list, and its links lead to files and folders", async () => {
  await inFolder({ "README.md": "# Welcome\n\n[other](other%20one.md) and [sub](sub/) and [deep](sub/deep.md)", "other one.md": "# The other", "sub": null, "sub/deep.md": "# Deep" }, async (page) => {
    const readme = page.frameLocator(".readme iframe");
    await readme.getByRole("heading", { name: "Welcome" }).waitFor();
    await page.waitForFunction(() => document.querySelector(".readme iframe").clientHeight > 100);
    await readme.getByRole("link", { name: "other" }).click();
    await title(page, "other one.md");
    await formatted(page).getByRole("heading", { name: "The other" }).waitFor();
    await page.goBack();
    await allClosed(page);
    await readme.getByRole("link", { name: "deep" }).click();
    await title(page, "deep.md");
    assert.match(page.url(), /\/sub\/$/);
    await page.goBack();
    await readme.getByRole("heading", { name: "Welcome" }).waitFor();
    await open(page, "README.md");
    await formatted(page).getByRole("link", { name: "sub" }).click();
    await shows(page, ["deep.md"]);
    await allClosed(page);
    // Back to the document that has the link, from there to one in the same folder, and back again.
    await page.goBack();
    await title(page, "README.md");
    await formatted(page).getByRole("link", { name: "other" }).click();
    await title(page, "other one.md");
    await page.goBack();
    await title(page, "README.md");
    await page.keyboard.press("Escape");
    await allClosed(page);
    await shows(page, ["sub", "other one.md", "README.md"]);
    await page.waitForFunction(() => history.state?.preview === undefined);
    assert.ok(!(await page.title()).includes("README"));
    await page.keyboard.press("/");
    await page.keyboard.type("other");
    await page.waitForFunction(() => document.querySelector(".readme").hidden);
  });
});

test("Source text is coloured, and stays text", async () => {
  const source = 'const a = "<img src=x onerror=parent.ran=1>"; // <script>parent.ran = 1</script>\n';
  await inFolder({ "a.js": source, "b.unknown.conf": "x = 1\n", "Dockerfile": "FROM scratch\n" }, async (page) => {
    await open(page, "a.js");
    await page.locator(".stage .hljs-string").waitFor();
    assert.equal(await page.locator(".stage pre").textContent(), source);
    assert.equal(await page.locator(".stage pre :not(span)").count(), 0);
    assert.equal(await page.evaluate(() => window.ran), undefined);
    await page.keyboard.press("Escape");
    await open(page, "Dockerfile");
    await page.locator(".stage .hljs-keyword").getByText("FROM").waitFor();
  });
});

test("A text is edited and saved as it was written, over the version that was read", async () => {
  await inFolder({ "a.txt": "\ufeffone\r\ntwo\r\n", "b.txt": "other" }, async (page, at) => {
    await open(page, "a.txt");
    await dialog(page).getByRole("button", { name: "Edit" }).click();
    const field = page.getByLabel("Text of a.txt");
    assert.equal(await field.inputValue(), "one\ntwo\n");
    const [put] = await Promise.all([page.waitForRequest((request) => request.method() === "PUT"), field.pressSequentially("zero\n").then(() => page.keyboard.press("Control+s"))]);
    await page.getByText("a.txt saved").waitFor();
    assert.match(put.headers()["if-match"], /^"/);
    assert.match(put.headers()["repr-digest"], /^sha-256=:[A-Za-z0-9+/]{43}=:$/);
    assert.equal(readFileSync(at("a.txt"), "utf8"), "\ufeffzero\r\none\r\ntwo\r\n");
    // Again, over the version that was just written.
    await field.fill("three");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    // The button is enabled until the new text is on the server.
    await page.waitForFunction(() => document.querySelector(".stage-tools .primary").disabled);
    assert.equal(readFileSync(at("a.txt"), "utf8"), "\ufeffthree".replaceAll("\n", "\r\n"));
    // Somebody else was faster.
    await field.fill("mine");
    writeFileSync(at("a.txt"), "theirs, and longer");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "a.txt has changed on the server" }).waitFor();
    assert.equal(readFileSync(at("a.txt"), "utf8"), "theirs, and longer");
    await page.getByRole("button", { name: "Cancel" }).click();
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Save anyway" }).click();
    await page.waitForFunction(() => document.querySelectorAll("dialog").length === 1);
    await page.waitForFunction(() => document.querySelector(".stage-tools .primary").disabled);
    assert.equal(readFileSync(at("a.txt"), "utf8"), "\ufeffmine");
  });
});

test("What is not saved is not lost without a question", async () => {
  await inFolder({ "a.txt": "old", "b.txt": "other" }, async (page, at) => {
    const address = page.url();
    await open(page, "a.txt");
    await dialog(page).getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Text of a.txt").fill("new");
    const asked = page.getByRole("heading", { name: "Discard your changes?" });
    for (const leave of [() => page.keyboard.press("Escape"), () => page.goBack(), () => page.getByRole("button", { name: "Next file" }).click()]) {
      await leave();
      await asked.waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await asked.waitFor({ state: "detached" });
      assert.equal(await page.getByLabel("Text of a.txt").inputValue(), "new");
    }
    await page.goBack();
    await asked.waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await allClosed(page);
    assert.equal(page.url(), address);
    assert.equal(readFileSync(at("a.txt"), "utf8"), "old");
    await shows(page, ["a.txt", "b.txt"]);
  });
});

test("What cannot be written back as it is, or may not be written, is not edited", async () => {
  await inFolder({ "latin.txt": Buffer.from([0x61, 0xe9, 0x0a]), "large.txt": "x".repeat(300_000), "plain.txt": "x" }, async (page) => {
    for (const [name, count] of [["latin.txt", 0], ["large.txt", 0], ["plain.txt", 1]]) {
      await open(page, name);
      await page.locator(".stage pre").waitFor();
      assert.equal(await dialog(page).getByRole("button", { name: "Edit" }).count(), count, name);
      await page.keyboard.press("Escape");
      await allClosed(page);
      await page.waitForFunction(() => history.state?.preview === undefined);
    }
    await page.route("**/session", (route) => route.fulfill({ json: { required: true, signedIn: true, name: "reader", scopes: ["read", "list"] } }));
    await page.reload();
    await drawn(page);
    await open(page, "plain.txt");
    await page.locator(".stage pre").waitFor();
    assert.equal(await dialog(page).getByRole("button", { name: "Edit" }).count(), 0);
  });
});

test("What others change is shown when one comes back to the page", async () => {
  await inFolder({ "a.txt": "" }, async (page, at) => {
    writeFileSync(at("b.txt"), "");
    await page.waitForTimeout(1100);
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await shows(page, ["a.txt", "b.txt"]);
    // Nothing is read and drawn again for nothing.
    const asked = [];
    page.on("request", (request) => /limit=/.test(request.url()) && asked.push(request.url()));
    await page.waitForTimeout(1100);
    await Promise.all([page.waitForResponse(/limit=/), page.evaluate(() => dispatchEvent(new Event("focus")))]);
    await page.waitForTimeout(300);
    assert.equal(asked.length, 1);
    assert.deepEqual(await names(page), ["a.txt", "b.txt"]);
  });
});

test("While somebody uses the page, it shows what others change, and asks for nothing when nobody does", async () => {
  await inFolder({ "a.txt": "" }, async (page, at) => {
    await page.clock.install();
    await page.reload();
    await page.locator(".status-line").getByText("1 file").waitFor();
    writeFileSync(at("b.txt"), "");
    await page.clock.fastForward("00:16");
    await shows(page, ["a.txt", "b.txt"]);
    const asked = [];
    page.on("request", (request) => /limit=/.test(request.url()) && asked.push(request.url()));
    await page.clock.fastForward("06:00");
    await page.waitForTimeout(300);
    assert.deepEqual(asked, []);
    await page.mouse.move(200, 300);
    await page.mouse.move(210, 310);
    await Promise.all([page.waitForRequest(/limit=/), page.clock.fastForward("00:16")]);
  });
});

test("A folder is made where something is moved to", async () => {
  await inFolder({ "a.txt": "a" }, async (page, at) => {
    await menu(page, "a.txt", "Move…");
    await dialog(page).getByRole("button", { name: "New folder" }).click();
    await page.getByLabel("Name of the folder").fill("new one");
    await page.getByRole("button", { name: "Create" }).click();
    await dialog(page).getByText(/new one$/).first().waitFor();
    await dialog(page).getByRole("button", { name: "Move here" }).click();
    await shows(page, ["new one"]);
    assert.ok(statSync(at("new one/a.txt")).isFile() && !existsSync(at("a.txt")));
  });
});

test("Several files are shared, with a link each", async () => {
  let token;
  const own = await serve("--h2-port", "none", "--quiet", (folder) => {
    for (const name of ["a.txt", "b.txt", "c.txt"]) writeFileSync(`${folder}/${name}`, `content of ${name}`);
    token = run("token", "add", "one", "--folder", folder, "--scope", "all").trim();
  });
  try {
    const { page, context } = await openPage(browser, own.address);
    await signIn(page, token);
    for (const name of ["a.txt", "c.txt"]) await row(page, name).getByRole("checkbox").check();
    await page.getByRole("toolbar").getByRole("button", { name: "Share link…" }).click();
    await dialog(page).getByRole("heading", { name: "Share 2 files" }).waitFor();
    await dialog(page).getByRole("button", { name: "Create links" }).click();
    const links = (await dialog(page).getByLabel("Links", { exact: true }).inputValue()).split("\n");
    const contents = await Promise.all(links.map(async (link) => (await fetch(link)).text()));
    assert.deepEqual(contents, ["content of a.txt", "content of c.txt"]);
    await context.close();
  } finally {
    await own.stop();
  }
});

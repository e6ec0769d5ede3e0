import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { allClosed, dialog, drawn, drop, inFoldersOf, menu, names, row, shows } from "./support/page.mjs";
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

test("The list sorts by name, size and date, folders first", async () => {
  await inFolder({ "b10.txt": "1", "b9.txt": "55555", "A.txt": "333", "folder": null }, async (page, at) => {
    for (const [name, time] of [["b10.txt", 3000], ["b9.txt", 1000], ["A.txt", 2000]]) utimesSync(at(name), time, time);
    await page.reload();
    await shows(page, ["folder", "A.txt", "b9.txt", "b10.txt"]);
    const head = (name) => page.getByRole("columnheader", { name });
    await head("Size").getByRole("button").click();
    await shows(page, ["folder", "b9.txt", "A.txt", "b10.txt"]);
    assert.equal(await head("Size").getAttribute("aria-sort"), "descending");
    await head("Size").getByRole("button").click();
    await shows(page, ["folder", "b10.txt", "A.txt", "b9.txt"]);
    await head("Modified").getByRole("button").click();
    await shows(page, ["folder", "b10.txt", "A.txt", "b9.txt"]);
    await head("Name").getByRole("button").click();
    await shows(page, ["folder", "A.txt", "b9.txt", "b10.txt"]);
  });
});

test("The filter finds names while one types", async () => {
  await inFolder({ "Übung 1.txt": "", "übung 2.md": "", "other.txt": "" }, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("üb 2");
    await shows(page, ["übung 2.md"]);
    assert.equal(await page.locator("mark").first().textContent(), "üb");
    await page.keyboard.press("Escape");
    await shows(page, ["other.txt", "Übung 1.txt", "übung 2.md"]);
    await page.keyboard.type("nothing");
    await page.getByText("No name contains “nothing”").waitFor();
  });
});

test("A file is downloaded, and a folder as a zip", async () => {
  await inFolder({ "one.txt": "content", "sub": null, "sub/x": "x" }, async (page) => {
    const download = async (act) => {
      const [one] = await Promise.all([page.waitForEvent("download"), act()]);
      return { name: one.suggestedFilename(), bytes: readFileSync(await one.path()) };
    };
    const file = await download(() => menu(page, "one.txt", "Download"));
    assert.deepEqual([file.name, String(file.bytes)], ["one.txt", "content"]);
    const zip = await download(() => menu(page, "sub", "Download as zip"));
    assert.equal(zip.name, "sub.zip");
    assert.equal(zip.bytes.toString("latin1", 0, 2), "PK");
  });
});

/** Selects rows and presses the toolbar's button for downloading them. */
async function downloadSelected(page, selected, label) {
  for (const name of selected) await row(page, name).getByRole("checkbox").check();
  await page.getByRole("toolbar").getByRole("button", { name: label, exact: true }).click();
}

test("Several selected files and folders are downloaded as one zip", async () => {
  await inFolder({ "a & b=ü.txt": "a", "c+d.txt": "c", "not.txt": "n", "sub": null, "sub/deep": null, "sub/deep/x": "x" }, async (page) => {
    const one = page.waitForEvent("download");
    await downloadSelected(page, ["a & b=ü.txt", "c+d.txt", "sub"], "Download as zip");
    const zip = readFileSync(await (await one).path());
    const list = spawnSync("python3", ["-c", "import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep='\\n')", await (await one).path()], { encoding: "utf8" });
    assert.match((await one).suggestedFilename(), /^folder \d+\.zip$/);
    assert.equal(zip.toString("latin1", 0, 2), "PK");
    assert.deepEqual(list.stdout.trim().split("\n").sort(), ["a & b=ü.txt", "c+d.txt", "sub/deep/x"]);
  });
});

test("A zip that the server refuses leaves the page, and a sentence", async () => {
  await inFolder({ "a.txt": "a", "b.txt": "b" }, async (page, at) => {
    rmSync(at("."), { recursive: true });
    await downloadSelected(page, ["a.txt", "b.txt"], "Download as zip");
    await page.getByText("It no longer exists.").waitFor();
    assert.equal(await page.locator(".rows .row").count(), 2);
  });
});

test("Where the server makes no zip, selected files are downloaded one after another", async () => {
  await inFolder({ "a.txt": "a", "b.txt": "b", "c.txt": "c" }, async (page) => {
    await page.route("**/session", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), archives: false } });
    });
    await page.reload();
    await drawn(page);
    const downloads = [];
    page.on("download", (one) => downloads.push(one.suggestedFilename()));
    const second = page.waitForEvent("download", () => downloads.length === 2);
    await downloadSelected(page, ["a.txt", "c.txt"], "Download");
    await second;
    // The page asks for one after another, and the browser reports each when it is answered.
    assert.deepEqual(downloads.sort(), ["a.txt", "c.txt"]);
  });
});

test("Links are copied", async () => {
  await inFolder({ "a b.txt": "a" }, async (page) => {
    await menu(page, "a b.txt", "Copy link");
    await page.getByText("Link copied").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(await (await fetch(link)).text(), "a");
  }, { permissions: ["clipboard-read", "clipboard-write"] });
});

test("A video is shown and sought in, by ranges, and a PDF by the browser", async () => {
  await inFolder({ "a.webm": "", "b.pdf": "" }, async (page, at) => {
    const video = await page.evaluate(async () => {
      const canvas = document.createElement("canvas");
      const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: "video/webm" });
      const pieces = [];
      recorder.ondataavailable = ({ data }) => pieces.push(data);
      recorder.start();
      for (let i = 0; i < 20; i++) {
        canvas.getContext("2d").fillText(String(i), i, 20);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      await new Promise((resolve) => {
        recorder.onstop = resolve;
        recorder.stop();
      });
      return [...new Uint8Array(await new Blob(pieces).arrayBuffer())];
    });
    writeFileSync(at("a.webm"), Buffer.from(video));
    writeFileSync(at("b.pdf"), await page.pdf());
    await page.reload();
    const statuses = [];
    page.on("response", (response) => /\.(webm|pdf)$/.test(response.url()) && statuses.push([response.url().slice(-4), response.status(), response.headers()["content-type"]]));
    await row(page, "a.webm").getByRole("link").click();
    await page.waitForFunction(() => document.querySelector(".stage video")?.videoWidth === 300);
    await page.evaluate(() => {
      const shown = document.querySelector(".stage video");
      shown.currentTime = 0.5;
      return new Promise((resolve) => (shown.onseeked = resolve));
    });
    assert.deepEqual(statuses[0], ["webm", 206, "video/webm"]);
    // What the browser's viewer asks has no headers that a page sees.
    const pdf = page.waitForResponse((response) => response.url().endsWith(".pdf") && response.headers()["content-type"] !== undefined);
    await page.keyboard.press("ArrowRight");
    await page.locator('.stage iframe[title="b.pdf"]').waitFor();
    const shown = await pdf;
    assert.deepEqual([shown.status(), shown.headers()["content-type"]], [200, "application/pdf"]);
  });
});

test("The first rows of a table of 10 GB are read, and no more", async () => {
  await inFolder({ "large.csv": `a,b\n${"1,2\n".repeat(100_000)}` }, async (page, at) => {
    truncateSync(at("large.csv"), 10_000_000_000);
    let bytes = 0;
    page.on("response", async (response) => response.url().endsWith("large.csv") && (bytes += Number(response.headers()["content-length"])));
    await row(page, "large.csv").getByRole("link").click();
    await page.waitForFunction(() => document.querySelectorAll(".stage tbody tr").length === 200);
    assert.equal(bytes, 256 * 1024);
  });
});

test("A name may have any character, and nothing in a name runs", async () => {
  const hostile = ["<img src=x onerror=window.ran=1>.html", "'; window.ran=1; '.txt", "a&amp;b.txt", "‮fdp.exe", "%2e%2e.txt", "javascript:window.ran=1", "\u05d0\u05d1\u05d2 (1).txt", "ünï 😀.txt"];
  const files = Object.fromEntries(hostile.map((name) => [name, "<script>window.ran=1;parent.ran=1</script>"]));
  // A mark that turns text would show one name as another.
  const shown = Object.fromEntries(hostile.map((name) => [name.replace("\u202e", "\ufffd"), name]));
  await inFolder(files, async (page, at, context) => {
    const there = await names(page);
    assert.deepEqual([...there].sort(), Object.keys(shown).sort());
    for (const name of there) {
      const link = row(page, name).getByRole("link");
      assert.equal(await (await fetch(await link.evaluate((element) => element.href))).text(), files[shown[name]]);
      assert.equal(await link.locator("bdi").count(), 1);
      await link.click();
      await dialog(page).waitFor();
      await page.keyboard.press("Escape");
    }
    assert.equal(await page.evaluate(() => window.ran), undefined);
    assert.equal(context.pages().length, 1);
  });
});

test("Uploaded HTML and SVG that are opened run nothing on the origin", async () => {
  const script = "<script>document.title='ran';try{parent.ran=1;localStorage.ran=1}catch{}</script>";
  await inFolder({
    "page.html": `<!doctype html><title>still</title>${script}`,
    "page.svg": `<svg xmlns="http://www.w3.org/2000/svg">${script.replaceAll("document.title='ran'", "document.documentElement.id='ran'")}</svg>`,
    "page.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>still</title>${script}</head></html>`,
  }, async (page, at, context) => {
    for (const name of ["page.html", "page.svg", "page.xhtml"]) {
      const opened = await context.newPage();
      const url = await row(page, name).getByRole("link").evaluate((element) => element.href);
      // A file that the browser saves instead of showing does not run either.
      const shown = await opened.goto(url).then(() => true, (error) => /Download is starting|ERR_ABORTED/.test(error.message) ? false : Promise.reject(error));
      if (shown) assert.deepEqual(await opened.evaluate(() => [document.title === "ran", document.documentElement.id]), [false, ""]);
      await opened.close();
    }
    assert.equal(await page.evaluate(() => localStorage.ran), undefined);
  });
});

test("Browse, upload, rename and delete by keyboard only", async () => {
  await inFolder({ "sub": null, "sub/one.txt": "1", "sub/two.txt": "2" }, async (page, at) => {
    await page.addInitScript(() => {
      window.showOpenFilePicker = async () => {
        const handle = await (await navigator.storage.getDirectory()).getFileHandle("three.txt", { create: true });
        const writer = await handle.createWritable();
        await writer.write("3");
        await writer.close();
        return [handle];
      };
    });
    await page.reload();
    await drawn(page);
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the files");
    await press("Enter", "Enter");
    await shows(page, ["one.txt", "two.txt"]);
    await press("u");
    await shows(page, ["one.txt", "three.txt", "two.txt"]);
    assert.equal(readFileSync(at("sub/three.txt"), "utf8"), "3");
    await press("ArrowDown", "Home", "F2");
    await page.keyboard.type("first");
    await press("Enter");
    await shows(page, ["first.txt", "three.txt", "two.txt"]);
    await page.waitForFunction(() => document.activeElement.querySelector?.("a")?.textContent === "first.txt");
    await press("ArrowDown", "Shift+ArrowDown");
    assert.deepEqual(await page.locator(".row[aria-selected=true] a").allTextContents(), ["three.txt", "two.txt"]);
    await press("Delete");
    await dialog(page).waitFor();
    // The button that does no harm has the focus.
    await press("Enter");
    await allClosed(page);
    assert.ok(existsSync(at("sub/two.txt")));
    await press("Delete");
    await dialog(page).waitFor();
    await press("Tab", "Enter");
    await shows(page, ["first.txt"]);
    assert.equal(existsSync(at("sub/two.txt")), false);
    await press("Backspace");
    await shows(page, ["sub"]);
    await press("?");
    await dialog(page).getByRole("heading", { name: "Help" }).waitFor();
    await press("Escape");
  });
});

/** Holds back the requests of a method from the given one on; returns a function that waits for it, and one that lets all pass. */
async function hold(page, method, from) {
  let arrive, release, seen = 0;
  const arrived = new Promise((resolve) => (arrive = resolve));
  const released = new Promise((resolve) => (release = resolve));
  await page.route("**/files/**", async (route) => {
    if (route.request().method() === method && ++seen >= from) {
      arrive();
      await released;
    }
    await route.continue();
  });
  return { arrived, release };
}

const focusedName = (page) => page.evaluate(() => document.activeElement?.closest("#list .rows .row")?.querySelector("a")?.textContent);
const focusIsOn = (page, name) => page.waitForFunction((wanted) => document.activeElement?.closest("#list .rows .row")?.querySelector("a")?.textContent === wanted, name)
  .catch(async () => assert.equal(await focusedName(page), name));
const selected = (page) => page.locator(".row[aria-selected=true] a").allTextContents();

/** Changes what the server says of the session. */
async function withSession(page, changes) {
  await page.route("**/session", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...changes } });
  });
  await page.reload();
  await drawn(page);
}

test("What runs in a folder stays in it: the way back closes its dialog and stops what has not begun", async () => {
  await inFolder({ "1.txt": "", "2.txt": "", "3.txt": "", "sub": null, "sub/1.txt": "", "sub/2.txt": "", "sub/3.txt": "" }, async (page, at) => {
    await row(page, "sub").getByRole("link").click();
    await shows(page, ["1.txt", "2.txt", "3.txt"]);
    const { arrived, release } = await hold(page, "DELETE", 1);
    await page.getByRole("checkbox", { name: "Select all" }).check();
    await page.getByRole("toolbar").getByRole("button", { name: "Delete…" }).click();
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await arrived;
    await page.goBack();
    await shows(page, ["sub", "1.txt", "2.txt", "3.txt"]);
    await allClosed(page);
    release();
    await page.getByText("1 item deleted").waitFor();
    await shows(page, ["sub", "1.txt", "2.txt", "3.txt"]);
    assert.deepEqual(["1.txt", "sub/1.txt", "sub/2.txt", "sub/3.txt"].map((name) => existsSync(at(name))), [true, false, true, true]);
  });
});

test("A dialog that is open while one goes back changes nothing in the folder above", async () => {
  await inFolder({ "a.txt": "above", "sub": null, "sub/a.txt": "below" }, async (page, at) => {
    await row(page, "sub").getByRole("link").click();
    await shows(page, ["a.txt"]);
    await menu(page, "a.txt", "Rename…");
    await dialog(page).getByLabel("New name").fill("b.txt");
    await page.goBack();
    await shows(page, ["sub", "a.txt"]);
    await allClosed(page);
    await page.keyboard.press("Enter");
    assert.deepEqual([existsSync(at("a.txt")), existsSync(at("sub/a.txt"))], [true, true]);
  });
});

test("Deleting many says how far it is, and Cancel stops it", async () => {
  await inFolder({ "1.txt": "", "2.txt": "", "3.txt": "" }, async (page, at) => {
    const { arrived, release } = await hold(page, "DELETE", 2);
    await page.getByRole("checkbox", { name: "Select all" }).check();
    await page.getByRole("toolbar").getByRole("button", { name: "Delete…" }).click();
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await arrived;
    await dialog(page).getByText("2 of 3").waitFor();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    // Not before the page has seen the click.
    await allClosed(page);
    release();
    await page.getByText("2 items deleted").waitFor();
    await shows(page, ["3.txt"]);
    assert.ok(existsSync(at("3.txt")));
  });
});

test("A folder that could be read only in part says so, and is read again on request", async () => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`${i}.txt`, ""]));
  await inFolder(many, async (page) => {
    await page.route(/after=/, (route) => route.fulfill({ status: 500, body: "" }));
    await page.reload();
    const status = page.locator(".status-line");
    await status.getByText("This folder could not be read completely. The server reported error 500.").waitFor();
    assert.equal(await page.getByRole("grid").getAttribute("aria-busy"), "false");
    assert.equal(await page.getByText("Loading…").count(), 0);
    await page.unroute(/after=/);
    await page.getByRole("button", { name: "Try again" }).click();
    await status.getByText("1,001 files").waitFor();
    assert.equal(await status.getByText("This folder could not be read completely.").count(), 0);
  });
});

test("After a dialog the focus is in the list, also when the row that had it is gone", async () => {
  await inFolder({ "a.txt": "", "b.txt": "", "c.txt": "", "sub": null }, async (page) => {
    await row(page, "b.txt").focus();
    await page.keyboard.press("Delete");
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await shows(page, ["sub", "a.txt", "c.txt"]);
    await focusIsOn(page, "c.txt");
    // The button in the toolbar goes with the selection.
    await row(page, "c.txt").getByRole("checkbox").check();
    await page.getByRole("toolbar").getByRole("button", { name: "Delete…" }).click();
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await shows(page, ["sub", "a.txt"]);
    await focusIsOn(page, "a.txt");
    // The list is drawn again while the dialog is open.
    await menu(page, "a.txt", "Rename…");
    await page.evaluate(() => document.querySelectorAll(".rows .row").forEach((one) => one.replaceWith(one.cloneNode(true))));
    await page.keyboard.press("Escape");
    await allClosed(page);
    await focusIsOn(page, "a.txt");
    for (const name of ["sub", "a.txt"]) await row(page, name).getByRole("checkbox").check();
    await page.getByRole("toolbar").getByRole("button", { name: "Delete…" }).click();
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("This folder is empty").waitFor();
    await page.waitForFunction(() => document.activeElement?.localName === "main");
  });
});

test("What is deleted while the folder is read stays away when an older list of it arrives", async () => {
  await inFolder({ "a.txt": "", "b.txt": "", "c.txt": "" }, async (page) => {
    let listed, release;
    const isListed = new Promise((resolve) => (listed = resolve));
    const released = new Promise((resolve) => (release = resolve));
    await page.route(/limit=1000/, async (route) => {
      const answer = await route.fetch();
      listed();
      await released;
      await route.fulfill({ response: answer });
    });
    await page.reload();
    await isListed;
    for (const name of ["a.txt", "b.txt"]) await row(page, name).getByRole("checkbox").check();
    await page.getByRole("toolbar").getByRole("button", { name: "Delete…" }).click();
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("2 items deleted").waitFor();
    release();
    await drawn(page);
    await shows(page, ["c.txt"]);
  });
});

test("The dialog for moving always has the focus", async () => {
  await inFolder({ "a.txt": "", "sub": null, "sub/deep": null }, async (page) => {
    const focused = () => page.evaluate(() => document.querySelector("dialog").contains(document.activeElement) && document.activeElement.textContent);
    await menu(page, "a.txt", "Move…");
    assert.notEqual(await focused(), false);
    await dialog(page).getByRole("button", { name: "sub" }).waitFor();
    assert.equal(await focused(), "Up one folder");
    await dialog(page).getByRole("button", { name: "sub" }).click();
    await dialog(page).getByRole("button", { name: "deep" }).click();
    await dialog(page).getByText("No folders here.").waitFor();
    assert.equal(await focused(), "Up one folder");
  });
});

test("The question about a taken name waits until no other dialog is open", async () => {
  await inFolder({ "a.txt": "old", "b.txt": "" }, async (page, at) => {
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route("**/uploads", async (route) => {
      await released;
      await route.continue();
    });
    const mine = join(at("."), "../outside");
    mkdirSync(mine, { recursive: true });
    writeFileSync(join(mine, "a.txt"), "new");
    await drop(page, [join(mine, "a.txt")]);
    await page.locator(".task[data-state=running]").waitFor();
    await menu(page, "b.txt", "Rename…");
    await dialog(page).getByLabel("New name").fill("c.txt");
    const asked = page.waitForResponse((response) => response.request().method() === "HEAD");
    release();
    await asked;
    await page.locator(".task[data-state=clash]").waitFor();
    await page.evaluate(() => fetch("/health"));
    assert.equal(await dialog(page).count(), 1);
    await page.keyboard.press("Enter");
    await dialog(page).getByRole("heading", { name: "“a.txt” already exists" }).waitFor();
    await row(page, "c.txt").waitFor();
    await dialog(page).getByRole("button", { name: "Skip" }).click();
    assert.equal(readFileSync(at("a.txt"), "utf8"), "old");
  });
});

test("A range grows from the file that was chosen, wherever it is now, and from none of another folder", async () => {
  await inFolder({ "b.txt": "", "c.txt": "", "d.txt": "", "e.txt": "", "sub": null, "sub/1.txt": "", "sub/2.txt": "", "sub/3.txt": "" }, async (page, at) => {
    const cell = (name) => row(page, name).locator(".cell-date");
    await cell("c.txt").click();
    mkdirSync(join(at("."), "../outside"), { recursive: true });
    writeFileSync(join(at("."), "../outside/a.txt"), "");
    await drop(page, [join(at("."), "../outside/a.txt")]);
    await row(page, "a.txt").waitFor();
    await cell("d.txt").click({ modifiers: ["Shift"] });
    assert.deepEqual(await selected(page), ["c.txt", "d.txt"]);
    await cell("e.txt").click();
    await row(page, "sub").getByRole("link").click();
    await shows(page, ["1.txt", "2.txt", "3.txt"]);
    await cell("2.txt").click({ modifiers: ["Shift"] });
    assert.deepEqual(await selected(page), ["2.txt"]);
  });
});

test("A link is offered to those who may read the file, and says when the server lets it expire", async () => {
  await inFolder({ "a.txt": "a", "sub": null }, async (page) => {
    const offered = async (name, changes) => {
      await withSession(page, { required: true, signedIn: true, canLink: true, ...changes });
      await row(page, name).getByRole("button", { name: `Actions for ${name}` }).click();
      const items = await page.getByRole("menuitem").allTextContents();
      await page.unroute("**/session");
      return items;
    };
    assert.ok(!(await offered("a.txt", { scopes: ["list", "link"] })).includes("Share link…"));
    assert.ok((await offered("a.txt", { scopes: ["list", "read", "link"] })).includes("Share link…"));
    const expires = new Date(2031, 4, 6, 12);
    await page.route("**/links", (route) => route.fulfill({ json: { url: "/files/a.txt?signed", expires: expires.toISOString() } }));
    await page.getByRole("menuitem", { name: "Share link…" }).click();
    await dialog(page).getByRole("button", { name: "Create link" }).click();
    await dialog(page).getByText(/^Expires .*2031/).waitFor();
    assert.match(await dialog(page).getByLabel("Link").inputValue(), /^http.*\?signed$/);
    // In the dialog: outside of it nothing is read aloud.
    await dialog(page).getByRole("button", { name: "Copy" }).click();
    await dialog(page).getByRole("status").getByText("Link copied").waitFor();
    await page.keyboard.press("Escape");
    await allClosed(page);
    await focusIsOn(page, "a.txt");
  });
});

test("A name is shown without what turns or hides text", async () => {
  await inFolder({ "a\u202egpj\u001b.exe": "x" }, async (page) => {
    const link = page.locator(".cell-name a");
    assert.equal(await link.textContent(), "a\ufffdgpj\ufffd.exe");
    assert.match(await link.getAttribute("href"), /\/a%E2%80%AEgpj%1B\.exe$/);
  });
});

test("Folders are moved and renamed only where the server can move them", async () => {
  await inFolder({ "a.txt": "a", "sub": null }, async (page) => {
    const offered = async (name) => {
      await row(page, name).getByRole("button", { name: `Actions for ${name}` }).click();
      const items = await page.getByRole("menuitem").allTextContents();
      await page.keyboard.press("Escape");
      return ["Rename…", "Move…", "Delete…"].filter((item) => items.includes(item));
    };
    assert.deepEqual(await offered("sub"), ["Rename…", "Move…", "Delete…"]);
    await withSession(page, { folderMoves: false });
    assert.deepEqual(await offered("sub"), ["Delete…"]);
    assert.deepEqual(await offered("a.txt"), ["Rename…", "Move…", "Delete…"]);
    await row(page, "sub").focus();
    await page.keyboard.press("F2");
    assert.equal(await dialog(page).count(), 0);
  });
});

test("The dialog for moving knows the folders after the first 10,000 entries", async () => {
  await inFolder({ "a.txt": "a" }, async (page) => {
    const folder = decodeURIComponent(new URL(page.url()).pathname.slice("/files/".length, -1));
    await page.route(/limit=10000/, (route) => {
      const after = new URL(route.request().url()).searchParams.get("after");
      const name = `${folder}/${after === null ? "first & 1" : "second"}`;
      return route.fulfill({ json: { entries: [{ name, kind: "folder", modified: "2026-01-01T00:00:00Z" }], ...(after === null ? { next: name } : {}) } });
    });
    await menu(page, "a.txt", "Move…");
    await dialog(page).getByRole("button", { name: "second" }).waitFor();
    assert.deepEqual(await dialog(page).locator(".folders button").allTextContents(), ["Up one folder", "first & 1", "second"]);
  });
});

test("A file that has changed on the server is neither deleted nor renamed", async () => {
  await inFolder({ "a.txt": "old", "sub": null }, async (page, at) => {
    writeFileSync(at("a.txt"), "newer content");
    await menu(page, "a.txt", "Rename…");
    await dialog(page).getByLabel("New name").fill("b.txt");
    await page.keyboard.press("Enter");
    await dialog(page).getByText("It has changed on the server.").waitFor();
    await page.keyboard.press("Escape");
    await menu(page, "a.txt", "Delete…");
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("a.txt: It has changed on the server.").waitFor();
    assert.equal(readFileSync(at("a.txt"), "utf8"), "newer content");
    await page.keyboard.press("Escape");
    await page.reload();
    await drawn(page);
    // Renamed, it has another tag; the page knows it.
    await menu(page, "a.txt", "Rename…");
    await dialog(page).getByLabel("New name").fill("b.txt");
    await page.keyboard.press("Enter");
    await row(page, "b.txt").waitFor();
    await menu(page, "b.txt", "Delete…");
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await shows(page, ["sub"]);
  });
});

test("A file that was just uploaded can be deleted and renamed", async () => {
  await inFolder({}, async (page, at) => {
    mkdirSync(join(at("."), "../outside"), { recursive: true });
    writeFileSync(join(at("."), "../outside/new.txt"), "new");
    await drop(page, [join(at("."), "../outside/new.txt")]);
    await menu(page, "new.txt", "Rename…");
    await dialog(page).getByLabel("New name").fill("newer.txt");
    await page.keyboard.press("Enter");
    await menu(page, "newer.txt", "Delete…");
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("This folder is empty").waitFor();
    assert.ok(!existsSync(at("newer.txt")));
  });
});

test("A name that only Windows forbids is taken where the server takes it", async () => {
  await inFolder({ "a.txt": "a" }, async (page, at) => {
    await menu(page, "a.txt", "Rename…");
    await dialog(page).getByLabel("New name").fill("12:30?.txt");
    await page.keyboard.press("Enter");
    await row(page, "12:30?.txt").waitFor();
    assert.ok(existsSync(at("12:30?.txt")));
  });
});

test("A name that the server refuses is explained before it is sent", async () => {
  await inFolder({ "a.txt": "a" }, async (page) => {
    await withSession(page, { portableNames: true });
    const sent = [];
    page.on("request", (request) => ["MOVE", "MKCOL"].includes(request.method()) && sent.push(request.url()));
    await menu(page, "a.txt", "Rename…");
    const input = dialog(page).getByLabel("New name");
    for (const [name, sentence] of [
      ["a:b", "A name cannot contain :"], ["what?", "A name cannot contain ?"], ["a\\b", "A name cannot contain \\"], ["a/b", "A name cannot contain /"], ["a\u0007b", "control characters"],
      ["end.", "end with a dot or a space"], ["nul", "name of a device"], ["COM1.txt", "name of a device"], ["..", "cannot be . or .."], ["ü".repeat(128), "too long"], [".millrace", "keeps this name"],
    ]) {
      await input.evaluate((element, value) => (element.value = value), name);
      await page.keyboard.press("Enter");
      await dialog(page).getByRole("alert").getByText(sentence).waitFor();
    }
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New folder" }).click();
    await dialog(page).getByLabel("Name of the folder").fill("con");
    await page.keyboard.press("Enter");
    await dialog(page).getByRole("alert").getByText("name of a device").waitFor();
    assert.deepEqual(sent, []);
    // What only looks like one of these is a name.
    await dialog(page).getByLabel("Name of the folder").fill("console (1) – 'a' & b");
    await page.keyboard.press("Enter");
    await row(page, "console (1) – 'a' & b").waitFor();
  });
});

test("A session that ends during a preview or a move asks for the token", async () => {
  await inFolder({ "a.txt": "a", "b.png": "not a picture" }, async (page) => {
    for (const [name, open] of [["a.txt", "Preview"], ["b.png", "Preview"], ["a.txt", "Move…"]]) {
      await menu(page, name, open === "Preview" ? "Preview" : open, await page.route(/a\.txt|b\.png|limit=10000/, (route) => route.fulfill({ status: 401, body: "" })));
      await dialog(page).getByRole("heading", { name: "Sign in" }).waitFor();
      assert.equal(await page.locator("dialog[open]").count(), 1, open);
      await page.unroute(/a\.txt|b\.png|limit=10000/);
      await page.waitForFunction(() => history.state?.preview === undefined);
      await page.reload();
      await drawn(page);
    }
  });
});

test("Where the browser does not copy, the link is shown, selected", async () => {
  await inFolder({ "a.txt": "a" }, async (page) => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"));
      document.execCommand = () => false;
    });
    await menu(page, "a.txt", "Copy link");
    const link = dialog(page).getByLabel("Link");
    assert.equal(await (await fetch(await link.inputValue())).text(), "a");
    assert.equal(await page.evaluate(() => getSelection().toString()), await link.inputValue());
    await page.keyboard.press("Escape");
    await allClosed(page);
    await focusIsOn(page, "a.txt");
    // The other way to copy works, and does not keep the focus.
    await page.evaluate(() => (document.execCommand = () => true));
    await menu(page, "a.txt", "Copy link");
    await page.getByText("Link copied").waitFor();
    await focusIsOn(page, "a.txt");
  });
});

test("Texts without an extension, in UTF-16 and in an old encoding are readable", async () => {
  const utf16 = Buffer.from("\uFEFFgr\u00fc\u00df 16", "utf16le");
  const files = {
    "README": "read me", ".gitignore": "bin/", "Dockerfile": "FROM scratch", "le.txt": utf16, "be.txt": Buffer.from(utf16).swap16(),
    "old.txt": Buffer.from("gr\u00fc\u00df \x80", "latin1"), "utf8.txt": "\uFEFFgr\u00fc\u00df \u20ac",
  };
  await inFolder(files, async (page) => {
    for (const [name, text] of [
      ["README", "read me"], [".gitignore", "bin/"], ["Dockerfile", "FROM scratch"], ["le.txt", "gr\u00fc\u00df 16"], ["be.txt", "gr\u00fc\u00df 16"], ["old.txt", "gr\u00fc\u00df \u20ac"], ["utf8.txt", "gr\u00fc\u00df \u20ac"],
    ]) {
      await row(page, name).getByRole("link").click();
      await page.locator(".stage pre").waitFor();
      assert.equal(await page.locator(".stage pre").textContent(), text, name);
      await page.keyboard.press("Escape");
      await allClosed(page);
    }
  });
});

test("A table that is none is shown as text", async () => {
  await inFolder({ "open.csv": 'a,"b\n1,2\n', "line.csv": "a,".repeat(200_000), "good.csv": "a,b\n" }, async (page) => {
    for (const [name, text] of [["open.csv", 'a,"b\n1,2\n'], ["line.csv", "a,".repeat(128 * 1024)]]) {
      await row(page, name).getByRole("link").click();
      await page.locator(".stage pre").waitFor();
      assert.equal(await page.locator(".stage pre").textContent(), text);
      await page.keyboard.press("Escape");
      await allClosed(page);
    }
    await row(page, "good.csv").getByRole("link").click();
    await page.locator(".stage th").first().waitFor();
  });
});

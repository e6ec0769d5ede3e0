import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { line } from "./support/line.mjs";
import { disk, drawn, drop, halfWay, openPage, row, upload, uploadState } from "./support/page.mjs";
import { serve } from "./support/served.mjs";

const MiB = 1024 * 1024;

let browser, server, mine;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve("--h2-port", "none", "--quiet")]);
  mine = disk();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  mine?.remove();
});

/** Half of the first uploads of 24 MiB: one part is stored, the next one is on its way. */
const middle = 12 * MiB;

async function inPage(act, on = server) {
  const way = await line(on.address);
  const { page, context, errors } = await openPage(browser, way.address);
  try {
    await drawn(page);
    await act(page, way, context);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
    way.stop();
  }
}

/** Leaves while something is uploaded, which the browser asks about. */
async function reload(page) {
  const leave = (dialog) => dialog.accept();
  page.on("dialog", leave);
  await page.reload();
  await drawn(page);
  page.off("dialog", leave);
}

const stored = (name, on = server) => readFileSync(join(on.folder, name));
const isStored = ({ bytes }, name, on = server) => assert.ok(stored(name, on).equals(bytes), `${name} is what was dropped`);
const done = (page, name) => uploadState(page, name, "done");
const title = (page, text) => page.getByRole("heading", { name: text }).waitFor();

test("Three dropped files are uploaded and appear in the list", async () => {
  const files = [mine.write("one.txt", "one"), mine.write("two.bin", 9 * MiB), mine.write("empty.dat", "")];
  await inPage(async (page) => {
    const checksums = [];
    page.on("request", (request) => request.headers()["upload-offset"] && checksums.push(request.headers()["upload-checksum"]));
    await drop(page, files.map(({ path }) => path));
    await title(page, "3 files uploaded");
    for (const [at, name] of ["one.txt", "two.bin", "empty.dat"].entries()) {
      await row(page, name).waitFor();
      isStored(files[at], name);
    }
    // Two parts of 9 MiB; the other files go with the request that starts them.
    assert.equal(checksums.length, 2);
    for (const checksum of checksums) assert.match(checksum, /^sha256 [A-Za-z0-9+/]{43}=$/);
  });
});

test("A dropped folder of 200 files keeps its folders, also empty ones", async () => {
  const files = Array.from({ length: 200 }, (_, i) => {
    const name = `tree/${["", "a/", "a/b/", "Ünï çode/"][i % 4]}file ${i}.txt`;
    return { name, ...mine.write(name, `content of ${i}`) };
  });
  mkdirSync(join(mine.folder, "tree/hollow"));
  await inPage(async (page) => {
    await drop(page, [join(mine.folder, "tree")]);
    await title(page, "200 files uploaded");
    for (const file of files) isStored(file, file.name);
    assert.ok(existsSync(join(server.folder, "tree/hollow")));
    await row(page, "tree").waitFor();
    await row(page, "tree").getByRole("link").click();
    await row(page, "Ünï çode").waitFor();
    assert.equal(await page.locator(".rows .row").count() >= 20, true);
  });
});

test("An upload continues after a reload when the same file is dropped again", async () => {
  const file = mine.write("reloaded.bin", 24 * MiB);
  await inPage(async (page, way) => {
    way.hold(middle);
    await drop(page, [file.path]);
    await halfWay(page);
    await reload(page);
    await uploadState(page, "reloaded.bin", "lost");
    assert.match(await upload(page, "reloaded.bin").innerText(), /8\.0 MiB of 24\.0 MiB/);
    way.release();
    const offsets = [];
    page.on("request", (request) => request.method() === "PATCH" && offsets.push(Number(request.headers()["upload-offset"])));
    await drop(page, [file.path]);
    await done(page, "reloaded.bin");
    assert.ok(offsets[0] >= 8 * MiB, `it continues at ${offsets[0]}`);
    isStored(file, "reloaded.bin");
  });
});

test("After a reload, one press continues where the browser keeps a handle of the file", async () => {
  await inPage(async (page, way) => {
    // A file of the browser's own file system has the same kind of handle as one of the disk, and no dialog of the system.
    await page.addInitScript(() => {
      window.showOpenFilePicker = async () => [await (await navigator.storage.getDirectory()).getFileHandle("handled.bin")];
    });
    await reload(page);
    await page.evaluate(async (size) => {
      const writer = await (await (await navigator.storage.getDirectory()).getFileHandle("handled.bin", { create: true })).createWritable();
      await writer.write(Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 9)) & 255));
      await writer.close();
    }, 24 * MiB);
    way.hold(middle);
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await halfWay(page);
    await reload(page);
    await uploadState(page, "handled.bin", "lost");
    way.release();
    await page.getByRole("button", { name: "Resume handled.bin" }).click();
    await done(page, "handled.bin");
    assert.ok(stored("handled.bin").equals(Buffer.from(Uint8Array.from({ length: 24 * MiB }, (_, i) => (i * 31 + (i >> 9)) & 255))));
  });
});

test("An upload continues when the server was killed and starts again", async () => {
  const file = mine.write("killed.bin", 24 * MiB);
  const own = await serve("--h2-port", "none", "--quiet");
  try {
    await inPage(async (page, way) => {
      way.hold(middle);
      await drop(page, [file.path]);
      await halfWay(page);
      await own.kill();
      way.release();
      await uploadState(page, "killed.bin", "waiting");
      await own.restart();
      await done(page, "killed.bin");
      isStored(file, "killed.bin", own);
    }, own);
  } finally {
    await own.stop();
  }
});

test("Uploads wait while the browser is offline for 10 s, and continue", async () => {
  const file = mine.write("offline.bin", 24 * MiB);
  await inPage(async (page, way, context) => {
    way.hold(middle);
    await drop(page, [file.path]);
    await halfWay(page);
    await context.setOffline(true);
    way.release();
    await uploadState(page, "offline.bin", "waiting");
    assert.match(await upload(page, "offline.bin").innerText(), /Connection lost/);
    await page.waitForTimeout(10_000);
    assert.equal(existsSync(join(server.folder, "offline.bin")), false);
    await context.setOffline(false);
    await done(page, "offline.bin");
    isStored(file, "offline.bin");
  });
});

test("An upload whose connection has gone silent begins again from what the server has", async () => {
  const file = mine.write("silent.bin", 24 * MiB);
  await inPage(async (page, way) => {
    way.hold(middle);
    const parts = [];
    page.on("request", (request) => request.method() === "PATCH" && parts.push(request.headers()["upload-offset"]));
    await drop(page, [file.path]);
    await halfWay(page);
    // As a laptop that was asleep: a minute is over, and nobody has closed the connection.
    const later = () => page.evaluate(() => {
      const now = performance.now.bind(performance);
      performance.now = () => now() + 70_000;
    });
    // Again, because what was on its way may still have been reported after the first minute.
    for (let left = 10; parts.length < 3; left--) {
      assert.ok(left > 0, "the part was not sent again");
      await later();
      await page.waitForTimeout(1500);
    }
    way.release();
    await done(page, "silent.bin");
    assert.equal(parts[2], String(8 * MiB));
    isStored(file, "silent.bin");
  });
});

test("An upload can be paused, resumed and cancelled", async () => {
  const file = mine.write("paused.bin", 24 * MiB);
  await inPage(async (page, way) => {
    way.hold(middle);
    await drop(page, [file.path]);
    await halfWay(page);
    await page.getByRole("button", { name: "Pause paused.bin" }).click();
    await uploadState(page, "paused.bin", "paused");
    await page.getByRole("button", { name: "Resume paused.bin" }).click();
    await uploadState(page, "paused.bin", "running");
    await page.getByRole("button", { name: "Cancel paused.bin" }).click();
    await upload(page, "paused.bin").waitFor({ state: "hidden" });
    await page.reload();
    await drawn(page);
    assert.equal(await page.locator(".task").count(), 0);
    assert.equal(existsSync(join(server.folder, "paused.bin")), false);
  });
});

test("A taken name asks: replace, keep both or skip, for one file or for all", async () => {
  const folder = disk();
  const all = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"];
  for (const name of all) writeFileSync(join(server.folder, name), `old ${name}`);
  const paths = (names) => names.map((name) => folder.write(name, `new ${name}`).path);
  try {
    await inPage(async (page) => {
      const dialog = page.getByRole("dialog");
      await drop(page, paths(["a.txt", "b.txt", "c.txt"]));
      // Which of them asks first depends on which request was faster.
      const answers = { "a.txt": "Replace", "b.txt": "Keep both", "c.txt": "Skip" };
      for (let asked = 0; asked < 3; asked++) {
        const name = /“(.*)” already exists/.exec(await dialog.getByRole("heading").innerText())[1];
        await dialog.getByRole("button", { name: answers[name] }).click();
        await dialog.filter({ hasText: `“${name}”` }).waitFor({ state: "detached" });
      }
      await uploadState(page, "a.txt", "done");
      await uploadState(page, "b (2).txt", "done");
      await uploadState(page, "c.txt", "skipped");
      await row(page, "b (2).txt").waitFor();
      await drop(page, paths(["d.txt", "e.txt"]));
      await dialog.getByRole("checkbox").check();
      await dialog.getByRole("button", { name: "Skip" }).click();
      await uploadState(page, "d.txt", "skipped");
      await uploadState(page, "e.txt", "skipped");
    });
    const there = Object.fromEntries([...all, "b (2).txt"].map((name) => [name, String(stored(name))]));
    assert.deepEqual(there, { "a.txt": "new a.txt", "b.txt": "old b.txt", "b (2).txt": "new b.txt", "c.txt": "old c.txt", "d.txt": "old d.txt", "e.txt": "old e.txt" });
  } finally {
    folder.remove();
  }
});

test("Files that are too large, or for which there is no space, get a sentence each; the others continue", async () => {
  const own = await serve("--h2-port", "none", "--quiet", "--max-file", "2M", "--max-total", "3M");
  const files = [mine.write("large.bin", 2 * MiB + 1), mine.write("fits.bin", 2 * MiB), mine.write("small.txt", "small")];
  try {
    await inPage(async (page) => {
      await drop(page, files.map(({ path }) => path));
      await uploadState(page, "large.bin", "failed");
      assert.match(await upload(page, "large.bin").innerText(), /The file is larger than this server accepts\./);
      await uploadState(page, "fits.bin", "done");
      await uploadState(page, "small.txt", "done");
      await drop(page, [mine.write("more.bin", 2 * MiB - 1).path, mine.write("tiny.txt", "tiny").path]);
      await uploadState(page, "more.bin", "failed");
      assert.match(await upload(page, "more.bin").innerText(), /There is no space left on the server\./);
      await uploadState(page, "tiny.txt", "done");
      await page.getByRole("button", { name: "Retry more.bin" }).waitFor();
    }, own);
    assert.deepEqual(readdirSync(own.folder).filter((name) => !name.startsWith(".")).sort(), ["fits.bin", "small.txt", "tiny.txt"]);
  } finally {
    await own.stop();
  }
});

test("Pasted and chosen files are uploaded", async () => {
  await inPage(async (page) => {
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["pasted"], "pasted.txt"));
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await done(page, "pasted.txt");
    mine.write("chosen/deep/x.txt", "x");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Upload a folder…" }).click();
    await (await chooser).setFiles(join(mine.folder, "chosen"));
    await done(page, "x.txt");
  });
  assert.equal(String(stored("pasted.txt")), "pasted");
  assert.equal(String(stored("chosen/deep/x.txt")), "x");
});

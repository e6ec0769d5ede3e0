import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { gateway } from "./support/gateway.mjs";
import { line } from "./support/line.mjs";
import { disk, drawn, drop, halfWay, openPage, row, until, upload, uploadState } from "./support/page.mjs";
import { serve } from "./support/served.mjs";

const MiB = 1024 * 1024;

let browser, server, mine;

before(async () => {
  [browser, server] = await Promise.all([launch("--js-flags=--expose-gc"), serve("--h2-port", "none", "--quiet")]);
  mine = disk();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  mine?.remove();
});

/** Half of the first uploads of 24 MiB: one part is stored, the next one is on its way. */
const middle = 12 * MiB;

async function inPage(act, on = server, connect = line) {
  const way = await connect(on.address);
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

/** Without the pauses between the attempts, which grow to seconds. */
const withShortPauses = (page) => page.evaluate(() => {
  const wait = setTimeout;
  window.setTimeout = (act, ms) => wait(act, Math.min(ms, 50));
});

const stored = (name, on = server) => readFileSync(join(on.folder, name));
const isStored = ({ bytes }, name, on = server) => assert.ok(stored(name, on).equals(bytes), `${name} is what was dropped`);
const done = (page, name) => uploadState(page, name, "done");
const title = (page, text) => page.getByRole("heading", { name: text }).waitFor();

/** The page of a server that takes only names which Windows has, too. */
async function inPortablePage(act) {
  const own = await serve("--h2-port", "none", "--quiet", "--names", "portable");
  try {
    await inPage((page) => act(page, own), own);
  } finally {
    await own.stop();
  }
}

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
    // A folder without files is not among those, and is made beside them.
    await until(() => existsSync(join(server.folder, "tree/hollow")), "the empty folder");
    await row(page, "tree").waitFor();
    await row(page, "tree").getByRole("link").click();
    await row(page, "Ünï çode").waitFor();
    assert.equal(await page.locator(".rows .row").count() >= 20, true);
  });
});

test("An upload tells the server when the file was last changed", async () => {
  const { path } = mine.write("dated.txt", "dated");
  utimesSync(path, 1_700_000_000, 1_700_000_000.5);
  await inPage(async (page) => {
    const [begun] = await Promise.all([page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/uploads")), drop(page, [path])]);
    await done(page, "dated.txt");
    const metadata = Object.fromEntries(begun.headers()["upload-metadata"].split(",").map((pair) => pair.split(" ")));
    assert.equal(Buffer.from(metadata.mtime, "base64").toString(), "1700000000.5");
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

test("Uploads wait while the browser is offline, however often they try, and continue", async () => {
  const file = mine.write("offline.bin", 24 * MiB);
  await inPage(async (page, way, context) => {
    way.hold(middle);
    await drop(page, [file.path]);
    await halfWay(page);
    await context.setOffline(true);
    way.release();
    await uploadState(page, "offline.bin", "waiting");
    // It tries again after a moment, and then waits for longer each time.
    await upload(page, "offline.bin").getByText("Connection lost").waitFor();
    await withShortPauses(page);
    for (let attempt = 0; attempt < 10; attempt++) await page.waitForEvent("requestfailed");
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
      const now = Date.now.bind(Date);
      Date.now = () => now() + 70_000;
    });
    // Again, because what was on its way may still have been reported after the first minute.
    for (let left = 10; parts.length < 3; left--) {
      assert.ok(left > 0, "the part was not sent again");
      const sent = page.waitForRequest((request) => request.method() === "PATCH", { timeout: 10_000 }).catch(() => undefined);
      await later();
      await sent;
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
      assert.match(await upload(page, "more.bin").innerText(), /The server has run out of disk space\./);
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

test("Behind a proxy that reports 502 while the server restarts, an upload continues where it was", async () => {
  const file = mine.write("proxied.bin", 40 * MiB);
  const own = await serve("--h2-port", "none", "--quiet");
  try {
    await inPage(async (page, way) => {
      way.limits.holdAfter = 12 * MiB;
      await drop(page, [file.path]);
      await page.waitForFunction(() => Number(document.querySelector(".task [role=progressbar]")?.getAttribute("aria-valuenow")) > 20);
      await own.kill();
      way.limits.holdAfter = Infinity;
      await uploadState(page, "proxied.bin", "waiting");
      // More refusals than a failing server gets.
      for (let attempt = 0; attempt < 6; attempt++) {
        const refused = page.waitForResponse((response) => response.status() === 502);
        await page.evaluate(() => dispatchEvent(new Event("online")));
        await refused;
      }
      await own.restart();
      await done(page, "proxied.bin");
      assert.equal(way.requests.filter(({ method }) => method === "POST").length, 1);
      isStored(file, "proxied.bin", own);
    }, own, gateway);
  } finally {
    await own.stop();
  }
});

test("A part that was too slow for the server is sent again", async () => {
  const file = mine.write("slow.bin", 20 * MiB);
  await inPage(async (page, way) => {
    for (let i = 0; i < 6; i++) way.refuse("PATCH", 408);
    await withShortPauses(page);
    await drop(page, [file.path]);
    await done(page, "slow.bin");
    assert.equal(way.requests.filter(({ method }) => method === "POST").length, 1);
    isStored(file, "slow.bin");
  }, server, gateway);
});

test("A small file whose response was lost is not taken for a clash", async () => {
  const file = mine.write("twice.txt", "text ".repeat(1000));
  await inPage(async (page, way) => {
    const stored = way.swallow("POST");
    await drop(page, [file.path]);
    await stored;
    await page.getByRole("button", { name: "Pause twice.txt" }).click();
    await page.getByRole("button", { name: "Resume twice.txt" }).click();
    await done(page, "twice.txt");
    assert.equal(await page.getByRole("dialog").count(), 0);
  }, server, gateway);
});

test("A second tab leaves the uploads of the first one alone", async () => {
  const file = mine.write("tabs.bin", 24 * MiB);
  await inPage(async (page, way, context) => {
    way.hold(middle);
    await drop(page, [file.path]);
    await halfWay(page);
    const other = await context.newPage();
    const asked = [];
    other.on("request", (request) => asked.push(request.method()));
    await other.goto(`${way.address}/files/`);
    await drawn(other);
    await other.waitForTimeout(1000);
    assert.equal(await other.locator(".task").count(), 0);
    assert.ok(!asked.includes("HEAD"), `${asked}`);
    await other.close();
    way.release();
    await done(page, "tabs.bin");
    isStored(file, "tabs.bin");
  });
});

/**
 * Drops or pastes a folder of which the page reads one entry after another, the last when the test allows it. A file and a folder
 * cannot be read.
 */
const giveSlowly = (page, type = "drop") => page.evaluate((type) => {
  const gate = new Promise((resolve) => (window.openGate = resolve));
  const gone = new DOMException("gone", "NotFoundError");
  const file = (name, file) => ({ isFile: true, name, file });
  const folder = (name, ...reads) => ({ isFile: false, name, createReader: () => ({ readEntries: (resolve, reject) => (reads.shift() ?? ((done) => done([])))(resolve, reject) }) });
  const entry = folder("mixed",
    (resolve) => resolve([file("bad.txt", (_, reject) => reject(gone)), folder("bad", (resolve) => resolve([file("first.txt", (done) => done(new File(["first"], "first.txt")))]), (_, reject) => reject(gone))]),
    (resolve) => gate.then(() => resolve([file("good.txt", (done) => done(new File(["good"], "good.txt")))])));
  const item = { kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => null, getAsFileSystemHandle: async () => null };
  document.body.dispatchEvent(Object.assign(new Event(type, { bubbles: true, cancelable: true }), { [type === "drop" ? "dataTransfer" : "clipboardData"]: { types: ["Files"], items: [item] } }));
}, type);

test("A dropped folder goes where it was dropped, however long it takes to read, and what cannot be read is named", async () => {
  for (const name of ["here", "there"]) mkdirSync(join(server.folder, name));
  await inPage(async (page) => {
    await row(page, "here").getByRole("link").click();
    await page.getByText("This folder is empty").waitFor();
    await giveSlowly(page);
    await page.getByText("Reading the folder…").waitFor();
    await page.goBack();
    await row(page, "there").getByRole("link").click();
    await page.getByText("This folder is empty").waitFor();
    await page.evaluate(() => window.openGate());
    await done(page, "good.txt");
    await uploadState(page, "bad.txt", "failed");
    assert.match(await upload(page, "bad.txt").innerText(), /The browser cannot read this file\./);
    assert.equal(await page.getByRole("button", { name: "Retry bad.txt" }).count(), 0);
    assert.match(await page.locator(".task[title='here/mixed/bad']").innerText(), /The browser cannot read this folder to its end\./);
    await title(page, "2 of 4 uploaded, 2 failed");
  });
  assert.equal(String(stored("here/mixed/good.txt")), "good");
  assert.equal(String(stored("here/mixed/bad/first.txt")), "first");
  assert.deepEqual(readdirSync(join(server.folder, "there")), []);
});

test("What replaces a file is the version that the person saw", async () => {
  const file = mine.write("seen.txt", "mine ".repeat(600));
  writeFileSync(join(server.folder, "seen.txt"), "first ".repeat(500));
  await inPage(async (page) => {
    const dialog = page.getByRole("dialog");
    await drop(page, [file.path]);
    await dialog.getByText(/^2\.9 KiB, /).nth(1).waitFor();
    writeFileSync(join(server.folder, "seen.txt"), "second ".repeat(600));
    await dialog.getByRole("button", { name: "Replace" }).click();
    await dialog.getByText(/^4\.1 KiB, /).waitFor();
    assert.match(String(stored("seen.txt")), /^second /);
    await dialog.getByRole("button", { name: "Replace" }).click();
    await done(page, "seen.txt");
    isStored(file, "seen.txt");
  });
});

test("A file that has the name of a folder cannot replace it", async () => {
  mkdirSync(join(server.folder, "folded/inner"), { recursive: true });
  const file = mine.write("folded", "a file");
  await inPage(async (page) => {
    const dialog = page.getByRole("dialog");
    await drop(page, [file.path]);
    await dialog.getByText("already exists").waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Replace" }).count(), 0);
    await dialog.getByRole("button", { name: "Keep both" }).click();
    await done(page, "folded (2)");
    isStored(file, "folded (2)");
  });
});

test("Both files are kept however long their names are", async () => {
  const names = ["n".repeat(251) + ".txt", "m".repeat(248) + ".txt", "é".repeat(127), "日".repeat(82) + "😀.é", `n.${"e".repeat(253)}`];
  const kept = ["n".repeat(247) + " (2).txt", "m".repeat(247) + " (2).txt", "é".repeat(125) + " (2)", "日".repeat(82) + " (2).é", `n.${"e".repeat(249)} (2)`];
  const files = names.map((name) => mine.write(name, `new ${name}`));
  await inPage(async (page) => {
    for (const [index, name] of names.entries()) {
      writeFileSync(join(server.folder, name), "old");
      await drop(page, [files[index].path]);
      await page.getByRole("dialog").getByRole("button", { name: "Keep both" }).click();
      await page.waitForFunction((count) => document.querySelectorAll("[data-state=done]").length === count, index + 1);
    }
  });
  for (const [index, name] of kept.entries()) isStored(files[index], name);
});

test("Failed uploads are tried again together", async () => {
  const own = await serve("--h2-port", "none", "--quiet", "--max-total", "1M");
  const files = ["x.bin", "y.bin"].map((name) => mine.write(name, 600_000));
  const full = mine.write("full.bin", 900_000);
  try {
    await inPage(async (page) => {
      await drop(page, [full.path]);
      await done(page, "full.bin");
      await drop(page, files.map(({ path }) => path));
      for (const name of ["x.bin", "y.bin"]) await uploadState(page, name, "failed");
      await row(page, "full.bin").getByRole("button", { name: "Actions for full.bin" }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
      await row(page, "full.bin").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Retry failed" }).click();
      // There is space for one of the two.
      await page.waitForFunction(() => document.querySelectorAll("[data-state=done]").length === 2 && document.querySelectorAll("[data-state=failed]").length === 1);
    }, own);
  } finally {
    await own.stop();
  }
});

test("A name that the server refuses is explained before anything is sent", async () => {
  const hostile = mine.write("<img src=x onerror=window.ran=1>.html", "x");
  const good = mine.write("a & b #1 100%.html", "good");
  await inPortablePage(async (page, own) => {
    await drop(page, [hostile.path, good.path]);
    await uploadState(page, "onerror", "failed");
    assert.match(await upload(page, "onerror").innerText(), /</);
    await done(page, "100%.html");
    assert.equal(await page.evaluate(() => window.ran), undefined);
    isStored(good, "a & b #1 100%.html", own);
  });
});

/** Names that Chromium leaves out of a folder's handle, and the server takes. */
const unusual = [
  "می\u200cخواهم.txt", "👨\u200d👩\u200d👧.png", "soft\u00adhyphen.txt", "left\u200eright.txt", "right\u202eleft.txt", "\ufeffmark.txt", "word\u2060join.txt",
  " space.txt", "\u3000wide.txt", "\u00a0hard.txt", "~x", "x~", "~$report.docx", "page.url", "link.lnk", "LINK.LNK", "x.scf", "x.local", "desktop.ini", "DESKTOP.INI", "Thumbs.db", "nonchar\uffff",
  "flag🏴\u{e0067}\u{e007f}.txt", "a.{645FF040-5081-101B-9F08-00AA002F954E}", ".hidden", "%41.txt", "x.crdownload", "plain.txt",
];
/** Names that Windows cannot have: a server for portable names refuses them. */
const notPortable = { "a:b.txt": /:/, "q?.txt": /\?/, "back\\slash.txt": /\\/, "<x>": /</, "tab\tx": /control/, "end.": /end with/, "end ": /end with/, "con": /device/, "aux.txt": /device/ };
const reserved = { ".millrace-x": /keeps/ };

/** The rows of what was not uploaded, by name. */
const failures = async (page) => Object.fromEntries(await page.locator(".task[data-state=failed]").evaluateAll((rows) => rows.map((row) => [row.title, row.querySelector(".status").textContent])));

for (const names of ["native", "portable"]) test(`Every file of a dropped folder is uploaded, or named with the reason: ${names} names`, async () => {
  const folder = disk();
  const isNative = names === "native";
  const accepted = isNative ? [...unusual, ...Object.keys(notPortable)] : unusual;
  const refused = isNative ? reserved : { ...notPortable, ...reserved };
  const empty = ["\u200chollow", ...(isNative ? ["con.empty"] : [])];
  const all = [...accepted, ...Object.keys(refused)];
  const served = await serve("--h2-port", "none", "--quiet", "--names", names);
  for (const name of all) {
    folder.write(`odd/${name}`, name);
    folder.write(`odd/${name} folder/${name}`, name);
  }
  for (const name of ["odd/con.empty", "odd/\u200chollow"]) mkdirSync(join(folder.folder, name));
  folder.write("other/one.txt", "one");
  folder.write("two.txt", "two");
  // A name that is not UTF-8, as old archives have them, of a file and of a folder.
  for (const bytes of [[0xe9], [0xff]]) {
    const path = Buffer.concat([Buffer.from(`${folder.folder}/odd/`), Buffer.from(bytes)]);
    if (bytes[0] === 0xff) mkdirSync(path);
    else writeFileSync(path, "x");
  }
  try {
    await inPage(async (page) => {
      await drop(page, ["odd", "other", "two.txt"].map((name) => join(folder.folder, name)));
      const uploaded = 2 * accepted.length + 2;
      // With both names that are not UTF-8, and an empty folder.
      const failed = 2 * Object.keys(refused).length + (isNative ? 2 : 3);
      await title(page, `${uploaded} of ${uploaded + failed} uploaded, ${failed} failed`);
      const named = await failures(page);
      for (const [name, why] of Object.entries(refused)) {
        assert.match(named[`odd/${name}`], why);
        assert.ok(named[`odd/${name} folder/${name}`], name);
      }
      if (isNative) assert.equal(named["odd/con.empty"], undefined);
      else assert.match(named["odd/con.empty"], /device/);
      assert.match(named["odd/\ufffd"], /not valid/);
      await until(() => empty.every((name) => existsSync(join(served.folder, "odd", name))), "the empty folders");
    }, served);
    for (const name of accepted) for (const path of [`odd/${name}`, `odd/${name} folder/${name}`]) assert.equal(String(stored(path, served)), name);
    for (const name of empty) assert.deepEqual(readdirSync(join(served.folder, "odd", name)), []);
    assert.deepEqual(["other/one.txt", "two.txt"].map((name) => String(stored(name, served))), ["one", "two"]);
  } finally {
    await served.stop();
    folder.remove();
  }
});

test("A pasted folder is uploaded like a dropped one", async () => {
  await inPage(async (page) => {
    await giveSlowly(page, "paste");
    await page.evaluate(() => window.openGate());
    await title(page, "2 of 4 uploaded, 2 failed");
  });
  assert.equal(String(stored("mixed/good.txt")), "good");
});

test("A dropped item that is gone is named, and not uploaded as an empty file", async () => {
  const folder = disk();
  const there = folder.write("empty.txt", "");
  try {
    await inPage(async (page) => {
      await drop(page, [join(folder.folder, "gone.txt"), there.path]);
      await title(page, "1 of 2 uploaded, 1 failed");
      assert.deepEqual(Object.keys(await failures(page)), ["gone.txt"]);
    });
    assert.equal(existsSync(join(server.folder, "gone.txt")), false);
    isStored(there, "empty.txt");
  } finally {
    folder.remove();
  }
});

test("A file that changes while it waits is named", async () => {
  const folder = disk();
  for (let i = 0; i < 6; i++) folder.write(`changing/${i}.bin`, 100_000);
  try {
    await inPage(async (page, way) => {
      way.hold(0);
      await drop(page, [join(folder.folder, "changing")]);
      const waiting = page.locator(".task[data-state=queued]");
      await waiting.nth(2).waitFor();
      const [changed, gone] = await waiting.evaluateAll((rows) => rows.map((row) => row.title));
      writeFileSync(join(folder.folder, changed), "other");
      rmSync(join(folder.folder, gone));
      way.release();
      await title(page, "4 of 6 uploaded, 2 failed");
      assert.deepEqual(Object.keys(await failures(page)).sort(), [changed, gone].sort());
    });
  } finally {
    folder.remove();
  }
});

test("An empty folder whose name a file has is named", async () => {
  const folder = disk();
  mkdirSync(join(folder.folder, "hollow.txt"));
  writeFileSync(join(server.folder, "hollow.txt"), "a file");
  try {
    await inPage(async (page) => {
      await drop(page, [join(folder.folder, "hollow.txt")]);
      await uploadState(page, "hollow.txt", "failed");
      assert.match(await upload(page, "hollow.txt").innerText(), /already taken/);
    });
  } finally {
    folder.remove();
  }
});

test("More failures than the panel has rows for are listed", async () => {
  const folder = disk();
  for (let i = 0; i < 120; i++) folder.write(`windows/${i}: x.txt`, "x");
  try {
    await inPortablePage(async (page) => {
      await drop(page, [join(folder.folder, "windows")]);
      await title(page, "0 of 120 uploaded, 120 failed");
      await page.getByRole("button", { name: "List all that failed" }).click();
      const lines = await page.getByRole("dialog").getByRole("listitem").allInnerTexts();
      assert.equal(lines.length, 120);
      assert.ok(lines.includes("windows/119: x.txt: A name cannot contain :"));
    });
  } finally {
    folder.remove();
  }
});

test("A chosen folder's file with a backslash in its name is named, and a folder without files is reported", async () => {
  const folder = disk();
  folder.write("chosen files/back\\slash.txt", "x");
  mkdirSync(join(folder.folder, "chosen hollow"));
  const choose = async (page, name) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Upload a folder…" }).click();
    await (await chooser).setFiles(join(folder.folder, name));
  };
  try {
    await inPortablePage(async (page) => {
      await choose(page, "chosen files");
      await title(page, "0 of 1 uploaded, 1 failed");
      assert.match((await failures(page))["chosen files/back\\slash.txt"], /\\/);
      await choose(page, "chosen hollow");
      await page.getByText("The browser found no files in this folder.").waitFor();
    });
  } finally {
    folder.remove();
  }
});

test("After a reload, a large file of a dropped folder has a handle to continue with", async () => {
  mine.write("kept/deep/large.bin", 24 * MiB);
  await inPage(async (page, way) => {
    way.hold(middle);
    await drop(page, [join(mine.folder, "kept")]);
    await halfWay(page);
    await reload(page);
    await uploadState(page, "large.bin", "lost");
    await page.getByRole("button", { name: "Resume large.bin" }).waitFor();
  });
});

/** Waits for the worker that computes checksums, which starts with the first upload; the other one reads folders. */
async function hasher(page) {
  const started = page.waitForEvent("worker");
  await drop(page, [mine.write("first.txt", "first").path]);
  await title(page, "1 file uploaded");
  return started;
}

test("Uploads go on while the browser collects its garbage", async () => {
  const folder = disk();
  for (let i = 0; i < 40; i++) folder.write(`garbage/${i}.txt`, `content of ${i}`);
  try {
    await inPage(async (page) => {
      await (await hasher(page)).evaluate(() => void setInterval(gc, 0));
      await drop(page, [join(folder.folder, "garbage")]);
      await title(page, "41 files uploaded");
    });
  } finally {
    folder.remove();
    rmSync(join(server.folder, "first.txt"));
  }
});

test("A worker that does not answer is replaced", async () => {
  const file = mine.write("silence.txt", "after a silence");
  await inPage(async (page) => {
    await (await hasher(page)).evaluate(() => (self.onmessage = undefined));
    let isReplaced = false;
    page.on("worker", () => (isReplaced = true));
    await drop(page, [file.path]);
    await uploadState(page, "silence.txt", "running");
    // Again, because the worker may not have been asked yet the first time.
    for (let left = 10; !isReplaced; left--) {
      assert.ok(left > 0, "the worker was not replaced");
      await page.evaluate(() => {
        const now = Date.now.bind(Date);
        Date.now = () => now() + 70_000;
      });
      for (let waits = 0; waits < 100 && !isReplaced; waits++) await page.waitForTimeout(100);
    }
    await title(page, "2 files uploaded");
    isStored(file, "silence.txt");
  });
});

// A file of less than a part is begun by the request that is to bring all of it.
for (const [what, limit, length] of [
  ["refuses requests of more than 1 MiB", { refuseAbove: MiB }, 24 * MiB],
  ["refuses requests of more than 1 MiB", { refuseAbove: MiB }, 4 * MiB],
  // Chromium itself sends twice more what was cut on a connection that it had used before: a cut costs up to 7.5 MB. Requests of 8 and
  // 4 MiB are cut, and one or two of those that are tried when smaller ones got through.
  ["cuts requests after 2.5 MB", { cutAfter: 2_500_000 }, 64 * MiB],
]) {
  test(`Behind a proxy that ${what}, a file of ${length / MiB} MiB arrives in smaller requests, and the page says so`, () => inPage(async (page, way) => {
    Object.assign(way.limits, limit);
    const name = `limited ${Object.keys(limit)[0]} ${length}.bin`;
    const file = mine.write(name, length);
    // The text is gone with the upload, which may end between two looks at it.
    await page.evaluate(() => {
      globalThis.said = new Set();
      new MutationObserver(() => document.querySelectorAll(".task .status").forEach((status) => globalThis.said.add(status.textContent)))
        .observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await drop(page, [file.path]);
    await done(page, name);
    isStored(file, name);
    const { received, refused, cut } = way.limits;
    assert.ok(refused + cut > 0, "the limit was met");
    assert.ok(received <= 1.5 * length, `${received} bytes were sent`);
    assert.ok(await page.evaluate(() => [...globalThis.said].some((text) => text.includes("because larger ones did not get through"))), "the page says it");
  }, server, gateway));
}

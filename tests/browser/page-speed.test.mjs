import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launchBare } from "./support/bare.mjs";
import { launch } from "./support/browser.mjs";
import { disk, dropBy } from "./support/page.mjs";
import { picture, withThumbnail } from "./support/photos.mjs";
import { serve } from "./support/served.mjs";
import { describe } from "./support/statistics.mjs";

const many = 100_000;

let browser, server, large;

before(async () => {
  const fill = (count) => (folder) => {
    for (let i = 0; i < count; i++) writeFileSync(join(folder, `file-${String(i).padStart(6, "0")}.txt`), "");
  };
  [browser, server, large] = await Promise.all([launchBare(), serve("--h2-port", "none", "--quiet", fill(1000)), serve("--h2-port", "none", "--quiet", fill(many))]);
});

after(async () => {
  await browser?.stop();
  await server?.stop();
  await large?.stop();
});

const drawn = `performance.getEntriesByName("millrace-drawn").length > 0 && document.querySelectorAll(".rows .row").length > 10`;
const rows = `document.querySelector("[role=grid]").getAttribute("aria-rowcount")`;
const hasRow = (name) => `[...document.querySelectorAll(".rows .row")].some((row) => row.textContent.includes("${name}"))`;
const filter = (text) => `(() => {
  const input = document.querySelector("#filter");
  input.value = "${text}";
  input.dispatchEvent(new Event("input", { bubbles: true }));
})()`;

test("The first visit takes no more than 120 KiB of scripts and styles", async (t) => {
  const page = await browser.open(`${server.address}/files/`);
  await page.until(drawn);
  await page.until(`["/worker.js", "/tus.js", "/icon.svg"].every((end) => performance.getEntriesByType("resource").some(({ name }) => name.endsWith(end)))`);
  const loaded = await page.evaluate(`performance.getEntriesByType("resource").filter(({ name }) => name.includes("/page/")).map(({ name, encodedBodySize }) => [name.split("/").at(-1), encodedBodySize])`);
  const bytes = loaded.reduce((sum, [, size]) => sum + size, 0);
  t.diagnostic(`${(bytes / 1024).toFixed(1)} KiB`);
  assert.deepEqual(loaded.map(([name]) => name).sort(), ["app.css", "app.js", "icon.svg", "tus.js", "worker.js"]);
  assert.ok(bytes > 20_000 && bytes <= 120 * 1024, `${bytes} bytes`);
  await page.close();
});

test("The first 1,000 files are on the screen", async (t) => {
  const times = [];
  for (let round = 0; round < (process.env.MILLRACE_SOAK ? 10 : 3); round++) {
    const page = await browser.open(`${server.address}/health`);
    await page.call("Page.addScriptToEvaluateOnNewDocument", { source: `
      const look = () => document.querySelectorAll(".rows .row").length > 10 ? requestAnimationFrame(() => setTimeout(() => (window.painted = performance.now()))) : requestAnimationFrame(look);
      requestAnimationFrame(look);
    ` });
    await page.call("Page.enable");
    await page.call("Page.navigate", { url: `${server.address}/files/` });
    await page.until("window.painted");
    await page.until(`${rows} === "1001"`);
    times.push(await page.evaluate("window.painted"));
    await page.close();
  }
  t.diagnostic(`${describe(times).median.toFixed(0)} ms, median of ${times.length}`);
});

test("The filter covers 100,000 names, and no task is long", async (t) => {
  const page = await browser.open(`${large.address}/health`);
  await page.call("Page.addScriptToEvaluateOnNewDocument", { source: `
    window.longest = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (window.longest = Math.max(window.longest, duration)))).observe({ type: "longtask", buffered: true });
  ` });
  await page.call("Page.enable");
  await page.call("Page.navigate", { url: `${large.address}/files/` });
  await page.until(drawn);
  const first = await page.evaluate(`(document.querySelector(".list").scrollTop = 5000, performance.now())`);
  await page.until(`[...document.querySelectorAll(".rows .row")].some((row) => row.dataset.at === "114")`);
  await page.evaluate(filter("99999"));
  await page.until(hasRow("file-099999.txt"));
  const all = await page.evaluate(`performance.now()`);
  await page.evaluate(filter(""));
  await page.until(`${rows} === "${many + 1}"`);
  await page.evaluate(`document.querySelector(".list").scrollTop = 1e9`);
  await page.until(hasRow("file-099999.txt"));
  t.diagnostic(`first screen scrolls after ${first.toFixed(0)} ms, the filter covers all after ${all.toFixed(0)} ms, longest task ${await page.evaluate("window.longest")} ms`);
  assert.ok(await page.evaluate(`document.querySelectorAll(".rows .row").length`) < 100, "only the rows near the screen exist");
  await page.close();
});

/** MiB of its own that a process has. */
const ownMemory = (id) => Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]) / 1024;

// With --soak only.
const soak = process.env.MILLRACE_SOAK ? test : () => undefined;

soak("1 GiB is uploaded as fast as programs do it, in little memory", async (t) => {
  const mine = disk();
  const path = join(mine.folder, "1GiB.bin");
  execFileSync("dd", ["if=/dev/urandom", `of=${path}`, "bs=1M", "count=1024", "status=none"]);
  const own = await serve("--h2-port", "none", "--quiet");
  const sent = join(own.folder, "1GiB.bin");
  try {
    const pages = [], programs = [];
    let most = 0;
    for (let round = 0; round < 3; round++) {
      let started = performance.now();
      const program = spawn("bash", ["-c", `curl -sf -T "$1" -H "Repr-Digest: sha-256=:$(printf "$(sha256sum "$1" | cut -c-64 | sed 's/../\\\\x&/g')" | base64 -w0):" "$2"`, "-", path, `${own.address}/files/1GiB.bin`]);
      assert.deepEqual(await once(program, "exit"), [0, null]);
      programs.push(performance.now() - started);
      rmSync(sent);
      const page = await browser.open(`${own.address}/files/`);
      await page.until(`performance.getEntriesByName("millrace-drawn").length > 0`);
      const processes = await browser.pages();
      const watch = setInterval(() => (most = Math.max(most, ...processes.map(ownMemory))), 100);
      started = performance.now();
      await dropBy(page.call, [path]);
      await page.until(`document.querySelector(".task[data-state=done]") !== null`);
      pages.push(performance.now() - started);
      clearInterval(watch);
      await page.close();
      execFileSync("cmp", [path, sent]);
      rmSync(sent);
    }
    const [byPage, byPrograms] = [describe(pages).median, describe(programs).median];
    t.diagnostic(`${byPage.toFixed(0)} ms by the page, ${byPrograms.toFixed(0)} by sha256sum and curl: ${(byPage / byPrograms).toFixed(2)}; the page's process had up to ${most.toFixed(0)} MiB`);
    assert.ok(most > 0 && most <= 200, `${most} MiB`);
  } finally {
    await own.stop();
    mine.remove();
  }
});

soak("The first screen of 3,000 photos has thumbnails soon, and scrolling through them neither stops nor fills the memory", async (t) => {
  const own = await serve("--h2-port", "none", "--quiet");
  try {
    const maker = await launch();
    const canvas = await maker.newPage();
    const name = (i) => join(own.folder, `IMG_${String(i).padStart(4, "0")}.jpg`);
    for (let i = 0; i < 3000; i++) {
      if (i >= 40) linkSync(name(i % 40), name(i));
      else writeFileSync(name(i), withThumbnail(await picture(canvas, { width: 4000, height: 3000, hue: i * 9, noise: 48 }), await picture(canvas, { width: 160, height: 120, hue: i * 9 })));
    }
    await maker.close();
    const page = await browser.open(`${own.address}/health`);
    await page.evaluate(`localStorage.setItem("millrace-folders", JSON.stringify([["", { view: "tiles", sort: "name", descending: false }]]))`);
    await page.call("Page.addScriptToEvaluateOnNewDocument", { source: `
      window.longest = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (window.longest = Math.max(window.longest, duration)))).observe({ type: "longtask", buffered: true });
      window.areShown = () => {
        const tiles = [...document.querySelectorAll(".thumb")].filter((tile) => tile.getBoundingClientRect().top < innerHeight);
        return tiles.length > 10 && tiles.every((tile) => tile.querySelector("canvas"));
      };
      const look = () => window.areShown() ? (window.shownAt = performance.now()) : requestAnimationFrame(look);
      requestAnimationFrame(look);
    ` });
    await page.call("Page.enable");
    await page.call("Page.navigate", { url: `${own.address}/files/` });
    let most = 0;
    const watch = setInterval(async () => (most = Math.max(most, ...(await browser.pages()).map(ownMemory))), 100);
    await page.until("window.shownAt");
    const first = await page.evaluate("window.shownAt");
    await page.evaluate(`new Promise((resolve) => {
      window.longest = 0;
      let left = 300;
      const go = () => (document.querySelector(".list").scrollTop += 150, left-- > 0 ? requestAnimationFrame(go) : resolve());
      go();
    })`);
    await page.until("window.areShown()");
    clearInterval(watch);
    t.diagnostic(`thumbnails after ${first.toFixed(0)} ms, longest task while scrolling ${await page.evaluate("window.longest")} ms, up to ${most.toFixed(0)} MiB`);
    assert.ok(most > 0 && most <= 300, `${most} MiB`);
    await page.close();
  } finally {
    await own.stop();
  }
});

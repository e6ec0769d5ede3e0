import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { drawn, openPage, row } from "./support/page.mjs";
import { serve } from "./support/served.mjs";
import { describe } from "./support/statistics.mjs";

const many = 100_000;

let browser, server, large;

before(async () => {
  const fill = (count) => (folder) => {
    for (let i = 0; i < count; i++) writeFileSync(join(folder, `file-${String(i).padStart(6, "0")}.txt`), "");
  };
  [browser, server, large] = await Promise.all([launch(), serve("--h2-port", "none", "--quiet", fill(1000)), serve("--h2-port", "none", "--quiet", fill(many))]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await large?.stop();
});

test("The first visit takes no more than 120 KiB of scripts and styles", async (t) => {
  const { page, context } = await openPage(browser, server.address, { path: "/health" });
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  const urls = new Map();
  session.on("Network.responseReceived", ({ requestId, response }) => urls.set(requestId, response.url));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => urls.get(requestId)?.includes("/page/") && (bytes += encodedDataLength));
  const worker = page.waitForResponse((response) => response.url().endsWith("/worker.js"));
  await page.goto(`${server.address}/files/`);
  await drawn(page);
  // A worker's own requests are not the page's.
  bytes += (await (await worker).request().sizes()).responseBodySize;
  t.diagnostic(`${(bytes / 1024).toFixed(1)} KiB`);
  assert.ok(bytes > 20_000 && bytes <= 120 * 1024, `${bytes} bytes`);
  await context.close();
});

test("The first 1,000 files are on the screen", async (t) => {
  const times = [];
  for (let round = 0; round < 10; round++) {
    const { page, context } = await openPage(browser, server.address);
    await row(page, "file-000000.txt").waitFor();
    times.push(await page.evaluate(() => performance.getEntriesByName("millrace-drawn").at(-1).startTime));
    await page.waitForFunction(() => document.querySelector("[role=grid]").getAttribute("aria-rowcount") === "1001");
    await context.close();
  }
  t.diagnostic(`${describe(times).median.toFixed(0)} ms, median of ${times.length}`);
});

test("The filter covers 100,000 names, and no task is long", async (t) => {
  const { page, context } = await openPage(browser, large.address, { path: "/health" });
  await page.addInitScript(() => {
    window.longest = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (window.longest = Math.max(window.longest, duration)))).observe({ type: "longtask", buffered: true });
  });
  await page.goto(`${large.address}/files/`);
  await page.locator(".rows .row").first().waitFor();
  const first = await page.evaluate(() => {
    document.querySelector(".list").scrollTop = 5000;
    return performance.now();
  });
  await page.waitForFunction(() => [...document.querySelectorAll(".rows .row")].some((row) => row.dataset.at === "114"));
  await page.getByLabel("Filter names").fill("99999");
  await row(page, "file-099999.txt").waitFor();
  const all = await page.evaluate(() => performance.now());
  await page.getByLabel("Filter names").fill("");
  await page.waitForFunction((rows) => document.querySelector("[role=grid]").getAttribute("aria-rowcount") === rows, String(many + 1));
  await page.evaluate(() => (document.querySelector(".list").scrollTop = 1e9));
  await row(page, "file-099999.txt").waitFor();
  t.diagnostic(`first screen scrolls after ${first.toFixed(0)} ms, the filter covers all after ${all.toFixed(0)} ms, longest task ${await page.evaluate(() => window.longest)} ms`);
  assert.ok(await page.locator(".rows .row").count() < 100, "only the rows near the screen exist");
  await context.close();
});

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open } from "./support/browser.mjs";
import { committedRun, makeReport, readRun } from "./support/report.mjs";
import { makeResults } from "./support/results.mjs";

let browser;
let many;
let real;

before(async () => {
  browser = await launch();
  many = makeReport(makeResults());
  real = makeReport(committedRun);
});

after(async () => {
  await browser?.close();
  many?.remove();
  real?.remove();
});

/** Opens a report, does something in it, and checks that nothing went wrong and nothing was asked of a network. */
async function inPage(report, act, options = { viewport: { width: 1280, height: 900 } }) {
  const { page, context, requests, errors } = await open(browser, report.url, options);
  await act(page, context);
  assert.deepEqual(errors, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith("data:")), [report.url]);
  await context.close();
}

const dialog = (page) => page.getByRole("dialog");
const visibleRows = (page) => page.locator(".cases tbody tr:visible");

test("500 cases of 200 samples make a file below 2 MB", () => {
  const { size } = statSync(many.path);
  assert.ok(size < 2_000_000, `${size} bytes`);
});

test("500 cases are drawn with few elements, most of them not laid out", async (t) => {
  await inPage(many, async (page, context) => {
    // What drawing takes grows with both, and does not depend on what else the machine does.
    const elements = await page.evaluate(() => document.querySelectorAll("*").length);
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    const { metrics } = await session.send("Performance.getMetrics");
    const laidOut = metrics.find(({ name }) => name === "LayoutObjects").value;
    const drawn = await page.evaluate(() => performance.getEntriesByName("millrace-drawn")[0].startTime);
    t.diagnostic(`${Math.round(drawn)} ms from the beginning of the load until painted, ${elements} elements, ${laidOut} laid out`);
    assert.ok(elements < 20_000, `${elements} elements`);
    assert.ok(laidOut < 3_000, `${laidOut} laid out`);
  });
});

test("A run of an older shape is shown with what it has", async () => {
  const report = makeReport(olderShape(readRun(committedRun)));
  try {
    await inPage(report, async (page) => {
      assert.equal(await visibleRows(page).count(), 60);
      assert.equal(await page.getByRole("button", { name: "Peak memory" }).count(), 0, "a column without a value is left out");
      assert.equal(await page.locator("#run-1-launches").count(), 0);
    });
  } finally {
    report.remove();
  }
});

/** As the first version wrote it: one launch, fewer meters, no verdicts. */
function olderShape(run) {
  for (const name of ["launches", "meterCosts", "purpose"]) delete run[name];
  run.cases = run.cases.filter((item) => item.role === undefined).slice(0, 60);
  for (const item of run.cases) {
    delete item.verdicts;
    const { launch, round, wallNs, userCpuNs, systemCpuNs } = item.samples;
    item.samples = { launch: launch.map(() => 0), round, wallNs, userCpuNs, systemCpuNs };
    const old = ["wallNs", "ratio", "ratioStdDev", "medianRatio", "mibPerSecond", "allocatedBytes", "userCpuNs", "systemCpuNs"];
    item.summary = Object.fromEntries(old.map((name) => [name, item.summary[name]]));
  }
  return run;
}

test("The page says what was found, what is wrong, and how it was measured", async () => {
  await inPage(many, async (page) => {
    const text = await page.locator("main").innerText();
    for (const expected of [
      "FilePipe read 128 MiB in 11.3 ms", "An example processor", "millrace lab files --full --out results/example", "✗ missed", "not measured",
      "<script>alert(1)</script>", "Failed: MemoryMapped", "the file was cut while it was mapped", "Not verified: FilePipe", "memory cannot be cold",
      "Before you trust it", "is fastest with", "getrusage", "spectre_v2", "System calls", "not available: the tracepoint",
    ]) {
      assert.ok(text.includes(expected), expected);
    }
  });
});

test("The heat map has the ratio in every cell, and its colour tells faster from slower", async () => {
  await inPage(many, async (page) => {
    const row = page.locator(".heat tbody tr", { has: page.getByRole("rowheader", { name: "FilePipe", exact: true }) });
    const faster = row.locator("button").first();
    assert.match(await faster.innerText(), /^0\.3\d/);
    const slower = page.locator(".heat tbody tr", { hasText: "PipePump" }).locator("button").first();
    assert.match(await slower.innerText(), /^3\.\d\d/);
    const colour = (cell) => cell.evaluate((element) => getComputedStyle(element).backgroundColor);
    assert.notEqual(await colour(faster), await colour(slower));
    assert.equal(await page.locator(".heat .failed").count(), 1);
  });
});

test("Another group of cases changes all three charts", async () => {
  await inPage(many, async (page) => {
    const shown = async () => ({
      cells: await page.locator(".heat").innerText(),
      bars: await page.locator("#run-1-bars .panels svg").first().getAttribute("aria-label"),
      points: await page.locator("#run-1-memory .chart > svg").getAttribute("aria-label"),
    });
    const before = await shown();
    await page.getByLabel("Cases in the three charts").selectOption({ index: 2 });
    const after = await shown();
    for (const part of Object.keys(before)) assert.notEqual(after[part], before[part], part);
  });
});

test("A click on a cell, a bar, a point and a row opens the case with all its samples", async () => {
  await inPage(many, async (page) => {
    for (const mark of [".heat button >> nth=1", "#run-1-bars g[aria-label=bar] rect >> nth=1", "#run-1-memory g[aria-label=dot] path >> nth=-1", ".cases tbody button >> nth=1"]) {
      await page.locator(mark).click();
      await dialog(page).waitFor();
      assert.match(await dialog(page).innerText(), /All 200 samples/);
      assert.equal(await dialog(page).locator("figure").first().locator("g[aria-label=dot] > *").count(), 200, mark);
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "hidden" });
    }
  });
});

test("A case shows percentiles of every meter, verdicts with intervals, and why a meter has none", async () => {
  await inPage(many, async (page) => {
    await page.locator(".cases tbody button", { hasText: "FilePipe" }).first().click();
    const text = await dialog(page).innerText();
    for (const expected of ["p0", "p25", "p50", "p75", "p90", "p99", "p100", "Time, ms", "CPU, system, ms", "Faults, minor", "Allocated", "faster", "more", "System calls: not available: the tracepoint"]) {
      assert.ok(text.includes(expected), expected);
    }
    const times = await dialog(page).locator(".meters tr", { hasText: "Time, ms" }).locator("td").allInnerTexts();
    assert.equal(times[0], "200");
    const percentiles = times.slice(1).map(Number);
    assert.equal(percentiles.length, 7);
    assert.deepEqual(percentiles, [...percentiles].sort((a, b) => a - b));
  });
});

test("An estimated number of objects is told from a count, with its deviation", async () => {
  await inPage(many, async (page) => {
    const row = page.locator(".cases tbody tr", { has: page.locator("button", { hasText: /^PipePump$/ }) }).first();
    assert.ok((await row.textContent()).includes("≈ 1,229"), "60 KiB in objects of 50 bytes");
    await row.locator("button").click();
    assert.match(await dialog(page).innerText(), /Objects, sampled\s*≈ 1,229 ± 123/);
    const cells = await dialog(page).locator(".meters tr", { hasText: "Objects, sampled" }).locator("td").allInnerTexts();
    assert.deepEqual(cells, ["1", ...Array(7).fill("≈ 1,229")]);
    assert.equal(await dialog(page).locator(".meters tr", { hasText: "StdDev" }).count(), 0);
  });
});

test("Counts are exact, however large", async () => {
  await inPage(many, async (page) => {
    assert.ok((await page.locator(".cases tbody tr").first().textContent()).includes("65,536"), "128 MiB in calls of 2 KiB");
  });
});

test("Late samples can be left out of the picture, and it says how many", async () => {
  await inPage(many, async (page) => {
    await page.locator(".cases tbody button").first().click();
    await dialog(page).getByLabel("Show").selectOption("up to the 90th percentile");
    const [, left] = /(\d+) later samples are not in the pictures/.exec(await dialog(page).innerText());
    assert.ok(Number(left) >= 15 && Number(left) <= 20, `${left} of 200 are beyond the 90th percentile`);
    assert.equal(await dialog(page).locator("figure").first().locator("g[aria-label=dot] > *").count(), 200 - left);
  });
});

test("A failed case and one that is not verified say why", async () => {
  await inPage(many, async (page) => {
    await page.locator(".heat .failed").click();
    assert.match(await dialog(page).innerText(), /Failed: IOException: the file was cut/);
    await page.keyboard.press("Escape");
    await page.locator(".heat button", { hasText: "!" }).first().click();
    assert.match(await dialog(page).innerText(), /Not verified: 2 % of the file/);
    assert.equal(await dialog(page).locator("figure").first().locator("g[aria-label=dot]").last().locator("> *").count(), 3, "crosses");
  });
});

test("The table is filtered by text and by parameters, together", async () => {
  await inPage(many, async (page) => {
    assert.equal(await visibleRows(page).count(), 500);
    await page.getByLabel("Filter by text").fill("mapped");
    const mapped = await visibleRows(page).count();
    assert.ok(mapped > 0 && mapped < 500);
    await page.locator("#run-1-table").getByLabel("Buffer").selectOption("64 KiB");
    const rows = await visibleRows(page).allInnerTexts();
    assert.ok(rows.length > 0 && rows.length < mapped);
    assert.ok(rows.every((row) => /mapped/i.test(row) && row.includes("64 KiB")));
    assert.match(await page.locator("#run-1-table").getByRole("status").innerText(), new RegExp(`^${rows.length} of 500 cases`));
  });
});

test("The table is sorted by a click on a title, in both directions, and what has no value comes last", async () => {
  await inPage(many, async (page) => {
    const title = page.getByRole("button", { name: "Median ms" });
    const index = await title.evaluate((button) => button.parentElement.cellIndex);
    const column = () => page.locator(`.cases tbody tr > :nth-child(${index + 1})`).allInnerTexts();
    for (const [direction, sign] of [["ascending", 1], ["descending", -1]]) {
      await title.click();
      assert.equal(await page.getByRole("columnheader", { name: "Median ms" }).getAttribute("aria-sort"), direction);
      const texts = await column();
      assert.equal(texts.at(-1), "", "the failed case");
      const values = texts.slice(0, -1).map((text) => Number(text.replaceAll(",", "")));
      assert.deepEqual(values, [...values].sort((a, b) => sign * (a - b)));
    }
  });
});

test("Published figures stand beside those of the same cases of this machine", async () => {
  await inPage(real, async (page) => {
    const section = page.locator("#run-1-published");
    assert.equal(await section.locator("h4").count(), 2, "the older run is a table of its own");
    const rows = await section.locator("table").first().locator("tbody tr").allInnerTexts();
    assert.match(rows.find((row) => row.startsWith("PipelineAdapter\n")), /here PipePump.*\d\.\d\d to \d\.\d\d.*\d\.\d\d to \d\.\d\d.*\d+ of \d+ cases/s);
    assert.match(rows.find((row) => row.startsWith("PipelineNative")), /here OverlappedPipe.*not measured in this run/s);
    assert.match(await section.getByRole("link").first().getAttribute("href"), /^https:\/\/github\.com\//);
    await section.locator("summary").first().click();
    const all = section.locator("details").first().locator("tbody tr");
    assert.ok((await all.count()) >= 119);
    await all.locator("button.open").first().click();
    assert.ok(await dialog(page).isVisible());
  });
});

test("Advice is a line each, unfolds by a click and is whole on paper", async () => {
  await inPage(real, async (page) => {
    const section = page.locator("#run-1-advice");
    const first = section.locator("details.advice").first();
    assert.ok((await section.locator("details.advice").count()) > 5);
    assert.equal(await section.locator("details.advice[open]").count(), 0);
    await first.locator("summary").click();
    assert.ok(await first.getByText("To check:").isVisible());
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await section.locator("details.advice:not([open])").count(), 0);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await section.locator("details.advice[open]").count(), 1);
  });
});

test("Several runs are sections of one report", async () => {
  const both = makeReport(makeResults({ count: 66 }), makeResults({ count: 66, suite: "others" }));
  try {
    await inPage(both, async (page) => {
      assert.equal(await page.locator("article.run").count(), 2);
      assert.equal(await page.locator(".heat").count(), 2);
      await page.getByRole("link", { name: "others, full" }).click();
      assert.ok(await page.locator("#run-2").evaluate((section) => Math.abs(section.getBoundingClientRect().top) < 100));
    });
  } finally {
    both.remove();
  }
});

test("A suite with other parameters gets its own columns and groups", async () => {
  const results = makeResults({ count: 66 });
  for (const item of results.cases) {
    item.parameters = { bytes: item.parameters.bytes, options: String(item.parameters.buffer), cache: "hot" };
  }
  const report = makeReport(results);
  try {
    await inPage(report, async (page) => {
      assert.deepEqual(await page.locator(".heat thead th").allInnerTexts(), ["Options", "2048", "4096", "16384", "65536", "262144", "1048576"]);
      assert.equal(await page.locator(".heat tbody button").count(), 66);
    });
  } finally {
    report.remove();
  }
});

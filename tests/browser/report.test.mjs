import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open } from "./support/browser.mjs";
import { committedQuick, committedRun, makeReport, readRun } from "./support/report.mjs";
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
    await page.evaluate(() => document.querySelectorAll("details").forEach((item) => { item.open = true; }));
    const text = await page.locator("main").innerText();
    for (const expected of [
      "Reading 128 MiB with buffers of 4 KiB, FilePipe is 2.3 times as fast as FileStream", "An example processor", "millrace lab files --full --out results/example", "✗ missed",
      "<script>alert(1)</script>", "Failed: MemoryMapped", "the file was cut while it was mapped", "Not verified: FilePipe", "memory cannot be cold",
      "more to know before you trust it", "is fastest with", "getrusage", "spectre_v2", "System calls", "not available: the tracepoint",
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

test("Another group of cases changes all four charts", async () => {
  await inPage(many, async (page) => {
    const shown = async () => ({
      cells: await page.locator(".heat").innerText(),
      best: await page.locator("#run-1-best .chart > svg").getAttribute("aria-label"),
      lines: await page.locator("#run-1-bars .chart > svg").first().getAttribute("aria-label"),
      points: await page.locator("#run-1-memory .chart > svg").getAttribute("aria-label"),
    });
    const before = await shown();
    await page.getByLabel("Cases in the charts").selectOption({ index: 2 });
    const after = await shown();
    for (const part of Object.keys(before)) assert.notEqual(after[part], before[part], part);
  });
});

test("A click on a row of the first picture, a cell, a point of a line, a point and a row of the table opens the case with all its samples", async () => {
  await inPage(many, async (page) => {
    for (const mark of ["#run-1-best g[data-mark=dot] path >> nth=1", ".heat button >> nth=1", "#run-1-bars g[data-mark=dot] path >> nth=1", "#run-1-memory g[data-mark=dot] path >> nth=-1", ".cases tbody button >> nth=1"]) {
      // Points may lie upon each other.
      await page.locator(mark).dispatchEvent("click");
      await dialog(page).waitFor();
      assert.match(await dialog(page).innerText(), /All 200 samples/);
      assert.equal(await dialog(page).locator("figure").first().locator("g[data-mark=dot] > *").count(), 200, mark);
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
    assert.equal(await dialog(page).locator("figure").first().locator("g[data-mark=dot] > *").count(), 200 - left);
  });
});

test("A failed case and one that is not verified say why", async () => {
  await inPage(many, async (page) => {
    await page.locator(".heat .failed").click();
    assert.match(await dialog(page).innerText(), /Failed: IOException: the file was cut/);
    await page.keyboard.press("Escape");
    await page.locator(".heat button", { hasText: "!" }).first().click();
    assert.match(await dialog(page).innerText(), /Not verified: 2 % of the file/);
    assert.equal(await dialog(page).locator("figure").first().locator("g[data-mark=dot]").last().locator("> *").count(), 3, "crosses");
  });
});

test("The table is filtered by text and by parameters, together", async () => {
  await inPage(many, async (page) => {
    assert.equal(await visibleRows(page).count(), 500);
    await page.getByLabel("Filter by text").fill("mapped");
    const mapped = await visibleRows(page).count();
    assert.ok(mapped > 0 && mapped < 500);
    await page.locator("#run-1-table").getByLabel("Buffer").selectOption("64 KiB");
    const rows = await visibleRows(page).allTextContents();
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
    assert.equal(await section.locator("h3").count(), 2, "the older run is a table of its own");
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

test("The first screen has the answer, the warnings and each method at its best, the fastest first", async () => {
  await inPage(many, async (page) => {
    for (const part of [page.locator(".finding"), page.locator(".warnings > .advice").first(), page.locator("#run-1-best .chart > svg")]) {
      const box = await part.boundingBox();
      assert.ok(box.y + box.height <= 900, `${await part.getAttribute("class")} ends at ${box.y + box.height}`);
    }
    assert.equal(await page.locator(".warnings > .advice").count(), 2, "two at once, the others folded");
    const label = await page.locator("#run-1-best .chart > svg").getAttribute("aria-label");
    const times = [...label.matchAll(/: ([\d.]+) ms, 95 % CI/g)].map(([, ms]) => Number(ms));
    assert.equal(times.length, 11, label);
    assert.deepEqual(times, [...times].sort((a, b) => a - b));
    assert.match(label, /FilePipe at \d+ \wiB: [\d.]+ ms, 95 % CI [\d.]+ to [\d.]+, 0\.\d\d of FileStreamSync/);
  });
});

test("Floors are a line, and no row or column", async () => {
  const report = makeReport(committedQuick);
  try {
    await inPage(report, async (page) => {
      assert.match(await page.locator("#run-1-best .chart > svg").getAttribute("aria-label"), /; floor: RawRead\w*, [\d.]+ ms$/);
      assert.match(await page.locator("#run-1-bars .chart > svg").textContent(), /floor$/);
      const rows = await page.locator(".heat tbody th").allInnerTexts();
      assert.ok(rows.length > 10 && rows.every((name) => !name.startsWith("Raw")), rows.join());
      assert.deepEqual(await page.locator(".heat thead th").allInnerTexts(), ["Buffer", "2 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"]);
      assert.ok((await page.locator(".cases tbody th", { hasText: "RawRead" }).count()) > 0, "the table of all cases has them");
    });
  } finally {
    report.remove();
  }
});

test("Rows of the heat map are sorted by each method's best", async () => {
  await inPage(many, async (page) => {
    const rows = await page.locator(".heat tbody tr").evaluateAll((lines) => lines.map((line) => Math.min(...[...line.querySelectorAll("small")].map((cell) => parseFloat(cell.textContent)))));
    assert.ok(rows.length > 5);
    assert.deepEqual(rows, [...rows].sort((a, b) => a - b));
  });
});

test("Too little data has a sign of its own", async () => {
  const results = makeResults({ count: 66 });
  results.cases.find((item) => item.method === "FilePipeDirect").verdicts[0].verdict = "too little data";
  const report = makeReport(results);
  try {
    await inPage(report, async (page) => {
      assert.equal(await page.locator(".heat button", { hasText: "?" }).count(), 1);
      assert.match(await page.locator(".key", { hasText: "faster" }).innerText(), /\? too little data/);
    });
  } finally {
    report.remove();
  }
});

test("Targets are folded, without those that were not measured, and only where the run was asked for them", async () => {
  await inPage(many, async (page) => {
    const section = page.locator("#run-1-targets");
    assert.equal(await section.locator("table").isVisible(), false);
    await section.locator("summary").click();
    assert.equal(await section.locator("tbody tr").count(), 2);
  });
  const report = makeReport(makeResults({ count: 66, failUnder: false }));
  try {
    await inPage(report, async (page) => assert.equal(await page.locator("#run-1-targets").count(), 0));
  } finally {
    report.remove();
  }
});

test("Each method says what it is: in a list, and where its name stands", async () => {
  await inPage(many, async (page) => {
    const list = page.locator(".methods dl");
    assert.equal(await list.isVisible(), false);
    await page.locator(".methods summary").click();
    assert.equal(await list.locator("dt").count(), 10, "all but one that this laboratory does not know");
    const text = "Millrace's file pipe, which chooses how it reads";
    assert.match(await list.innerText(), new RegExp(text));
    assert.equal(await page.locator(".heat tbody th[title]", { hasText: /^FilePipe$/ }).getAttribute("title"), text);
    assert.equal(await page.locator(".cases tbody button", { hasText: /^FilePipe$/ }).first().getAttribute("title"), text);
  });
});

test("Headings leave no level out, in one run and in several, and in a case", async () => {
  const both = makeReport(makeResults({ count: 66 }), makeResults({ count: 66, suite: "others" }));
  try {
    for (const report of [many, both, real]) {
      await inPage(report, async (page) => {
        await page.locator(".heat button").first().click();
        const levels = await page.locator("h1, h2, h3, h4, h5, h6").evaluateAll((items) => items.map((item) => Number(item.tagName[1])));
        assert.equal(levels[0], 1);
        assert.ok(levels.every((level, index) => index === 0 || level <= levels[index - 1] + 1), levels.join(" "));
      });
    }
  } finally {
    both.remove();
  }
});

for (const width of [360, 900]) {
  test(`At ${width} pixels nothing is cut: the heat map fits, and what scrolls shows that there is more`, async () => {
    await inPage(real, async (page) => {
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
      const heat = page.locator(".scroll", { has: page.locator(".heat") });
      assert.equal(await heat.evaluate((element) => element.scrollWidth - element.clientWidth), 0);
      const cut = await heat.locator("tbody th").evaluateAll((names) => names.flatMap((name) => [...name.childNodes].filter((word) => {
        const range = document.createRange();
        range.selectNodeContents(word);
        return range.getClientRects().length > 1;
      }).map((word) => word.textContent)));
      assert.deepEqual(cut, [], "names break between their words");
      const cases = page.locator(".scroll", { has: page.locator(".cases") });
      await cases.scrollIntoViewIfNeeded();
      await page.waitForFunction(() => document.querySelector(".scroll:has(.cases)").classList.contains("more"));
      await cases.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
      await page.waitForFunction(() => !document.querySelector(".scroll:has(.cases)").classList.contains("more"));
    }, { viewport: { width, height: 900 } });
  });
}

test("Several runs are sections of one report", async () => {
  const both = makeReport(makeResults({ count: 66 }), makeResults({ count: 66, suite: "others" }));
  try {
    await inPage(both, async (page) => {
      assert.equal(await page.locator("article.run").count(), 2);
      assert.equal(await page.locator(".heat").count(), 2);
      await page.getByRole("link", { name: "others, full" }).click();
      await page.waitForFunction(() => Math.abs(document.querySelector("#run-2").getBoundingClientRect().top) < 100);
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

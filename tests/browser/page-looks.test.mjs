import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { lowContrast } from "./support/contrast.mjs";
import { disk, drawn, drop, openPage, row } from "./support/page.mjs";
import { serve } from "./support/served.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser, server, mine;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve("--h2-port", "none", "--quiet", (folder) => {
    mkdirSync(join(folder, "Folder"));
    for (let i = 0; i < 60; i++) writeFileSync(join(folder, `file ${i}.txt`), "content");
    writeFileSync(join(folder, "תמונה (1).txt"), "x");
    writeFileSync(join(folder, "table.csv"), "a,b\n1,2\n");
    writeFileSync(join(folder, `${"a very long name ".repeat(13)}.txt`), "x");
  })]);
  mine = disk();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  mine?.remove();
});

async function inPage(options, act) {
  const { page, context, errors } = await openPage(browser, server.address, options);
  try {
    await drawn(page);
    await row(page, "Folder").waitFor();
    await act(page);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}

/** What axe-core finds that is serious or critical. */
async function serious(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { violations } = await page.evaluate(() => window.axe.run());
  await session.detach();
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
}

/** The page in each of its states. */
const states = {
  list: async () => {},
  selection: async (page) => {
    await row(page, "file 1.txt").getByRole("checkbox").check();
    await row(page, "Folder").getByRole("checkbox").check();
  },
  menu: (page) => row(page, "file 1.txt").getByRole("button", { name: /^Actions/ }).click(),
  preview: async (page) => {
    await page.getByLabel("Filter names").fill("table");
    await row(page, "table.csv").getByRole("link").click();
    await page.locator(".stage td").first().waitFor();
  },
  rename: async (page) => {
    await row(page, "file 1.txt").getByRole("button", { name: /^Actions/ }).click();
    await page.getByRole("menuitem", { name: "Rename…" }).click();
  },
  move: async (page) => {
    await row(page, "file 1.txt").getByRole("button", { name: /^Actions/ }).click();
    await page.getByRole("menuitem", { name: "Move…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Folder" }).waitFor();
  },
  clash: async (page) => {
    await drop(page, [mine.write("file 0.txt", "other").path]);
    await page.getByRole("dialog").waitFor();
  },
  uploads: async (page) => {
    await drop(page, [mine.write("table.csv", "other").path]);
    await page.getByRole("dialog").getByRole("button", { name: "Skip" }).click();
    await page.locator(".task[data-state=skipped]").waitFor();
  },
  help: (page) => page.keyboard.press("?"),
  nothing: async (page) => {
    await page.getByLabel("Filter names").fill("no such name");
    await page.getByText("No name contains").waitFor();
  },
};

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing serious, and every text has contrast, ${colorScheme}`, async () => {
    for (const [name, reach] of Object.entries(states)) {
      await inPage({ colorScheme, reducedMotion: "reduce" }, async (page) => {
        await reach(page);
        assert.deepEqual(await serious(page), [], name);
        const { texts, found } = await page.evaluate(lowContrast, 4.5);
        assert.ok(texts > 0, name);
        assert.deepEqual(found, [], name);
      });
    }
  });
}

for (const width of [320, 360, 900, 3840]) {
  test(`A screen of ${width} pixels does not scroll sideways in any state`, async () => {
    for (const [name, reach] of Object.entries(states)) {
      await inPage({ viewport: { width, height: 740 }, hasTouch: width < 400 }, async (page) => {
        await reach(page);
        const wide = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll(".list, dialog, .uploads")].map((element) => element.scrollWidth - element.clientWidth));
        assert.ok(wide.every((more) => more <= 0), `${name}: ${wide}`);
      });
    }
  });
}

test("The rows are a grid whose size and position screen readers know", async () => {
  await inPage({}, async (page) => {
    const grid = page.getByRole("grid", { name: "Files and folders" });
    assert.equal(await grid.getAttribute("aria-rowcount"), "65");
    assert.equal(await page.getByRole("row").filter({ hasText: "Folder" }).first().getAttribute("aria-rowindex"), "2");
    await row(page, "Folder").focus();
    await page.keyboard.press("End");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-rowindex")), "65");
    const box = await page.evaluate(() => {
      const { bottom } = document.activeElement.getBoundingClientRect();
      return bottom <= document.querySelector(".list").getBoundingClientRect().bottom + 1;
    });
    assert.ok(box, "the focused row is on the screen");
    await page.keyboard.press("Home");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-rowindex")), "2");
  });
});

test("Printing shows every row, without controls", async () => {
  await inPage({ colorScheme: "dark" }, async (page) => {
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator(".rows .row:visible").count(), 64);
    assert.equal(await page.locator("button.icon-button:visible, input:visible").count(), 0);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), "rgb(0, 0, 0)");
  });
});

test("Without JavaScript the plain listing works, and it looks like the page", async () => {
  const { page, context } = await openPage(browser, server.address, { javaScriptEnabled: false });
  await page.getByRole("link", { name: "file 1.txt" }).waitFor();
  await page.getByRole("link", { name: "Folder/" }).click();
  await page.getByText("Nothing is here.").waitFor();
  await context.close();
});

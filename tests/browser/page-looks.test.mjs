import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accessibilityProblems } from "./support/axe.mjs";
import { launch } from "./support/browser.mjs";
import { lowContrast } from "./support/contrast.mjs";
import { disk, drawn, drop, menu, openPage, row, shows } from "./support/page.mjs";
import { serve } from "./support/served.mjs";

let browser, server, mine;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve("--h2-port", "none", "--quiet", (folder) => {
    mkdirSync(join(folder, "Folder"));
    for (let i = 0; i < 60; i++) writeFileSync(join(folder, `file ${i}.txt`), "content");
    writeFileSync(join(folder, "תמונה (1).txt"), "x");
    writeFileSync(join(folder, "table.csv"), "a,b\n1,2\n");
    writeFileSync(join(folder, "notes.md"), "# Notes\n\nA [link](table.csv), `code` and a table.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    writeFileSync(join(folder, "source.js"), "// Comment\nexport const text = `of ${1 + 1}`; /* more */\nclass A extends B { c() { return true; } }\n");
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

/** Goes through all states in one page, which somebody may do everything in. */
async function inStates(options, act) {
  await inPage(options, async (page) => {
    await page.route("**/session", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), required: true, signedIn: true, name: "someone", scopes: ["read", "list", "write", "delete", "link"], canLink: true } });
    });
    const expires = new Date(2031, 4, 6).toISOString();
    await page.route("**/links", (route) => route.fulfill({ json: { url: "/files/file%201.txt?signed", expires } }));
    await page.reload();
    const isBack = async () => {
      await drawn(page);
      await row(page, "Folder").waitFor();
    };
    await isBack();
    for (const [name, reach] of Object.entries(states)) {
      const undo = await reach(page);
      await act(page, name);
      await leave(page);
      if (typeof undo === "function") await undo();
      await isBack();
    }
  });
}

/** Back to the list, without the page having to be read again. */
async function leave(page) {
  const open = page.locator("dialog[open]:not(.sign-in), .menu");
  for (; await open.count(); await page.waitForTimeout(20)) await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog:not(.sign-in), .menu"));
  const press = (name) => page.getByRole("button", { name, exact: true }).evaluateAll((buttons) => buttons[0]?.click());
  await press("Clear the search");
  await press("Clear the selection");
  // The panel is drawn a few times a second.
  for (const uploads = page.locator(".uploads"); await uploads.isVisible(); await page.waitForTimeout(20)) {
    await press("Cancel all");
    await press("Clear finished");
  }
}

/** Searches, and waits until the list has only the name that was found: a row must not be drawn anew under the pointer. */
async function search(page, text, name) {
  await page.getByLabel("Search names").fill(text);
  await shows(page, [name]);
}

/** What axe-core finds that is serious or critical. */
const serious = async (page) => (await accessibilityProblems(page)).filter((problem) => /^(serious|critical):/.test(problem));

/** The page in each of its states: how to get there, and, where that is not the usual, a function that leads back. */
const states = {
  list: async () => {},
  selection: async (page) => {
    await row(page, "file 1.txt").getByRole("checkbox").check();
    await row(page, "Folder").getByRole("checkbox").check();
  },
  tiles: async (page) => {
    await page.getByRole("button", { name: "Show as tiles" }).click();
    await row(page, "Folder").getByRole("checkbox").check();
    return () => page.getByRole("button", { name: "Show as a list" }).click();
  },
  menu: (page) => row(page, "file 1.txt").getByRole("button", { name: /^Actions/ }).click(),
  preview: async (page) => {
    await search(page, "table", "table.csv");
    await row(page, "table.csv").getByRole("link").click();
    await page.locator(".stage td").first().waitFor();
  },
  editor: async (page) => {
    await search(page, "table", "table.csv");
    await row(page, "table.csv").getByRole("link").click();
    await page.getByRole("dialog").getByRole("button", { name: "Edit" }).click();
  },
  source: async (page) => {
    await search(page, "source", "source.js");
    await row(page, "source.js").getByRole("link").click();
    await page.locator(".stage .hljs-keyword").first().waitFor();
  },
  document: async (page) => {
    await search(page, "notes", "notes.md");
    await row(page, "notes.md").getByRole("link").click();
    await page.frameLocator(".stage iframe").getByRole("heading").waitFor();
  },
  rename: (page) => menu(page, "file 1.txt", "Rename…"),
  remove: (page) => menu(page, "file 1.txt", "Delete…"),
  share: async (page) => {
    await menu(page, "file 1.txt", "Share link…");
    await page.getByRole("dialog").getByLabel("Valid for").waitFor();
  },
  shared: async (page) => {
    await menu(page, "file 1.txt", "Share link…");
    await page.getByRole("dialog").getByRole("button", { name: "Create link" }).click();
    await page.getByRole("dialog").getByLabel("Link").waitFor();
  },
  move: async (page) => {
    await menu(page, "file 1.txt", "Move…");
    await page.getByRole("dialog").getByRole("button", { name: "Folder", exact: true }).waitFor();
  },
  copy: async (page) => {
    await menu(page, "file 1.txt", "Copy to…");
    await page.getByRole("dialog").getByRole("button", { name: "Folder", exact: true }).waitFor();
  },
  undo: async (page) => {
    await menu(page, "file 2.txt", "Move…");
    await page.getByRole("dialog").getByRole("button", { name: "Folder", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Move here" }).click();
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.waitFor();
    // A notice with the focus stays.
    await undo.focus();
    // The list is read again afterwards, which the next state would otherwise meet halfway.
    return async () => {
      await undo.click();
      await row(page, "file 2.txt").waitFor();
    };
  },
  clash: async (page) => {
    await drop(page, [mine.write("file 0.txt", "other").path]);
    await page.getByRole("dialog").waitFor();
    await page.locator(".task").waitFor();
  },
  uploads: async (page) => {
    await drop(page, [mine.write("table.csv", "other").path]);
    await page.getByRole("dialog").getByRole("button", { name: "Skip" }).click();
    await page.locator(".task[data-state=skipped]").waitFor();
  },
  running: async (page) => {
    const held = [];
    await page.route("**/uploads", (route) => held.push(route));
    await drop(page, [mine.write("running.bin", 4096).path]);
    await page.locator(".task[data-state=running]").waitFor();
    return () => page.unroute("**/uploads");
  },
  help: (page) => page.keyboard.press("?"),
  nothing: async (page) => {
    await page.getByLabel("Search names").fill("no such name");
    await page.getByText("No name contains").waitFor();
  },
  error: async (page) => {
    await page.route(/limit=/, (route) => route.fulfill({ status: 500, body: "" }));
    await page.reload();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    return async () => {
      await page.unroute(/limit=/);
      await page.getByRole("button", { name: "Try again" }).click();
    };
  },
  signIn: async (page) => {
    const signedOut = (route) => route.fulfill({ json: { required: true, signedIn: false } });
    await page.route("**/session", signedOut);
    await page.reload();
    await page.getByRole("dialog").getByLabel("Token").waitFor();
    return async () => {
      await page.unroute("**/session", signedOut);
      await page.reload();
    };
  },
};

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing serious, and every text has contrast, ${colorScheme}`, async () => {
    await inStates({ colorScheme, reducedMotion: "reduce" }, async (page, name) => {
      assert.deepEqual(await serious(page), [], name);
      const { texts, found } = await page.evaluate(lowContrast, 4.5);
      assert.ok(texts > 0, name);
      assert.deepEqual(found, [], name);
    });
  });
}

for (const width of [320, 360, 900, 3840]) {
  test(`A screen of ${width} pixels does not scroll sideways in any state`, async () => {
    await inStates({ viewport: { width, height: 740 }, hasTouch: width < 400 }, async (page, name) => {
      const wide = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll(".list, dialog, .uploads")].map((element) => element.scrollWidth - element.clientWidth));
      assert.ok(wide.every((more) => more <= 0), `${name}: ${wide}`);
    });
  });
}

test("The rows are a grid whose size and position screen readers know", async () => {
  await inPage({}, async (page) => {
    const grid = page.getByRole("grid", { name: "Files and folders" });
    assert.equal(await grid.getAttribute("aria-rowcount"), "67");
    assert.equal(await page.getByRole("row").filter({ hasText: "Folder" }).first().getAttribute("aria-rowindex"), "2");
    await row(page, "Folder").focus();
    await page.keyboard.press("End");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-rowindex")), "67");
    const box = await page.evaluate(() => {
      const { bottom } = document.activeElement.getBoundingClientRect();
      return bottom <= document.querySelector(".list").getBoundingClientRect().bottom + 1;
    });
    assert.ok(box, "the focused row is on the screen");
    await page.keyboard.press("Home");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-rowindex")), "2");
  });
});

for (const width of [360, 1280]) {
  test(`The last row can be scrolled out from under the uploads, on ${width} pixels`, async () => {
    await inPage({ viewport: { width, height: 740 } }, async (page) => {
      await states.uploads(page);
      await row(page, "Folder").focus();
      await page.keyboard.press("End");
      // The list hears of the panel's height with the next frame.
      await page.waitForFunction(() => {
        document.querySelector(".list").scrollTop = 1e9;
        const { left, right, top, bottom } = document.activeElement.querySelector(".more").getBoundingClientRect();
        return document.activeElement.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
      });
    });
  });
}

test("Rows grow with the text size of the browser", async () => {
  await inPage({}, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Page.enable");
    await session.send("Page.setFontSizes", { fontSizes: { standard: 24, fixed: 20 } });
    await page.reload();
    await drawn(page);
    const boxes = await page.locator(".rows .row").evaluateAll((rows) => rows.slice(0, 3).map((one) => [one.getBoundingClientRect().height, one.getBoundingClientRect().top]));
    assert.deepEqual(boxes.map(([height]) => height), [66, 66, 66]);
    assert.deepEqual([boxes[1][1] - boxes[0][1], boxes[2][1] - boxes[1][1]], [66, 66]);
    await row(page, "Folder").focus();
    await page.keyboard.press("End");
    assert.ok(await page.evaluate(() => document.activeElement.getBoundingClientRect().bottom <= document.querySelector(".list").getBoundingClientRect().bottom + 1));
  });
});

test("On a screen of 320 by 256 pixels, which is 400 % zoom, the list gets most of it", async () => {
  await inPage({ viewport: { width: 320, height: 256 } }, async (page) => {
    await row(page, "Folder").focus();
    await page.keyboard.press("ArrowDown");
    const { top, bottom } = await page.evaluate(() => document.querySelector(".list").getBoundingClientRect().toJSON());
    assert.ok(top >= 0 && bottom <= 256 && bottom - top >= 180, `${top} to ${bottom}`);
    await page.keyboard.press("Home");
    await page.locator("#filter").scrollIntoViewIfNeeded();
    assert.ok(await page.locator("#filter").isVisible());
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 320));
  });
});

test("With the colours of the system, selected rows and the progress of uploads stay visible", async () => {
  await inPage({ forcedColors: "active" }, async (page) => {
    await states.selection(page);
    await states.running(page);
    const [chosen, other, done, bar] = await page.evaluate(() => {
      const colour = (selector) => getComputedStyle(document.querySelector(selector)).backgroundColor;
      return [colour(".row[aria-selected=true]"), colour(".row[aria-selected=false]"), colour(".task .progress > div"), colour(".task .progress")];
    });
    assert.notEqual(chosen, other);
    assert.notEqual(done, bar);
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".task .progress")).borderTopStyle), "solid");
    await leave(page);
  });
});

test("From right to left, everything is mirrored and nothing scrolls sideways", async () => {
  await inPage({ viewport: { width: 900, height: 740 } }, async (page) => {
    assert.deepEqual(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]), ["en", "ltr"]);
    await page.evaluate(() => (document.documentElement.dir = "rtl"));
    await states.running(page);
    const left = await page.evaluate(() => [".rows .row .cell-check", ".rows .row .cell-name", ".rows .row .cell-size", ".rows .row .cell-more"].map((cell) => document.querySelector(cell).getBoundingClientRect().left));
    assert.deepEqual(left, left.toSorted((a, b) => b - a));
    assert.ok(await page.evaluate(() => document.querySelector(".uploads").getBoundingClientRect().left < 100));
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".task .progress > div")).transformOrigin.split(" ")[0]), await page.evaluate(() => `${document.querySelector(".task .progress > div").offsetWidth}px`));
    await row(page, "file 1.txt").getByRole("button", { name: /^Actions/ }).click();
    const wide = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll(".list, .uploads")].map((element) => element.scrollWidth - element.clientWidth));
    assert.ok(wide.every((more) => more <= 0), `${wide}`);
    const menu = await page.evaluate(() => document.querySelector(".menu").getBoundingClientRect().toJSON());
    assert.ok(menu.left >= 0 && menu.right <= 900, JSON.stringify(menu));
    await leave(page);
  });
});

test("Printing shows every row, without controls", async () => {
  await inPage({ colorScheme: "dark" }, async (page) => {
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator(".rows .row:visible").count(), 66);
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

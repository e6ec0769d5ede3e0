import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { allClosed, dialog, drawn, inFoldersOf, names, row, shows, until } from "./support/page.mjs";
import { picture, withThumbnail } from "./support/photos.mjs";
import { serve } from "./support/served.mjs";

let browser, server, photo, thumbnail, drawing;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve("--h2-port", "none", "--quiet")]);
  const page = await browser.newPage();
  // Of another colour than their thumbnail, to see which of them is shown.
  photo = await picture(page, { width: 1600, height: 1200, hue: 120, noise: 60 });
  thumbnail = await picture(page, { width: 160, height: 120, hue: 240 });
  drawing = await picture(page, { width: 300, height: 900, hue: 0, type: "image/png" });
  await page.close();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const inFolder = inFoldersOf(() => [browser, server.address, server.folder]);
const many = (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i + 1}.jpg`, withThumbnail(photo, thumbnail)]));
const asTiles = (page) => page.getByRole("button", { name: "Show as tiles" }).click();
const thumbOf = (page, name) => row(page, name).locator(".thumb canvas");
const shownName = (page, name) => dialog(page).getByRole("heading", { name }).waitFor();
const position = (page, text) => dialog(page).locator(".preview-title").getByText(text).waitFor();
const focusIsOn = (page, name) => page.waitForFunction((wanted) => document.activeElement?.closest("#list .rows .row")?.querySelector("a")?.textContent === wanted, name);

/** The colour at a place of a tile's picture, from 0 to 1: red, green and blue. */
const colour = (page, name, x, y) => thumbOf(page, name).evaluate((canvas, [x, y]) => {
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  copy.getContext("2d").drawImage(canvas, 0, 0);
  return [...copy.getContext("2d").getImageData(x * canvas.width, y * canvas.height, 1, 1).data.slice(0, 3)];
}, [x, y]);
const isDark = ([r, g, b]) => r + g + b < 220;

test("Tiles show the thumbnails in photos, of which only the beginning is read, and the browser keeps them", async () => {
  await inFolder({ "a.jpg": withThumbnail(photo, thumbnail), "turned.jpg": withThumbnail(photo, thumbnail, 6), "deep": null, "deep/b.jpg": withThumbnail(photo, thumbnail) }, async (page, at, context) => {
    const ranges = [];
    context.on("request", (request) => /\.jpg$/.test(request.url()) && ranges.push(request.headers().range));
    await asTiles(page);
    for (const name of ["a.jpg", "turned.jpg"]) await thumbOf(page, name).waitFor();
    assert.deepEqual(ranges, ["bytes=0-73727", "bytes=0-73727"]);
    const [red, green, blue] = await colour(page, "a.jpg", 0.7, 0.7);
    assert.ok(blue > green && blue > red, "the thumbnail in the file is blue");
    // The sun is at the upper left, and at the upper right when the camera was turned.
    assert.deepEqual([isDark(await colour(page, "a.jpg", 0.3, 0.3)), isDark(await colour(page, "a.jpg", 0.75, 0.1))], [true, false]);
    assert.deepEqual([isDark(await colour(page, "turned.jpg", 0.3, 0.3)), isDark(await colour(page, "turned.jpg", 0.7, 0.15))], [false, true]);
    // It is remembered, also for the folders below.
    await until(() => page.evaluate(() => new Promise((resolve) => {
      const opened = indexedDB.open("millrace-thumbnails");
      opened.onsuccess = () => {
        const count = opened.result.transaction("thumbnails").objectStore("thumbnails").count();
        count.onsuccess = () => {
          opened.result.close();
          resolve(count.result === 2);
        };
      };
    })), "both thumbnails in the browser's store");
    await page.reload();
    for (const name of ["a.jpg", "turned.jpg"]) await thumbOf(page, name).waitFor();
    assert.equal(ranges.length, 2, "the browser has kept them");
    await row(page, "deep").getByRole("link").click();
    await thumbOf(page, "b.jpg").waitFor();
    assert.equal(ranges.length, 3);
    await page.getByRole("button", { name: "Show as a list" }).click();
    await page.locator(".grid:not(.tiles)").waitFor();
    await page.goBack();
    await thumbOf(page, "a.jpg").waitFor();
  });
});

test("Pictures without a thumbnail are made smaller in the browser; what is no picture keeps its icon", async () => {
  await inFolder({ "broken.jpg": "no picture", "drawing.png": drawing, "photo.jpg": photo, "note.txt": "text" }, async (page) => {
    await asTiles(page);
    for (const name of ["drawing.png", "photo.jpg"]) await thumbOf(page, name).waitFor();
    const [red, green] = await colour(page, "photo.jpg", 0.7, 0.7);
    assert.ok(green > red, "the photo is green");
    assert.ok(await thumbOf(page, "drawing.png").evaluate(({ width, height }) => width <= 480 && Math.abs(width / height - 4 / 3) < 0.02));
    for (const name of ["broken.jpg", "note.txt"]) assert.equal(await row(page, name).locator(".thumb svg").count(), 1);
  });
});

test("A fine screen gets sharper pictures after a while", async () => {
  await inFolder({ "a.jpg": withThumbnail(photo, thumbnail), "turned.jpg": withThumbnail(photo, thumbnail, 6) }, async (page) => {
    await asTiles(page);
    await page.waitForFunction(() => [...document.querySelectorAll(".thumb canvas")].filter(({ width }) => width > 160).length === 2);
    const [red, green] = await colour(page, "a.jpg", 0.7, 0.7);
    assert.ok(green > red, "it is made from the photo");
    assert.deepEqual([isDark(await colour(page, "turned.jpg", 0.3, 0.3)), isDark(await colour(page, "turned.jpg", 0.7, 0.15))], [false, true]);
  }, { deviceScaleFactor: 2 });
});

test("The arrow keys walk over the tiles, and only those near the screen exist", async () => {
  await inFolder(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${i}.txt`, ""])), async (page) => {
    await asTiles(page);
    const columns = await page.evaluate(() => {
      const tops = [...document.querySelectorAll(".rows .row")].map((tile) => tile.getBoundingClientRect().top);
      return tops.filter((top) => top === tops[0]).length;
    });
    assert.ok(columns > 3, `${columns} columns`);
    assert.ok(await page.locator(".rows .row").count() < 120);
    await row(page, "0.txt").focus();
    await page.keyboard.press("ArrowRight");
    await focusIsOn(page, "1.txt");
    await page.keyboard.press("ArrowDown");
    await focusIsOn(page, `${columns + 1}.txt`);
    await page.keyboard.press("Shift+ArrowDown");
    assert.equal(await page.locator(".row[aria-selected=true]").count(), columns + 1);
    await page.keyboard.press("End");
    await focusIsOn(page, "499.txt");
    assert.ok(await row(page, "499.txt").evaluate((tile) => tile.getBoundingClientRect().bottom <= document.querySelector(".list").getBoundingClientRect().bottom + 1));
    await page.keyboard.press("ArrowUp");
    await focusIsOn(page, `${499 - columns}.txt`);
  });
});

test("Back closes the photo and stays in the folder, where the one seen last has the focus", async () => {
  await inFolder(many(4), async (page) => {
    const address = page.url();
    await row(page, "1.jpg").getByRole("link").click();
    await position(page, "1 of 4");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await position(page, "3 of 4");
    await page.goBack();
    await allClosed(page);
    assert.equal(page.url(), address);
    await focusIsOn(page, "3.jpg");
    await page.goForward();
    await shownName(page, "3.jpg");
    // Closed otherwise, it leaves nothing in the history.
    await page.keyboard.press("Escape");
    await allClosed(page);
    await row(page, "2.jpg").getByRole("link").click();
    await shownName(page, "2.jpg");
    await page.reload();
    await shownName(page, "2.jpg");
    await page.goBack();
    await allClosed(page);
    await shows(page, ["1.jpg", "2.jpg", "3.jpg", "4.jpg"]);
  });
});

test("The photos before and after the one that is shown are loaded ahead", async () => {
  await inFolder(many(4), async (page) => {
    const asked = [];
    page.on("request", (request) => /\.jpg$/.test(request.url()) && asked.push(request.url().split("/").at(-1)));
    await row(page, "2.jpg").getByRole("link").click();
    await page.waitForFunction(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".jpg")).length === 3);
    assert.deepEqual([...asked].sort(), ["1.jpg", "2.jpg", "3.jpg"]);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector(".stage img").naturalWidth === 1600 && document.querySelector(".stage img").src.endsWith("/3.jpg"));
    await page.waitForFunction(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".jpg")).length === 4);
    assert.deepEqual([...asked].sort(), ["1.jpg", "2.jpg", "3.jpg", "4.jpg"], "none is loaded twice");
  });
});

test("A photo is renamed and deleted in the viewer, which goes on to the next one", async () => {
  await inFolder(many(3), async (page, at) => {
    await row(page, "2.jpg").getByRole("link").click();
    await shownName(page, "2.jpg");
    await page.keyboard.press("F2");
    await page.getByLabel("New name").fill("2b.jpg");
    await page.keyboard.press("Enter");
    await shownName(page, "2b.jpg");
    await position(page, "2 of 3");
    assert.ok(existsSync(at("2b.jpg")));
    await dialog(page).getByRole("button", { name: "Delete…" }).click();
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await shownName(page, "3.jpg");
    await position(page, "2 of 2");
    assert.equal(existsSync(at("2b.jpg")), false);
    await page.keyboard.press("ArrowLeft");
    await shownName(page, "1.jpg");
    for (const left of ["3.jpg", undefined]) {
      await page.keyboard.press("Delete");
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      if (left) await shownName(page, left);
    }
    await page.getByText("This folder is empty").waitFor();
    await allClosed(page);
  });
});

test("Swiping turns to the next photo and back, and a tap or a swipe past the end does not", async () => {
  await inFolder(many(2), async (page, at, context) => {
    const session = await context.newCDPSession(page);
    const swipe = async (from, to) => {
      const touch = (type, x) => session.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y: 400 }] });
      await touch("touchStart", from);
      for (let i = 1; i <= 5; i++) await touch("touchMove", from + ((to - from) * i) / 5);
      await touch("touchEnd");
    };
    await row(page, "1.jpg").getByRole("link").click();
    await page.locator(".stage img").waitFor();
    await swipe(300, 80);
    await shownName(page, "2.jpg");
    await swipe(300, 80);
    await swipe(200, 200);
    assert.equal(await dialog(page).getByRole("heading", { name: "2.jpg" }).count(), 1);
    await swipe(80, 300);
    await shownName(page, "1.jpg");
  }, { viewport: { width: 360, height: 740 }, hasTouch: true });
});

test("The order is remembered, and forgotten when another person may come", async () => {
  await inFolder({ "a.txt": "1", "b.txt": "333", "c.txt": "22" }, async (page) => {
    await page.getByRole("columnheader", { name: "Size" }).getByRole("button").click();
    await shows(page, ["b.txt", "c.txt", "a.txt"]);
    await page.reload();
    await drawn(page);
    assert.deepEqual(await names(page), ["b.txt", "c.txt", "a.txt"]);
    let session = { required: true, signedIn: true, name: "someone", scopes: ["read", "list"] };
    await page.route("**/session", (route) => route.fulfill({ json: session }));
    await page.reload();
    await drawn(page);
    session = { required: true, signedIn: false };
    await page.getByRole("button", { name: "Sign out" }).click();
    await dialog(page).getByLabel("Token").waitFor();
    assert.equal(await page.evaluate(() => localStorage.length), 0);
  });
});

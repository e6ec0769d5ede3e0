import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { patience } from "./browser.mjs";

/** Opens the server's page in a browser profile of its own. */
export async function openPage(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  // What a test provokes, such as a refusal, is reported by the browser as a resource that failed to load.
  page.on("console", (message) => message.type() === "error" && !/Failed to load resource/.test(message.text()) && errors.push(message.text()));
  await page.goto(new URL(options.path ?? "/files/", address).href);
  return { page, context, errors };
}

/** Waits until all of a folder's rows, or what stands in their place, are shown: the first may come before the folder is read. */
export const drawn = (page) => page.waitForFunction(() => performance.getEntriesByName("millrace-drawn").length > 0 && document.querySelector("[role=grid]")?.ariaBusy === "false");

/** Returns a function that opens the page in a new folder with some files: their content, or null for a folder. */
export function inFoldersOf(where) {
  let folders = 0;
  return async (files, act, options = {}) => {
    const [browser, address, root] = where();
    const folder = `folder ${++folders}`;
    const at = (name) => join(root, folder, name);
    mkdirSync(at("."));
    for (const [name, content] of Object.entries(files)) {
      if (content === null) mkdirSync(at(name), { recursive: true });
      else writeFileSync(at(name), content);
    }
    const { page, context, errors } = await openPage(browser, address, { ...options, path: `/files/${encodeURIComponent(folder)}/` });
    try {
      await drawn(page);
      await act(page, at, context);
      assert.deepEqual(errors, []);
    } finally {
      await context.close();
    }
  };
}

export const dialog = (page) => page.getByRole("dialog");

/** Waits until every dialog is gone: the page learns that one is closed with the next frame, and only then gives the focus back. */
export const allClosed = (page) => page.waitForFunction(() => !document.querySelector("dialog"));

export async function menu(page, name, item) {
  await row(page, name).getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

export async function signIn(page, token) {
  await dialog(page).getByLabel("Token").fill(token);
  await dialog(page).getByRole("button", { name: "Sign in" }).click();
}

export const row = (page, name) => page.locator(".rows .row").filter({ has: page.getByRole("link", { name, exact: true }) });
export const upload = (page, name) => page.locator(".task").filter({ has: page.locator("bdi", { hasText: name }) });

/** Waits until an upload has a state; the last of them stay in the panel until they are cleared. */
export const uploadState = (page, name, state) => upload(page, name).and(page.locator(`[data-state=${state}]`)).waitFor();

/** The checksums of the parts that a page sends from now on. */
export function checksumsOf(page) {
  const checksums = [];
  page.on("request", (request) => request.headers()["upload-offset"] && checksums.push(request.headers()["upload-checksum"]));
  return checksums;
}

/** Waits until the server has the first part of the first upload of 24 MiB. */
export const halfWay = (page) => page.waitForFunction(() => Number(document.querySelector(".task [role=progressbar]")?.getAttribute("aria-valuenow")) > 33);

/** Drops files and folders of the disk, as the system does it. A page that takes none gets no event of the drop. */
export async function drop(page, paths, { at, isTaken = true } = {}) {
  const session = await page.context().newCDPSession(page);
  await page.evaluate(() => {
    window.hasDropped = false;
    addEventListener("drop", () => { window.hasDropped = true; }, { capture: true, once: true });
  });
  for (let attempt = 1; ; attempt++) {
    await dropBy((method, params) => session.send(method, params), paths, at);
    if (!isTaken) {
      break;
    }
    try {
      await page.waitForFunction(() => window.hasDropped, undefined, { timeout: 15_000 });
      break;
    } catch (error) {
      // A page that has not answered yet to what is dragged over it gets no drop.
      if (attempt === 3) {
        throw error;
      }
    }
  }
  await session.detach();
}

/** The same, through a function that sends commands to the browser. */
export async function dropBy(send, paths, at = { x: 150, y: 400 }) {
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await send("Input.dispatchDragEvent", { type, ...at, data: { items: [], files: paths, dragOperationsMask: 1 } });
  }
}

/** Files on the disk that a person has, in a folder of their own. */
export function disk() {
  const folder = mkdtempSync(join(tmpdir(), "millrace-disk-"));
  return {
    folder,
    write(name, content) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      const bytes = typeof content === "number" ? randomBytes(content) : Buffer.from(content);
      writeFileSync(path, bytes);
      return { path, bytes };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Waits until something outside of the page, such as a file that the server writes, is there. */
export async function until(isTrue, what) {
  for (const end = performance.now() + patience; !(await isTrue()); await new Promise((resolve) => setTimeout(resolve, 20))) {
    assert.ok(performance.now() < end, `it did not happen: ${what}`);
  }
}

export const names = (page) => page.locator(".rows .row .cell-name a").allTextContents();

export async function shows(page, wanted) {
  await page.waitForFunction((list) => JSON.stringify([...document.querySelectorAll(".rows .row .cell-name a")].map((link) => link.textContent)) === list, JSON.stringify(wanted))
    .catch(async () => assert.deepEqual(await names(page), wanted));
}

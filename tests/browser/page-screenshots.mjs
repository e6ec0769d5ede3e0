// Pictures of the server's page in its states at three widths, light and dark, to be looked at: node page-screenshots.mjs FOLDER [STATE…].
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch } from "./support/browser.mjs";
import { line } from "./support/line.mjs";
import { picture, withThumbnail } from "./support/photos.mjs";
import { disk, drawn, drop, openPage, row } from "./support/page.mjs";
import { serve } from "./support/served.mjs";

const [folder = "screenshots", ...wanted] = process.argv.slice(2);
const MiB = 1024 * 1024;
mkdirSync(folder, { recursive: true });
const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 260"><rect width="400" height="260" fill="#f4a259"/><circle cx="280" cy="110" r="60" fill="#fff3d6"/><path d="M0 260V180l90-50 110 80 90-60 110 70v40z" fill="#3d5a80"/></svg>';
const names = ["Photos/", "Projects/", "مشاريع/", "invoice 2026-11.pdf", "interview.mp3", "talk.mp4", "backup.tar.gz", "תמונה של חתול.txt", "日本語のファイル名.txt", "main.rs", "notes.md"];
const browser = await launch();
const canvas = await browser.newPage();
const photos = [];
for (let i = 0; i < 12; i++) photos.push(withThumbnail(await picture(canvas, { width: 1600, height: 1200, hue: i * 30, noise: 30 }), await picture(canvas, { width: 160, height: 120, hue: i * 30 })));
await canvas.close();
const server = await serve("--h2-port", "none", "--quiet", (root) => {
  for (const name of names) {
    if (name.endsWith("/")) mkdirSync(join(root, name, "deep", "deeper"), { recursive: true });
    else writeFileSync(join(root, name), Buffer.alloc(name.length ** 3 * 40, "text "));
  }
  photos.forEach((photo, i) => writeFileSync(join(root, "Photos", `IMG_${2041 + i}.jpg`), photo));
  writeFileSync(join(root, "Projects", "README.md"), "# Bridge\n\nPlans of the *new* bridge. See [the source](main.rs).\n\n| part | length |\n|---|---|\n| deck | 210 m |\n");
  writeFileSync(join(root, "Projects", "main.rs"), "// The length of the deck.\nfn main() {\n    println!(\"{} m\", 210);\n}\n");
  for (let i = 0; i < 20; i++) writeFileSync(join(root, `IMG_${2041 + i}.jpg`), Buffer.alloc(90_000 + i * 7919));
  writeFileSync(join(root, `${"a very long name that nobody can read to its end ".repeat(4)}.txt`), "x");
  writeFileSync(join(root, "sunset.svg"), svg);
  writeFileSync(join(root, "trips.csv"), `date,city,km\n${Array.from({ length: 300 }, (_, i) => `2026-01-${(i % 28) + 1},${["Bern", "Oslo", "São Paulo"][i % 3]},${i * 7}\n`).join("")}`);
});
const mine = disk();
const preview = async (page, name, ready) => {
  await page.getByLabel("Search names").fill(name);
  await row(page, name).getByRole("link").click();
  await page.locator(ready).first().waitFor();
};
const states = {
  list: async () => {},
  selection: async (page) => {
    await row(page, "Photos").getByRole("checkbox").check();
    await row(page, "Projects").getByRole("checkbox").check();
  },
  menu: (page) => row(page, "backup.tar.gz").getByRole("button", { name: /^Actions/ }).click(),
  picture: (page) => preview(page, "sunset.svg", ".stage img"),
  table: (page) => preview(page, "trips.csv", ".stage td"),
  text: (page) => preview(page, "main.rs", ".stage pre"),
  tiles: async (page) => {
    await row(page, "Photos").getByRole("link").click();
    await row(page, "deep").waitFor();
    await page.getByRole("button", { name: "Show as tiles" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".thumb canvas").length === 12);
  },
  photo: async (page) => {
    await row(page, "Photos").getByRole("link").click();
    // The list above has files of the same names.
    await row(page, "deep").waitFor();
    await row(page, "IMG_2043.jpg").getByRole("link").click();
    await page.waitForFunction(() => document.querySelector(".stage img")?.complete);
  },
  readme: async (page) => {
    await row(page, "Projects").getByRole("link").click();
    await page.waitForFunction(() => document.querySelector(".readme iframe")?.clientHeight > 100);
  },
  source: async (page) => {
    await row(page, "Projects").getByRole("link").click();
    await row(page, "main.rs").getByRole("link").click();
    await page.locator(".stage .hljs-keyword").first().waitFor();
  },
  editor: async (page) => {
    await row(page, "Projects").getByRole("link").click();
    await row(page, "main.rs").getByRole("link").click();
    await page.getByRole("button", { name: "Edit" }).click();
  },
  remove: async (page) => {
    await row(page, "Photos").getByRole("checkbox").check();
    await row(page, "Projects").getByRole("checkbox").check();
    await row(page, "Photos").focus();
    await page.keyboard.press("Delete");
  },
  move: async (page) => {
    await row(page, "backup.tar.gz").getByRole("button", { name: /^Actions/ }).click();
    await page.getByRole("menuitem", { name: "Move…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Photos" }).waitFor();
  },
  copy: async (page) => {
    await row(page, "backup.tar.gz").getByRole("button", { name: /^Actions/ }).click();
    await page.getByRole("menuitem", { name: "Copy to…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Photos" }).waitFor();
  },
  drag: async (page) => {
    // A finger scrolls.
    if (page.viewportSize().width < 400) return;
    const middle = async (name) => {
      const { x, y, width, height } = await row(page, name).getByRole("link").first().boundingBox();
      return [x + Math.min(width, 80) / 2, y + height / 2];
    };
    await page.mouse.move(...(await middle("backup.tar.gz")));
    await page.mouse.down();
    await page.mouse.move(...(await middle("Photos")), { steps: 4 });
    // A drag that the tests hold does not report every move.
    await row(page, "Photos").dispatchEvent("dragover");
    await page.locator(".drop-target").waitFor();
  },
  moved: async (page) => {
    await row(page, "backup.tar.gz").getByRole("button", { name: /^Actions/ }).click();
    await page.getByRole("menuitem", { name: "Copy to…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Copy here" }).click();
    await page.getByText("copied to").waitFor();
  },
  uploads: async (page, way) => {
    rmSync(join(server.folder, "small.txt"), { force: true });
    way.hold(12 * MiB);
    await drop(page, [mine.write("holiday film.mov", 40 * MiB).path, mine.write("main.rs", "other").path, mine.write("slides.key", 30 * MiB).path, mine.write("small.txt", "x").path]);
    await page.getByRole("dialog").getByRole("button", { name: "Skip" }).click();
    await page.waitForFunction(() => document.querySelector("[data-state=done]") && document.querySelector("[data-state=running]"));
    await page.getByRole("button", { name: "Pause slides.key" }).click();
  },
  clash: async (page) => {
    await drop(page, [mine.write("main.rs", "other").path, mine.write("notes.md", "other").path]);
    await page.getByRole("dialog").waitFor();
  },
  search: async (page) => {
    await page.getByLabel("Search names").fill("img 204");
    await page.locator(".status-line").getByText(/ in folders below/).waitFor();
  },
  size: async (page) => {
    await row(page, "Photos").getByRole("button", { name: /^Actions/ }).click();
    await page.getByRole("menuitem", { name: "Size…" }).click();
    await page.getByText("and 12 files").waitFor();
  },
  help: (page) => page.keyboard.press("?"),
  empty: async (page) => {
    await row(page, "Photos").getByRole("link").click();
    await row(page, "deep").getByRole("link").click();
    await row(page, "deeper").getByRole("link").click();
    await page.getByText("This folder is empty").waitFor();
  },
};
for (const colorScheme of ["light", "dark"]) {
  for (const width of [360, 900, 1600]) {
    for (const [name, reach] of Object.entries(states).filter(([name]) => wanted.length === 0 || wanted.includes(name))) {
      const way = await line(server.address);
      const { page, context } = await openPage(browser, way.address, { viewport: { width, height: width < 400 ? 740 : 900 }, hasTouch: width < 400, colorScheme });
      await drawn(page);
      await row(page, "Photos").waitFor();
      await reach(page, way);
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(folder, `page-${name}-${width}-${colorScheme}.png`) });
      page.once("dialog", (dialog) => dialog.accept());
      await context.close();
      way.release();
      way.stop();
    }
  }
}
await browser.close();
await server.stop();
mine.remove();

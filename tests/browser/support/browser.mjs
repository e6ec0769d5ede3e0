import { chromium } from "playwright-core";

export const program = process.env.MILLRACE_CHROMIUM ?? "/usr/bin/chromium";

/** Chromium without anything that talks to a network of its own accord. */
export const switches = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

/** Milliseconds that every wait is given. Only against what would never end: a busy machine takes many times what a quiet one does. */
export const patience = 120_000;

export const launch = (...more) => chromium.launch({ executablePath: program, headless: true, args: [...switches, ...more] });

/** A page that has no network, and the list of what it asked for nevertheless. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ offline: true, ...options });
  context.setDefaultTimeout(patience);
  const requests = [];
  const errors = [];
  await context.route(/^(?!file:|data:)/, (route) => route.abort());
  const page = await context.newPage();
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(url);
  await drawn(page);
  return { page, context, requests, errors };
}

/** Waits until the report says that it has been painted. */
export const drawn = (page) => page.waitForFunction(() => performance.getEntriesByName("millrace-drawn").length > 0);

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program, switches } from "./browser.mjs";

/**
 * Chromium with nothing in between, for what is measured. Playwright watches the network, for which the browser encodes every body that
 * a page sends: 8 MiB took 650 ms.
 */
export async function launchBare() {
  const profile = mkdtempSync(join(tmpdir(), "millrace-chromium-"));
  const process = spawn(program, [...switches, "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const ended = once(process, "exit");
  const [, , , commands, answers] = process.stdio;
  const calls = new Map();
  let ids = 0, rest = "";
  answers.setEncoding("utf8").on("data", (text) => {
    const messages = (rest + text).split("\0");
    rest = messages.pop();
    for (const { id, result, error } of messages.map((message) => JSON.parse(message))) {
      calls.get(id)?.(result ?? { error });
      calls.delete(id);
    }
  });
  const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    calls.set(++ids, (result) => result.error ? reject(new Error(`${method}: ${result.error.message}`)) : resolve(result));
    commands.write(`${JSON.stringify({ id: ids, method, params, sessionId })}\0`);
  });
  return {
    /** Opens an address in a profile of its own. */
    async open(url) {
      const { browserContextId } = await send("Target.createBrowserContext");
      const { targetId } = await send("Target.createTarget", { url: "about:blank", browserContextId, width: 1280, height: 900 });
      const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
      const call = (method, params) => send(method, params, sessionId);
      const evaluate = async (expression) => {
        const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
      };
      await call("Page.navigate", { url });
      return {
        call,
        evaluate,
        /** Waits until an expression is true, and asks no more often than that it does not disturb. */
        async until(expression) {
          for (let left = 2400; ; left--) {
            if (await evaluate(expression).catch(() => false)) return;
            if (left === 0) throw new Error(`It did not become true: ${expression}`);
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        },
        close: () => send("Target.disposeBrowserContext", { browserContextId }),
      };
    },
    /** The ids of the pages' processes. */
    async pages() {
      const { processInfo } = await send("SystemInfo.getProcessInfo");
      return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
    },
    async stop() {
      process.kill("SIGTERM");
      await ended;
      // Processes of the browser may still write there for a moment.
      rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

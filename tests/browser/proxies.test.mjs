import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { allClosed, disk, drop, openPage, row, signIn, uploadState } from "./support/page.mjs";
import { proxy } from "./support/proxy.mjs";
import { run, serve } from "./support/served.mjs";

const MiB = 1024 * 1024;

let browser, server, mine, token;

before(async () => {
  mine = disk();
  [browser, server] = await Promise.all([
    launch(),
    serve("--trusted-proxy", "127.0.0.1", "--quiet", (folder) => {
      writeFileSync(join(folder, "kept.txt"), "kept");
      token = run("token", "add", "all", "--folder", folder).trim();
    }),
  ]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  mine?.remove();
});

/** What the proxies of samples/proxies let through. */
for (const name of ["nginx", "caddy", "haproxy", "apache"]) {
  test(`The page signs in, uploads and downloads through ${name}, without TLS and with it`, async () => {
    const way = await proxy(name, server.address);
    try {
      for (const address of [way.address, way.secure]) {
        const file = mine.write(`${name} 100% ${new URL(address).protocol.slice(0, -1)}.bin`, 18 * MiB);
        const named = file.path.split("/").pop();
        const { page, context, errors } = await openPage(browser, address, { ignoreHTTPSErrors: true });
        try {
          await signIn(page, token);
          await allClosed(page);
          await row(page, "kept.txt").waitFor();
          await drop(page, [file.path]);
          await uploadState(page, named, "done");
          assert.ok(readFileSync(join(server.folder, named)).equals(file.bytes), `${named} is what was dropped`);

          // The session outlives the page, and its cookie is kept over TLS only where there is TLS.
          await page.reload();
          await row(page, named).waitFor();
          const [cookie] = await context.cookies();
          assert.equal(cookie.secure, address === way.secure);
          const got = await page.evaluate(async (path) => {
            const response = await fetch(path);
            const hash = await crypto.subtle.digest("SHA-256", await response.arrayBuffer());
            return [response.status, [...new Uint8Array(hash)]];
          }, `/files/${encodeURIComponent(named)}`);
          assert.deepEqual(got, [200, [...new Uint8Array(await crypto.subtle.digest("SHA-256", file.bytes))]]);
          assert.deepEqual(errors, []);
        } finally {
          await context.close();
        }
      }
    } finally {
      await way.stop();
    }
  });
}

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, patience } from "./support/browser.mjs";
import { serve } from "./support/served.mjs";

// What pages of other sites can do with a server on this machine, as a real browser sends it.
let browser, site, server, permissive;

before(async () => {
  // The name of a page that gave itself the address of this machine.
  browser = await launch("--host-resolver-rules=MAP evil.example 127.0.0.1");
  site = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end('<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">');
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  const origin = `http://evil.example:${site.address().port}`;
  [server, permissive] = await Promise.all([serve("--h2-port", "none"), serve("--h2-port", "none", "--cors", origin)]);
  for (const { folder } of [server, permissive]) writeFileSync(join(folder, "kept.txt"), "secret");
});

after(async () => {
  await browser?.close();
  site?.closeAllConnections();
  site?.close();
  await server?.stop();
  await permissive?.stop();
});

async function inPage(url, act) {
  const context = await browser.newContext();
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const response = await page.goto(url);
  try {
    return await act(page, response);
  } finally {
    await context.close();
  }
}

const portOf = (address) => new URL(address).port;

function assertUntouched({ folder }) {
  assert.equal(readFileSync(join(folder, "kept.txt"), "utf8"), "secret");
  assert.deepEqual(readdirSync(folder).filter((name) => !name.startsWith(".millrace")), ["kept.txt"]);
  const uploads = join(folder, ".millrace", "uploads");
  assert.deepEqual(existsSync(uploads) ? readdirSync(uploads) : [], []);
}

/** Everything that a page may try, with what came of it: the status, the text, or the error. */
const attack = (page, address) =>
  page.evaluate(async (base) => {
    const results = {};
    const attempt = async (name, path, options) => {
      try {
        const response = await fetch(base + path, options);
        results[name] = { status: response.status, type: response.type, text: await response.text() };
      } catch (error) {
        results[name] = { error: String(error) };
      }
    };
    const draft = { "Upload-Complete": "?1" };
    const message = new Uint8Array([0, 0, 0, 0, 10, 10, 8, ...new TextEncoder().encode("kept.txt")]);
    for (const mode of ["cors", "no-cors"]) {
      await attempt(`${mode} get`, "/files/kept.txt", { mode });
      await attempt(`${mode} list`, "/files/", { mode });
      await attempt(`${mode} post`, "/files/new.txt", { mode, method: "POST", body: "new" });
      await attempt(`${mode} start`, "/uploads", { mode, method: "POST", body: "new" });
    }
    await attempt("put", "/files/kept.txt", { method: "PUT", body: "new" });
    await attempt("delete", "/files/kept.txt", { method: "DELETE" });
    await attempt("draft", "/files/new.txt", { method: "POST", headers: draft, body: "new" });
    await attempt("grpc", "/millrace.v1.FileTransfer/Delete", {
      method: "POST", headers: { "Content-Type": "application/grpc-web" }, body: message,
    });
    navigator.sendBeacon(`${base}/files/new.txt`, "new");
    return results;
  }, address);

const post = async (page, address) => {
  await page.evaluate((base) => {
    const form = document.createElement("form");
    Object.assign(form, { method: "POST", action: `${base}/files/new.txt`, enctype: "text/plain" });
    document.body.append(form);
    form.submit();
  }, address);
  await page.waitForURL(`${address}/**`);
};

test("A page that gave its name this machine's address reads and changes nothing", async () => {
  const address = `http://evil.example:${portOf(server.address)}`;
  await inPage(`${address}/files/kept.txt`, async (page, response) => {
    assert.equal(response.status(), 421);
    assert.match(await response.text(), /--host-name/);
    for (const [name, result] of Object.entries(await attack(page, address))) {
      assert.equal(result.status, 421, `${name}: ${JSON.stringify(result)}`);
    }
  });
  assertUntouched(server);
});

for (const host of ["evil.example", "127.0.0.1", "localhost"]) {
  test(`A page of another origin, at ${host}, reads and changes nothing`, async () => {
    await inPage(`http://${host}:${site.address().port}/`, async (page) => {
      for (const [name, result] of Object.entries(await attack(page, server.address))) {
        assert.ok(!(result.text ?? "").includes("secret"), `${name}: ${JSON.stringify(result)}`);
        assert.ok(result.error || result.type === "opaque", `${name}: ${JSON.stringify(result)}`);
      }
      await post(page, server.address);
    });
    assertUntouched(server);
  });
}

test("A page of an allowed origin reads, replaces and deletes", async () => {
  await inPage(`http://evil.example:${site.address().port}/`, async (page) => {
    const done = await page.evaluate(async (base) => {
      const got = await (await fetch(`${base}/files/kept.txt`)).text();
      const put = await fetch(`${base}/files/new.txt`, { method: "PUT", body: "new", headers: { "If-None-Match": "*" } });
      const upload = await fetch(`${base}/uploads`, {
        method: "POST", headers: { "Tus-Resumable": "1.0.0", "Upload-Length": "3", "Upload-Metadata": `filename ${btoa("tus.txt")}` },
      });
      const sent = await fetch(new URL(upload.headers.get("Location"), base), {
        method: "PATCH", body: "tus",
        headers: { "Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" },
      });
      const removed = await fetch(`${base}/files/new.txt`, { method: "DELETE", headers: { "If-Match": put.headers.get("ETag") } });
      return { got, put: put.status, upload: upload.status, offset: sent.headers.get("Upload-Offset"), removed: removed.status };
    }, permissive.address);
    assert.deepEqual(done, { got: "secret", put: 201, upload: 201, offset: "3", removed: 204 });
  });
  assert.equal(readFileSync(join(permissive.folder, "tus.txt"), "utf8"), "tus");
});

test("A page of the server itself changes what it may", async () => {
  // Not a listing, whose own policy forbids it to send anything.
  await inPage(`${permissive.address}/health`, async (page, response) => {
    assert.equal(response.status(), 200);
    assert.equal(await page.evaluate(async () => (await fetch("/files/own.txt", { method: "PUT", body: "own" })).status), 201);
  });
});

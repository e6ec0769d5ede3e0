import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { line } from "./support/line.mjs";
import { checksumsOf, allClosed, dialog, disk, drop, halfWay, openPage, row, shows, signIn, uploadState } from "./support/page.mjs";
import { run, serve } from "./support/served.mjs";

const MiB = 1024 * 1024;

let browser, server, mine, site;
const tokens = {};

before(async () => {
  // The name of a page that gave itself the address of this machine.
  browser = await launch("--host-resolver-rules=MAP evil.example 127.0.0.1, MAP lan.example 127.0.0.1");
  mine = disk();
  server = await serve("--h2-port", "none", "--quiet", (folder) => {
    writeFileSync(join(folder, "kept.txt"), "secret");
    mkdirSync(join(folder, "team"));
    writeFileSync(join(folder, "team/plan.txt"), "plan");
    for (const [name, ...options] of [
      ["all"], ["reader", "--scope", "read,list"], ["drop", "--scope", "write"], ["team", "--prefix", "team"], ["gone"], ["fresh", "--prefix", "fresh"],
    ]) tokens[name] = run("token", "add", name, "--folder", folder, ...options).trim();
  });
  site = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end('<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">');
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
});

after(async () => {
  await browser?.close();
  await server?.stop();
  site?.closeAllConnections();
  site?.close();
  mine?.remove();
});

/** Opens the page, signs in, and waits for the list. */
async function inPage(token, act, options = {}) {
  const { page, context, errors } = await openPage(browser, options.address ?? server.address, options);
  try {
    if (token) {
      await signIn(page, token);
      await allClosed(page);
    }
    await act(page, context);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}

const listed = (page) => row(page, "kept.txt").waitFor();

test("Over TLS the session's cookie is the host's own and secure, and a part goes with a digest of the browser", async () => {
  const at = (name) => join(mine.folder, name);
  const made = spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", at("key.pem"), "-out", at("cert.pem")], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  const own = await serve("--h2-port", "none", "--quiet", "--cert", at("cert.pem"), "--key", at("key.pem"), (folder) => (tokens.tls = run("token", "add", "tls", "--folder", folder).trim()));
  try {
    const file = mine.write("tls.bin", 9 * MiB);
    await inPage(tokens.tls, async (page, context) => {
      await page.getByText("This folder is empty").waitFor();
      const [cookie] = await context.cookies();
      assert.deepEqual([cookie.name, cookie.secure, cookie.httpOnly, cookie.sameSite, cookie.path], [`__Host-millrace-${new URL(own.address).port}`, true, true, "Strict", "/"]);
      assert.equal(await page.evaluate(() => typeof crypto.subtle.digest), "function");
      await drop(page, [file.path]);
      await uploadState(page, "tls.bin", "done");
      assert.ok(readFileSync(join(own.folder, "tls.bin")).equals(file.bytes));
    }, { address: own.address, ignoreHTTPSErrors: true });
  } finally {
    await own.stop();
  }
});

test("After a restart of the server the page asks for the token again, and goes on with the upload", async () => {
  const own = await serve("--h2-port", "none", "--quiet", (folder) => (tokens.own = run("token", "add", "own", "--folder", folder).trim()));
  const way = await line(own.address);
  try {
    const file = mine.write("restarted.bin", 24 * MiB);
    await inPage(tokens.own, async (page) => {
      await page.getByText("This folder is empty").waitFor();
      way.hold(12 * MiB);
      await drop(page, [file.path]);
      await halfWay(page);
      await own.kill();
      way.release();
      await own.restart();
      await dialog(page).getByText("Your session has ended.").waitFor();
      await signIn(page, tokens.own);
      await uploadState(page, "restarted.bin", "done");
      assert.ok(readFileSync(join(own.folder, "restarted.bin")).equals(file.bytes));
    }, { address: way.address });
  } finally {
    way.stop();
    await own.stop();
  }
});

test("A token that expires or is revoked ends the session", async () => {
  await inPage(undefined, async (page) => {
    let short;
    // On a busy machine the first may expire before the page has signed in with it.
    for (let seconds = 4, isIn = false; !isIn; seconds *= 2) {
      short = run("token", "add", `short-${seconds}`, "--for", `${seconds}s`, "--folder", server.folder).trim();
      await signIn(page, short);
      const reached = (locator, state) => locator.waitFor({ state }).then(() => true);
      const failed = (text) => reached(dialog(page).getByText(text)).then(() => false);
      isIn = await Promise.race([reached(dialog(page), "detached"), failed("is not valid")]) && await Promise.race([reached(row(page, "kept.txt")), failed("has ended")]);
    }
    // The server's clock decides; the page learns it with its next request. A session ends with the last whole second of its token,
    // and so up to a second earlier.
    for (const authorization of [{}, { Authorization: `Bearer ${short}` }]) {
      const status = (headers) => fetch("/files/kept.txt", { headers, credentials: headers.Authorization ? "omit" : "same-origin" }).then((answer) => answer.status);
      for (let left = 600; (await page.evaluate(status, authorization)) !== 401; left--) {
        assert.ok(left > 0, "the token did not expire");
        await page.waitForTimeout(100);
      }
    }
    await page.getByRole("link", { name: "team", exact: true }).click();
    await dialog(page).getByText("Your session has ended.").waitFor();
    await signIn(page, short);
    await dialog(page).getByText("This token is not valid.").waitFor();
  });
  await inPage(tokens.gone, async (page) => {
    await listed(page);
    run("token", "remove", "gone", "--folder", server.folder);
    await page.getByRole("link", { name: "team", exact: true }).click();
    await dialog(page).getByText("Your session has ended.").waitFor();
  });
});

test("What a token may not do is not offered, and refused", async () => {
  await inPage(tokens.reader, async (page) => {
    await listed(page);
    assert.equal(await page.getByRole("button", { name: "Upload" }).count() + await page.getByRole("button", { name: "New folder" }).count(), 0);
    await row(page, "kept.txt").getByRole("button", { name: "Actions for kept.txt" }).click();
    assert.deepEqual(await page.getByRole("menuitem").allTextContents(), ["Preview", "Download", "Copy link"]);
    await page.keyboard.press("Escape");
    await drop(page, [mine.write("refused.txt", "x").path], { isTaken: false });
    for (const [method, url, body] of [["PUT", "/files/kept.txt", "new"], ["DELETE", "/files/kept.txt"], ["MKCOL", "/files/new/"], ["MOVE", "/files/kept.txt"]]) {
      const status = await page.evaluate(async (of) => (await fetch(of[1], { method: of[0], body: of[2], headers: { Destination: "/files/moved.txt" } })).status, [method, url, body]);
      assert.equal(status, 403, method);
    }
    assert.equal(await page.locator(".task").count(), 0);
  });
  assert.equal(readFileSync(join(server.folder, "kept.txt"), "utf8"), "secret");
});

test("A token that only writes gets a place to drop files, and sees none", async () => {
  await inPage(tokens.drop, async (page) => {
    await page.getByText("You can upload files here").waitFor();
    await drop(page, [mine.write("dropped.txt", "dropped").path]);
    await uploadState(page, "dropped.txt", "done");
    assert.equal(await page.locator(".rows .row").count(), 0);
  });
  assert.equal(readFileSync(join(server.folder, "dropped.txt"), "utf8"), "dropped");
});

test("A token for a folder that does not exist yet gets a place to drop files", async () => {
  await inPage(tokens.fresh, async (page) => {
    await page.getByText("This folder is empty").waitFor();
    assert.equal(new URL(page.url()).pathname, "/files/fresh/");
    await drop(page, [mine.write("fresh.txt", "fresh").path]);
    await row(page, "fresh.txt").waitFor();
  });
  assert.equal(readFileSync(join(server.folder, "fresh/fresh.txt"), "utf8"), "fresh");
});

test("The question for the token stays until it is answered", async () => {
  await inPage(undefined, async (page) => {
    for (let i = 0; i < 4; i++) await page.keyboard.press("Escape");
    await page.waitForTimeout(200);
    await signIn(page, tokens.all);
    await listed(page);
  });
});

test("A link on another site to a file shows the file to somebody who is signed in", async () => {
  await inPage(tokens.all, async (page, context) => {
    await listed(page);
    const foreign = await context.newPage();
    await foreign.goto(`http://evil.example:${site.address().port}`);
    for (const [name, text] of [["kept.txt", "secret"], ["gone.txt", "“gone.txt” is not here."]]) {
      await foreign.setContent(`<a href="${server.address}/files/${name}">file</a>`);
      await foreign.getByRole("link").click();
      await foreign.getByText(text).waitFor();
      await foreign.goto(`http://evil.example:${site.address().port}`);
    }
  });
});

test("When the session ends during many uploads, the page asks for the token once", async () => {
  for (let i = 0; i < 60; i++) mine.write(`many/${i}.txt`, `content ${i}`);
  const way = await line(server.address);
  await inPage(tokens.all, async (page) => {
    await listed(page);
    await page.evaluate(() => fetch("/session", { method: "DELETE" }));
    // Where the server reports the free space, the page asks for that again after half a minute.
    await page.route("**/session", async (route) => {
      if (route.request().method() !== "GET") return route.continue();
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), freeBytes: null } });
    });
    const refused = [], sessions = [];
    page.on("response", (response) => {
      if (response.status() === 401 && !response.url().endsWith("/session")) refused.push(response.url());
      if (response.url().endsWith("/session") && response.request().method() === "GET") sessions.push(response.url());
    });
    await drop(page, [join(mine.folder, "many")]);
    await dialog(page).getByText("Your session has ended.").waitFor();
    await page.waitForTimeout(500);
    assert.ok(refused.length <= 3, `${refused.length} requests were refused`);
    await signIn(page, tokens.all);
    await page.getByRole("heading", { name: "60 files uploaded" }).waitFor();
    assert.equal(sessions.length, 1);
  }, { address: way.address });
  way.stop();
  assert.equal(readFileSync(join(server.folder, "many/59.txt"), "utf8"), "content 59");
});

test("What one person chose is not uploaded with the token of the next", async () => {
  const file = mine.write("mine alone.bin", 24 * MiB);
  const way = await line(server.address);
  await inPage(tokens.all, async (page) => {
    await listed(page);
    way.hold(12 * MiB);
    await drop(page, [file.path]);
    await halfWay(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    await dialog(page).getByText("Signed out").waitFor();
    way.release();
    await signIn(page, tokens.drop);
    await page.getByText("You can upload files here").waitFor();
    await page.waitForTimeout(500);
    assert.equal(await page.locator(".task").count(), 0);
  }, { address: way.address });
  way.stop();
  assert.equal(existsSync(join(server.folder, "mine alone.bin")), false);
});

test("At a plain HTTP address of a network, files are uploaded with checksums", async () => {
  const own = await serve("--h2-port", "none", "--quiet", "--host-name", "lan.example");
  const file = mine.write("lan.bin", 9 * MiB);
  try {
    await inPage(undefined, async (page) => {
      await page.getByText("This folder is empty").waitFor();
      assert.deepEqual(await page.evaluate(() => [isSecureContext, typeof crypto.subtle]), [false, "undefined"]);
      const checksums = checksumsOf(page);
      await drop(page, [file.path]);
      await uploadState(page, "lan.bin", "done");
      const module = [0, 97, 115, 109, 1, 0, 0, 0];
      const compiles = await Promise.all(page.workers().map((worker) => worker.evaluate((bytes) => WebAssembly.compile(new Uint8Array(bytes)).then(() => true, () => false), module)));
      assert.deepEqual([compiles.length > 0, compiles.every(Boolean)], [true, true], "the policy of the worker allows WebAssembly");
      assert.equal(await page.evaluate((bytes) => WebAssembly.compile(new Uint8Array(bytes)).then(() => true, () => false), module), false, "that of the page does not");
      assert.equal(checksums.length, 2);
      for (const checksum of checksums) assert.match(checksum, /^sha256 [A-Za-z0-9+/]{43}=$/);
      await row(page, "lan.bin").waitFor();
    }, { address: own.address.replace("127.0.0.1", "lan.example") });
    assert.ok(readFileSync(join(own.folder, "lan.bin")).equals(file.bytes));
  } finally {
    await own.stop();
  }
});

test("At a plain HTTP address, files are uploaded with checksums also without WebAssembly", async () => {
  const [old, own] = await Promise.all([launch("--host-resolver-rules=MAP lan.example 127.0.0.1", "--js-flags=--jitless"), serve("--h2-port", "none", "--quiet", "--host-name", "lan.example")]);
  const file = mine.write("script.bin", 100_000);
  try {
    const { page, errors } = await openPage(old, own.address.replace("127.0.0.1", "lan.example"));
    await page.getByText("This folder is empty").waitFor();
    const [begun] = await Promise.all([page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/uploads")), drop(page, [file.path])]);
    await uploadState(page, "script.bin", "done");
    assert.ok(page.workers().length > 0);
    for (const worker of page.workers()) assert.equal(await worker.evaluate(() => typeof WebAssembly), "undefined");
    assert.match(begun.headers()["upload-checksum"], /^sha256 [A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(errors, []);
    assert.ok(readFileSync(join(own.folder, "script.bin")).equals(file.bytes));
  } finally {
    await old.close();
    await own.stop();
  }
});

test("A token for one folder leads there", async () => {
  await inPage(tokens.team, async (page) => {
    await shows(page, ["plan.txt"]);
    assert.equal(new URL(page.url()).pathname, "/files/team/");
    await drop(page, [mine.write("mine.txt", "mine").path]);
    await row(page, "mine.txt").waitFor();
  });
  assert.ok(existsSync(join(server.folder, "team/mine.txt")));
});

test("An upload that the session's end interrupts continues after signing in again", async () => {
  const file = mine.write("interrupted.bin", 24 * MiB);
  const way = await line(server.address);
  await inPage(tokens.all, async (page) => {
    await listed(page);
    way.hold(12 * MiB);
    await drop(page, [file.path]);
    await halfWay(page);
    await page.evaluate(() => fetch("/session", { method: "DELETE" }));
    way.release();
    await dialog(page).getByText("Your session has ended.").waitFor();
    await signIn(page, tokens.all);
    await uploadState(page, "interrupted.bin", "done");
    assert.ok(readFileSync(join(server.folder, "interrupted.bin")).equals(file.bytes));
  }, { address: way.address });
  way.stop();
});

test("Pages of other origins can change nothing, even while somebody is signed in", async () => {
  await inPage(tokens.all, async (page, context) => {
    await listed(page);
    const before = readdirSync(server.folder).sort();
    // Another port of the same host is the same site: browsers send the cookie there and back. Another name is not.
    for (const origin of [`http://127.0.0.1:${site.address().port}`, `http://evil.example:${site.address().port}`]) {
      const foreign = await context.newPage();
      await foreign.goto(origin);
      await foreign.evaluate(async (base) => {
        const attempt = (path, options) => fetch(base + path, { credentials: "include", ...options }).then(() => undefined, () => undefined);
        for (const mode of ["cors", "no-cors"]) {
          await attempt("/files/new.txt", { mode, method: "POST", body: "new" });
          await attempt("/uploads", { mode, method: "POST", body: "new" });
          await attempt("/session", { mode, method: "POST", body: '{"token":"x"}' });
          await attempt("/links", { mode, method: "POST", body: '{"name":"kept.txt","method":"GET","seconds":60}' });
        }
        await attempt("/files/kept.txt", { method: "PUT", body: "new" });
        await attempt("/files/kept.txt", { method: "DELETE" });
        await attempt("/session", { method: "DELETE" });
        await attempt("/files/made/", { method: "MKCOL" });
        await attempt("/files/kept.txt", { method: "MOVE", headers: { Destination: "/files/moved.txt" } });
        const read = await fetch(`${base}/files/kept.txt`, { credentials: "include" }).then((response) => response.text(), () => "");
        if (read) throw new Error("It could read a file.");
      }, server.address);
      // A form navigates with the cookie of the same site.
      await foreign.setContent(`<form method="post" enctype="text/plain" action="${server.address}/files/new.txt"><input name="a" value="b"></form>`);
      await Promise.all([foreign.waitForNavigation(), foreign.evaluate(() => document.forms[0].submit())]);
      await foreign.goto(origin);
      await foreign.setContent(`<iframe src="${server.address}/files/"></iframe>`);
      await foreign.waitForTimeout(500);
      const frame = foreign.frames()[1];
      assert.equal(await frame.evaluate(() => document.querySelectorAll(".rows .row, td").length).catch(() => 0), 0, "the page is not framed");
      await foreign.close();
    }
    assert.deepEqual(readdirSync(server.folder).sort(), before);
    assert.equal(readFileSync(join(server.folder, "kept.txt"), "utf8"), "secret");
    await page.reload();
    await listed(page);
  });
});

test("A PIN signs in by hand and by the URL of the QR code, and leaves no trace in the history", async () => {
  for (const isTyped of [true, false]) {
    const other = await serve("--h2-port", "none", "--quiet", "--pin", (folder) => writeFileSync(join(folder, "kept.txt"), "secret"));
    try {
      const { pin } = other.ready;
      const { page, context, errors } = await openPage(browser, other.address, { path: isTyped ? "/files/" : `/files/#pin=${pin}` });
      if (isTyped) {
        const input = dialog(page).getByLabel("PIN");
        assert.equal(await input.getAttribute("inputmode"), "numeric");
        await input.fill(pin === "000000" ? "000001" : "000000");
        await dialog(page).getByRole("button", { name: "Sign in" }).click();
        await dialog(page).getByText("This PIN is wrong or no longer valid.").waitFor();
        await input.fill(`${pin.slice(0, 3)} ${pin.slice(3)}`);
        await dialog(page).getByRole("button", { name: "Sign in" }).click();
      }
      await row(page, "kept.txt").waitFor();
      assert.equal(new URL(page.url()).hash, "");
      await page.getByTitle(/^Signed in as pin/).waitFor();
      assert.deepEqual(errors, []);
      await context.close();

      // It was for one browser.
      const second = await openPage(browser, other.address, { path: `/files/#pin=${pin}` });
      await dialog(second.page).getByText("Enter the PIN that the server shows.").waitFor();
      assert.equal(new URL(second.page.url()).hash, "");
      await second.context.close();
    } finally {
      await other.stop();
    }
  }
});

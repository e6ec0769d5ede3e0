import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, patience } from "./support/browser.mjs";
import { origin, serve } from "./support/served.mjs";

let browser, allowed, refused, server, page;

before(async () => {
  [browser, allowed, refused] = await Promise.all([launch(), origin(), origin()]);
  server = await serve("--cors", allowed.url);
  page = await open(allowed.url);
});

after(async () => {
  await browser?.close();
  allowed?.stop();
  refused?.stop();
  await server?.stop();
});

async function open(url) {
  const opened = await (await browser.newContext()).newPage();
  opened.setDefaultTimeout(patience);
  await opened.goto(url);
  return opened;
}

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Calls one of the functions of tests/interop/grpc/web/peers.mjs in a page. */
const call = (where, method, ...args) =>
  where.evaluate(([name, given]) => globalThis.peers[name](...given), [method, args]);

function write(name, length) {
  const content = randomBytes(length);
  writeFileSync(join(server.folder, name), content);
  return content;
}

for (const kind of ["connect", "grpcweb", "grpcwebtext"]) {
  const ask = (method, ...args) => call(page, method, kind, server.address, ...args);

  test(`${kind}: a page of an allowed origin learns length and digest`, async () => {
    const name = `${kind} Größe 世界`;
    const content = write(name, 70_000);
    assert.deepEqual(await ask("stat", name), { status: "OK", file: { name, length: 70_000, sha256: sha256(content) } });
  });

  test(`${kind}: a folder is listed`, async () => {
    mkdirSync(join(server.folder, `${kind}-folder/b`), { recursive: true });
    write(`${kind}-folder/a`, 1);
    write(`${kind}-folder/c`, 3);
    assert.deepEqual(await ask("list", `${kind}-folder`), {
      status: "OK", entries: [`${kind}-folder/a 1`, `${kind}-folder/b/`, `${kind}-folder/c 3`],
    });
  });

  for (const length of [0, 1, 3_000_001]) {
    test(`${kind}: a file of ${length} bytes arrives with its digest`, async () => {
      const content = write(`${kind}-down`, length);
      const said = await ask("download", `${kind}-down`);
      assert.equal(said.status, "OK", said.message);
      assert.equal(said.bytes, length);
      assert.equal(said.endLength, length);
      assert.equal(said.sha256, sha256(content));
      assert.equal(said.toldSha256, sha256(content));
    });
  }

  test(`${kind}: a file goes up in parts`, async () => {
    const said = await ask("upload", `${kind}-up`, 2_500_000, 1_000_000);
    assert.equal(said.status, "OK", said.message);
    assert.equal(said.parts, 3);
    assert.deepEqual(said.file, { name: `${kind}-up`, length: 2_500_000, sha256: said.sha256 });
    assert.equal(sha256(readFileSync(join(server.folder, `${kind}-up`))), said.sha256);
  });

  test(`${kind}: an error has its status, its message and what the server calls it`, async () => {
    const said = await ask("stat", "100 % Größe 世界");
    assert.equal(said.status, "NOT_FOUND");
    assert.match(said.message, /100 % Größe 世界/);
    assert.equal(said.error, "NotFound");
  });

  test(`${kind}: a deadline that cannot be met is DEADLINE_EXCEEDED`, async () => {
    // Nothing hashes eight gigabytes in a fifth of a second. grpc-web drops a deadline that is over before it sends.
    const path = join(server.folder, `${kind}-huge`);
    writeFileSync(path, "");
    truncateSync(path, 8_000_000_000);
    assert.equal((await ask("stat", `${kind}-huge`, 200)).status, "DEADLINE_EXCEEDED");
  });

  test(`${kind}: a page of another origin is refused`, async () => {
    const other = await open(refused.url);
    const said = await call(other, "stat", kind, server.address, "anything");
    assert.notEqual(said.status, "OK");
    assert.notEqual(said.status, "NOT_FOUND", "the answer may not be read");
    await other.context().close();
  });
}

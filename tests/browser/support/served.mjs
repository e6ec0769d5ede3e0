import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const command = process.env.MILLRACE_COMMAND ?? join(root, "src/Millrace.Cli/bin/Release/net10.0/Millrace.Cli.dll");
const script = join(root, "artifacts/grpc/web/peers.js");

/** `millrace serve` on a folder of its own. */
export async function serve(...options) {
  const folder = mkdtempSync(join(tmpdir(), "millrace-web-"));
  const process = spawn("dotnet", [command, "serve", folder, "--port", "0", "--json", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(process, "exit");
  const lines = createInterface(process.stdout)[Symbol.asyncIterator]();
  const { value: ready } = await lines.next();
  if (!ready) throw new Error(`${command} did not start.`);
  return {
    folder,
    address: JSON.parse(ready).address,
    async stop() {
      process.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** An origin with one empty page, which has the clients. */
export async function origin() {
  if (!existsSync(script)) throw new Error("The clients are not built: ./test does that, or eng/grpc.sh.");
  const bundle = readFileSync(script);
  const server = createServer((request, response) => {
    const isScript = request.url === "/peers.js";
    response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? bundle : '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script src="/peers.js"></script>');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

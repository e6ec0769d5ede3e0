import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** The build of ./test, or another one that MILLRACE_COMMAND names, such as the release's file. */
const [command, ...first] = process.env.MILLRACE_COMMAND
  ? [process.env.MILLRACE_COMMAND]
  : ["dotnet", join(root, "src/Millrace.Cli/bin/Release/net10.0/Millrace.Cli.dll")];
const script = join(root, "artifacts/grpc/web/peers.js");

/** Runs the command to its end, and returns what it printed. */
export function run(...args) {
  const { status, stdout, stderr } = spawnSync(command, [...first, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** `millrace serve` on a folder of its own, which a function among the options prepares. */
export async function serve(...given) {
  const folder = mkdtempSync(join(tmpdir(), "millrace-web-"));
  const options = given.filter((option) => typeof option !== "function");
  for (const prepare of given) if (typeof prepare === "function") prepare(folder);
  let process, ended, ready;
  const start = async (port) => {
    process = spawn(command, [...first, "serve", folder, "--port", port, "--json", ...options], { stdio: ["ignore", "pipe", "inherit"] });
    ended = once(process, "exit");
    const { value: line } = await createInterface(process.stdout)[Symbol.asyncIterator]().next();
    if (!line) throw new Error(`${[command, ...first].join(" ")} did not start.`);
    ready = JSON.parse(line);
    return ready.address;
  };
  const address = await start("0");
  return {
    folder,
    address,
    /** What the server printed when it was ready. */
    ready,
    /** As when the machine loses its power. */
    async kill() {
      process.kill("SIGKILL");
      await ended;
    },
    restart: () => start(new URL(address).port),
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

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const samples = fileURLToPath(new URL("../../../samples/proxies/", import.meta.url));

/** For each proxy its configuration, its program, and the arguments before the configuration. */
const kinds = {
  nginx: ["nginx.conf", "nginx", "-c"],
  caddy: ["Caddyfile", "caddy", "run", "--adapter", "caddyfile", "--config"],
  haproxy: ["haproxy.cfg", "haproxy", "-db", "-f"],
  apache: ["apache.conf", "apache2", "-D", "FOREGROUND", "-f"],
};

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** False when the program has ended, because another one was given the port first. */
async function listens(port, program) {
  while (program.exitCode === null && program.signalCode === null) {
    const socket = connect(port, "127.0.0.1");
    const answered = await new Promise((resolve) => socket.once("connect", () => resolve(true)).once("error", () => resolve(false)));
    socket.destroy();
    if (answered) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

/** Starts a proxy with its configuration of samples/proxies before a server. */
export async function proxy(name, server) {
  const folder = mkdtempSync(join(tmpdir(), "millrace-proxy-"));
  const at = (file) => join(folder, file);
  const made = spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", at("key.pem"), "-out", at("cert.pem")], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  writeFileSync(at("both.pem"), readFileSync(at("cert.pem"), "utf8") + readFileSync(at("key.pem"), "utf8"));
  const [file, command, ...options] = kinds[name];
  const template = readFileSync(join(samples, `${file}.in`), "utf8");
  for (let tries = 0; tries < 20; tries++) {
    const [plain, secure] = [await freePort(), await freePort()];
    const values = {
      USER: process.getuid() === 0 ? "user root;" : "", FOLDER: folder, MODULES: "/usr/lib/apache2/modules",
      SERVER: new URL(server).port, PORT: plain, TLS_PORT: secure,
    };
    writeFileSync(at(file), template.replace(/@([A-Z_]+)@/g, (_, word) => values[word]));
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin`, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const program = spawn(command, [...options, at(file)], { env, stdio: "ignore" });
    const ended = once(program, "exit");
    if (await listens(plain, program) && await listens(secure, program)) {
      return {
        address: `http://127.0.0.1:${plain}`,
        secure: `https://127.0.0.1:${secure}`,
        async stop() {
          program.kill("SIGTERM");
          await ended;
          rmSync(folder, { recursive: true });
        },
      };
    }
    await ended;
  }
  throw new Error(`${name} does not start.`);
}

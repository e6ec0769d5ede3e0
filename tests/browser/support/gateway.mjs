import { once } from "node:events";
import { createServer, request as ask } from "node:http";

/** A reverse proxy: 502 while the server is away, and for the next request that fits, what the test wants instead. */
export async function gateway(address) {
  const { port } = new URL(address);
  let wanted = [];
  const requests = [];
  const limits = { refuseAbove: Infinity, cutAfter: Infinity, holdAfter: Infinity, received: 0, refused: 0, cut: 0, longest: 0 };
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    requests.push({ method, url, offset: headers["upload-offset"] });
    const length = Number(headers["content-length"] ?? 0);
    if (length > limits.refuseAbove) {
      limits.refused++;
      incoming.resume();
      incoming.on("end", () => outgoing.writeHead(413, { "Content-Type": "text/html" }).end("<h1>413 Request Entity Too Large</h1>"));
      return;
    }
    let received = 0;
    incoming.on("data", ({ length: more }) => {
      limits.received += more;
      received += more;
      limits.longest = Math.max(limits.longest, received);
      // What is on its way then waits here until the server is gone.
      if (limits.received > limits.holdAfter) incoming.unpipe(forwarded).pause();
      if (received > limits.cutAfter && !incoming.destroyed) {
        limits.cut++;
        incoming.destroy();
      }
    });
    const at = wanted.findIndex((one) => one.method === method);
    const [instead] = at < 0 ? [] : wanted.splice(at, 1);
    if (instead?.status) {
      incoming.resume();
      incoming.on("end", () => outgoing.writeHead(instead.status).end());
      return;
    }
    const forwarded = ask({ host: "127.0.0.1", port, method, path: url, headers, agent: false }, (response) => {
      if (instead?.swallow) {
        response.resume().on("end", instead.swallow);
        return;
      }
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502, { Connection: "close" }).end("Bad gateway"));
    incoming.on("error", () => forwarded.destroy());
    incoming.on("close", () => incoming.complete || forwarded.destroy());
    outgoing.on("error", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    requests,
    /** Refuses requests with more bytes than `refuseAbove`, cuts those that bring more than `cutAfter`, holds all after `holdAfter`, and counts. */
    limits,
    /** Answers the next request of a method itself. */
    refuse: (method, status) => wanted.push({ method, status }),
    /** Lets the server have the next request of a method, and keeps its response: the promise is kept when that is there. */
    swallow: (method) => new Promise((resolve) => wanted.push({ method, swallow: resolve })),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

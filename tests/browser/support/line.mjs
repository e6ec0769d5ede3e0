import { once } from "node:events";
import { connect, createServer } from "node:net";

/** What is smaller has only the head of a request. */
const bulk = 8 * 1024;

/** A line to a server that can be held in the middle of an upload: bytes wait in it, and requests without much of a body pass. */
export async function line(address) {
  let budget = Infinity;
  const held = new Set();
  const server = createServer((near) => {
    const far = connect(Number(new URL(address).port), "127.0.0.1");
    far.pipe(near);
    const forward = (bytes) => {
      if (bytes.length > bulk && budget <= 0) {
        near.pause();
        held.add(() => forward(bytes));
        return;
      }
      if (bytes.length > bulk) budget -= bytes.length;
      if (!far.write(bytes)) {
        near.pause();
        far.once("drain", () => near.resume());
      } else near.resume();
    };
    near.on("data", forward);
    for (const [one, other] of [[near, far], [far, near]]) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    /** After so many bytes, further ones wait. */
    hold: (bytes) => (budget = bytes),
    release() {
      budget = Infinity;
      for (const send of [...held]) send();
      held.clear();
    },
    stop: () => server.close(),
  };
}

/** How long the other tabs have for their answers. */
const answerMs = 200;

type Message = { type: "ask" } | { type: "mine"; urls: string[] };

const open = (): BroadcastChannel => new BroadcastChannel("millrace-uploads");

/** Tells other tabs of this server's page, when they ask, which uploads this one sends. */
export function answerOtherTabs(urls: () => string[]): void {
  const channel = open();
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === "ask") channel.postMessage({ type: "mine", urls: urls() } satisfies Message);
  };
}

/** Which uploads other tabs send. */
export async function urlsInOtherTabs(): Promise<Set<string>> {
  const channel = open();
  const all = new Set<string>();
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === "mine") for (const url of data.urls) all.add(url);
  };
  channel.postMessage({ type: "ask" } satisfies Message);
  await new Promise((resolve) => setTimeout(resolve, answerMs));
  channel.close();
  return all;
}

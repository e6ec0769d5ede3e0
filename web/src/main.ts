import "./style/tokens.css";
import "./style/page.css";
import "./style/tables.css";
import "./style/charts.css";
import "./style/print.css";
import type { Payload } from "./model/payload.ts";
import { drawPage } from "./view/page.ts";
import { unfoldForPrint } from "./view/unfold.ts";

void draw();

async function draw(): Promise<void> {
  drawPage(document.getElementById("report")!, await read(document.getElementById("report-data")!.textContent!));
  unfoldForPrint();

  // Two frames later everything has been laid out and painted; the tests read this.
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("millrace-drawn")));
}

/** The data are JSON, compressed with gzip, in base 64. */
async function read(text: string): Promise<Payload> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return (await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json()) as Payload;
}

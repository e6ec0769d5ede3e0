import "./style/tokens.css";
import "./style/page.css";
import "./style/tables.css";
import "./style/charts.css";
import "./style/print.css";
import type { Payload } from "./model/payload.ts";
import { drawPage } from "./view/page.ts";
import { unfoldForPrint } from "./view/unfold.ts";

const payload = JSON.parse(document.getElementById("report-data")!.textContent!) as Payload;
drawPage(document.getElementById("report")!, payload);
unfoldForPrint();

// Two frames later everything has been laid out and painted; the tests read this.
requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("millrace-drawn")));

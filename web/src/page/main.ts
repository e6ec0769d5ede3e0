import "../style/tokens.css";
import "./style/base.css";
import "./style/plain.css";
import "./style/frame.css";
import "./style/grid.css";
import "./style/tiles.css";
import "./style/dialogs.css";
import "./style/viewer.css";
import "./style/uploads.css";
import "./style/print.css";
import { App } from "./app.ts";
import { speak } from "./words/language.ts";

void speak().then(() => new App().start());

import { h } from "../../dom.ts";
import { link, prefix, rootName } from "../access.ts";
import { dateAndTime } from "../format.ts";
import { nameProblem } from "../nameProblem.ts";
import { join } from "../names.ts";
import { texts } from "../texts.ts";
import { field, isolated } from "./dialog.ts";
import { icon, icons } from "./icons.ts";

/** What stands in the place of the list where files can only be dropped: made for a phone. */
export class DropPage {
  private readonly problem = h("p", { class: "problem", role: "alert" });
  private readonly sender = field(texts.dropSender, { name: "name", autocomplete: "name", maxlength: 100, input: () => (this.problem.textContent = "") });
  private made: HTMLElement | undefined;

  constructor(private readonly chooseFiles: () => void, private readonly chooseFolder: () => void) {}

  /** The folder that files go to; undefined while the sender's name cannot be one. */
  get folder(): string | undefined {
    const name = link()?.asksName ? this.sender.input.value.trim().replace(/[\\/]+/g, " ") : "";
    const folder = join(prefix(), name);
    const problem = name ? nameProblem(folder) : undefined;
    this.problem.textContent = problem ?? "";
    if (problem) this.sender.input.focus();
    return problem ? undefined : folder;
  }

  get element(): HTMLElement {
    const end = link()?.expires;
    return (this.made ??= h("div", { class: "placeholder drop-page" },
      icon(icons.drop, 56), h("h2", { class: "placeholder-title" }, texts.dropTitle, " ", isolated(rootName())),
      h("p", { class: "quiet" }, texts.dropHintLink),
      link()?.asksName && this.sender.element, this.problem,
      h("button", { type: "button", class: "button primary large", click: this.chooseFiles }, icon(icons.upload, 22), texts.chooseFiles),
      h("button", { type: "button", class: "button whole-folder", click: this.chooseFolder }, icon(icons.folderUp, 18), texts.uploadFolder),
      end && h("p", { class: "quiet small" }, texts.linkUntil(dateAndTime(Date.parse(end))))));
  }
}

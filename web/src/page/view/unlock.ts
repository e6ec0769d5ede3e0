import { h } from "../../dom.ts";
import { openLink, ServerError } from "../api.ts";
import { given, useSecret } from "../link.ts";
import { texts } from "../texts.ts";
import { field } from "./dialog.ts";
import { icon, icons } from "./icons.ts";

/** Asks for the password of the link until it is right. It closes in no other way: without it there is nothing to see. */
export function askForPassword(): Promise<void> {
  return new Promise((resolve) => {
    const { element, input } = field(texts.linkPasswordAsk, { type: "password", name: "password", autocomplete: "off", dir: "ltr", autofocus: true, required: true });
    const problem = h("p", { class: "problem", role: "alert" });
    const button = h("button", { class: "button primary" }, texts.open);
    const dialog = h("dialog", { class: "form sign-in", "aria-labelledby": "unlock" },
      h("form", { method: "dialog", novalidate: true, submit: (event: SubmitEvent) => void send(event) },
        h("div", { class: "sign-in-icon" }, icon(icons.key, 28)), h("h2", { id: "unlock" }, texts.linkLocked), h("p", { class: "quiet" }, texts.linkLockedHint), element, problem, button));
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    let isOver = false;
    dialog.addEventListener("close", () => isOver || dialog.showModal());
    document.body.append(dialog);
    dialog.showModal();
    input.focus();

    async function send(event: SubmitEvent): Promise<void> {
      event.preventDefault();
      button.disabled = true;
      problem.textContent = "";
      try {
        useSecret(await openLink(given, input.value));
        isOver = true;
        dialog.close();
        dialog.remove();
        resolve();
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        problem.textContent = error.status === 401 ? texts.wrongPassword : error.status === 429 ? texts.tooMany(error.retryAfter || 60) : error.message;
        button.disabled = false;
        input.select();
        input.focus();
      }
    }
  });
}

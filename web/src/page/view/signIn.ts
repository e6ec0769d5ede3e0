import { h } from "../../dom.ts";
import { takesPin } from "../access.ts";
import { ServerError, signIn } from "../api.ts";
import { texts } from "../texts.ts";
import { field } from "./dialog.ts";
import { icon, icons } from "./icons.ts";

let open: Promise<boolean> | undefined;

/**
 * Asks for a token until the server accepts one. It closes in no other way, unless `mayClose`: without it there is nothing to see.
 * Returns whether someone has signed in.
 */
export function askForToken(reason: string, mayClose: boolean): Promise<boolean> {
  open ??= ask(reason, mayClose).finally(() => (open = undefined));
  return open;
}

function ask(reason: string, mayClose: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const { element, input } = field(takesPin() ? texts.pin : texts.token, { type: takesPin() ? "text" : "password", name: "token", autocomplete: takesPin() ? "one-time-code" : "current-password", inputmode: takesPin() && "numeric", dir: "ltr", autofocus: true, required: true });
    const problem = h("p", { class: "problem", role: "alert" });
    const button = h("button", { class: "button primary" }, texts.signIn);
    const dialog = h("dialog", { class: "form sign-in", "aria-labelledby": "sign-in" },
      h("form", { method: "dialog", novalidate: true, submit: (event: SubmitEvent) => void send(event) },
        h("div", { class: "sign-in-icon" }, icon(icons.key, 28)), h("h2", { id: "sign-in" }, texts.signInTitle), h("p", { class: "quiet" }, reason), element, problem, button, mayClose && h("button", { type: "button", class: "button", click: () => dialog.close() }, texts.cancel)));
    dialog.addEventListener("cancel", (event) => mayClose || event.preventDefault());
    // Browsers close a dialog when Escape is pressed twice, whatever the cancel event does.
    let isOver = false;
    dialog.addEventListener("close", () => {
      if (!isOver && !mayClose) dialog.showModal();
      else {
        dialog.remove();
        resolve(isOver);
      }
    });
    document.body.append(dialog);
    dialog.showModal();
    input.focus();

    async function send(event: SubmitEvent): Promise<void> {
      event.preventDefault();
      button.disabled = true;
      problem.textContent = "";
      try {
        await signIn(input.value.replace(/\s/g, ""));
        isOver = true;
        dialog.close();
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        problem.textContent = error.status === 401 || error.status === 400 ? (takesPin() ? texts.wrongPin : texts.wrongToken) : error.status === 429 ? texts.tooMany(error.retryAfter || 60) : error.detail || error.message;
        button.disabled = false;
        input.select();
        input.focus();
      }
    }
  });
}

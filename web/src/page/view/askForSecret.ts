import { h, uniqueId } from "../../dom.ts";
import { ServerError } from "../api.ts";
import { texts } from "../texts.ts";
import { field } from "./dialog.ts";
import { icon, icons } from "./icons.ts";

export interface SecretQuestion {
  title: string;
  hint: string;
  label: string;
  /** Attributes of the field. */
  input: Parameters<typeof field>[1];
  submit: string;
  mayClose: boolean;
  /** Throws a {@link ServerError} if the server does not accept it. */
  send: (secret: string) => Promise<unknown>;
  /** The sentence for an error; undefined for those that are the same everywhere. */
  problem: (error: ServerError) => string | undefined;
}

/**
 * Asks for a token, a PIN or a password until the server accepts one. It closes in no other way, unless `mayClose`: without it there is nothing to see.
 * Returns whether one was accepted.
 */
export function askForSecret({ title, hint, label, input: attributes, submit, mayClose, send, problem }: SecretQuestion): Promise<boolean> {
  return new Promise((resolve) => {
    const { element, input } = field(label, { dir: "ltr", autofocus: true, required: true, ...attributes });
    const failure = h("p", { class: "problem", role: "alert" });
    const button = h("button", { class: "button primary" }, submit);
    const id = uniqueId("secret");
    const dialog = h("dialog", { class: "form sign-in", "aria-labelledby": id },
      h("form", { method: "dialog", novalidate: true, submit: (event: SubmitEvent) => void submitted(event) },
        h("div", { class: "sign-in-icon" }, icon(icons.key, 28)), h("h2", { id }, title), h("p", { class: "quiet" }, hint), element, failure, button,
        mayClose && h("button", { type: "button", class: "button", click: () => dialog.close() }, texts.cancel)));
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

    async function submitted(event: SubmitEvent): Promise<void> {
      event.preventDefault();
      button.disabled = true;
      failure.textContent = "";
      try {
        await send(input.value);
        isOver = true;
        dialog.close();
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        failure.textContent = problem(error) ?? (error.status === 429 ? texts.tooMany(error.retryAfter || 60) : error.message);
        button.disabled = false;
        input.select();
        input.focus();
      }
    }
  });
}

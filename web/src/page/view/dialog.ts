import type { IconNode } from "lucide";
import { h, uniqueId } from "../../dom.ts";
import { texts } from "../texts.ts";
import { icon, icons } from "./icons.ts";

export const iconButton = (node: IconNode, label: string, click: (event: MouseEvent) => void, className = ""): HTMLButtonElement =>
  h("button", { type: "button", class: `icon-button ${className}`, "aria-label": label, title: label, click }, icon(node));

/** Text that shows its own direction and never changes that of its surroundings. */
export const isolated = (text: string): HTMLElement => h("bdi", {}, text);

export interface DialogContent {
  className?: string;
  heading: string | HTMLElement;
  tools?: HTMLElement[];
  body: HTMLElement;
  closed?: () => void;
}

/** Opens a modal dialog, which is removed when it closes; the focus goes back to where it was. */
export function openDialog({ className = "", heading, tools = [], body, closed }: DialogContent): HTMLDialogElement {
  const id = uniqueId("dialog");
  const title = typeof heading === "string" ? h("h2", { dir: "auto" }, heading) : heading;
  title.id = id;
  const before = document.activeElement;
  const dialog = h("dialog", { class: className, "aria-labelledby": id },
    h("div", { class: "dialog-head" }, title, h("div", { class: "dialog-tools" }, ...tools, iconButton(icons.close, texts.close, () => dialog.close()))), body);
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
    closed?.();
  });
  // A press beside it closes it, unless it began inside, as a selection of text may.
  let pressed: EventTarget | null = null;
  dialog.addEventListener("pointerdown", (event) => (pressed = event.target));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog && pressed === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export interface FormContent {
  heading: string;
  fields: (HTMLElement | undefined)[];
  submit: string;
  isDanger?: boolean;
  className?: string;
  /** Returns a sentence if it failed; the dialog then stays open and shows it. */
  act: () => Promise<string | undefined>;
  closed?: () => void;
}

/** A dialog with a form. */
export function openForm({ heading, fields, submit, isDanger, className = "", act, closed }: FormContent): HTMLDialogElement {
  const problem = h("p", { class: "problem", role: "alert" });
  const button = h("button", { class: isDanger ? "button danger" : "button primary" }, submit);
  const form = h("form", { method: "dialog", novalidate: true, submit: (event: SubmitEvent) => void send(event) },
    ...fields, problem, h("div", { class: "dialog-buttons" }, h("button", { type: "button", class: "button", click: () => dialog.close() }, texts.cancel), button));
  const dialog = openDialog({ className: `form ${className}`, heading, body: form, ...(closed ? { closed } : {}) });
  (form.querySelector<HTMLElement>("[autofocus]") ?? button).focus();
  return dialog;

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = "";
    const failure = await act();
    button.disabled = false;
    if (failure === undefined) dialog.close();
    else {
      problem.textContent = failure;
      form.querySelector("input")?.focus();
    }
  }
}

/** A field with its label. */
export function field(label: string, attributes: Parameters<typeof h<"input">>[1]): { element: HTMLElement; input: HTMLInputElement } {
  const id = uniqueId("field");
  const input = h("input", { id, autocomplete: "off", spellcheck: "false", dir: "auto", ...attributes });
  return { element: h("div", { class: "field" }, h("label", { for: id }, label), input), input };
}

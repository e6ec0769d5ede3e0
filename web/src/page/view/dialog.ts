import type { IconNode } from "lucide";
import { h, uniqueId } from "../../dom.ts";
import { shown } from "../names.ts";
import { texts } from "../texts.ts";
import { icon, icons } from "./icons.ts";
import { returnFocus } from "./focus.ts";
import { notify, placeNotices } from "./notices.ts";

export const iconButton = (node: IconNode, label: string, click: (event: MouseEvent) => void, className = ""): HTMLButtonElement =>
  h("button", { type: "button", class: `icon-button ${className}`, "aria-label": label, title: label, click }, icon(node));

/** Text that shows its own direction and never changes that of its surroundings. */
export const isolated = (text: string): HTMLElement => h("bdi", {}, shown(text));

export interface DialogContent {
  className?: string;
  heading: string | HTMLElement;
  tools?: HTMLElement[];
  body: HTMLElement;
  closed?: () => void;
  /** Asked before a person closes it. */
  mayClose?: () => boolean;
}

/**
 * Closes what belongs to the folder that is left. Signing in and the question about a taken name belong to no folder,
 * and closing the question would answer it.
 */
export function closeDialogs(): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[open]:not(.sign-in, .clash)")) dialog.close();
  for (const menu of document.querySelectorAll<HTMLElement>(".menu:popover-open")) menu.hidePopover();
}

/** Waits until no dialog and no menu is open: a dialog that opens unasked over another takes the keys meant for that one. */
export async function untilNothingIsOpen(): Promise<void> {
  for (let open: Element | null; (open = document.querySelector("dialog[open], .menu")) !== null;) {
    const waited = open;
    await new Promise((resolve) => ["close", "toggle"].forEach((type) => waited.addEventListener(type, resolve, { once: true })));
  }
}

/** Opens a modal dialog, which is removed when it closes; the focus goes back to where it was. */
export function openDialog({ className = "", heading, tools = [], body, closed, mayClose = () => true }: DialogContent): HTMLDialogElement {
  const id = uniqueId("dialog");
  const title = typeof heading === "string" ? h("h2", { dir: "auto" }, heading) : heading;
  title.id = id;
  const before = document.activeElement;
  const dialog = h("dialog", { class: className, "aria-labelledby": id },
    h("div", { class: "dialog-head" }, title, h("div", { class: "dialog-tools" }, ...tools, iconButton(icons.close, texts.close, () => mayClose() && dialog.close()))), body);
  dialog.addEventListener("cancel", (event) => {
    if (event.target === dialog && !mayClose()) event.preventDefault();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    placeNotices();
    returnFocus(before);
    closed?.();
  });
  // A press beside it closes it, unless it began inside, as a selection of text may.
  let pressed: EventTarget | null = null;
  dialog.addEventListener("pointerdown", (event) => (pressed = event.target));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog && pressed === dialog && mayClose()) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  placeNotices();
  return dialog;
}

export interface FormContent {
  heading: string;
  fields: (HTMLElement | undefined)[];
  submit: string;
  isDanger?: boolean;
  className?: string;
  /** Returns a sentence if it failed; the dialog then stays open and shows it. */
  act: (form: Running) => Promise<string | undefined>;
  /** After it succeeded, and only if the dialog was not closed before. */
  succeeded?: () => void;
}

/** The controls of an open form. */
export interface Running {
  /** Whether the dialog was closed in the meantime: remaining steps are skipped. */
  signal: AbortSignal;
  progress(done: number, all: number): void;
}

/** A dialog with a form. */
export function openForm({ heading, fields, submit, isDanger, className = "", act, succeeded }: FormContent): HTMLDialogElement {
  const closing = new AbortController();
  const problem = h("p", { class: "problem", role: "alert" });
  const progress = h("p", { class: "quiet small", role: "progressbar", hidden: true });
  const cancel = h("button", { type: "button", class: "button", click: stop }, texts.cancel);
  const button = h("button", { class: isDanger ? "button danger" : "button primary" }, submit);
  const form = h("form", { method: "dialog", novalidate: true, submit: (event: SubmitEvent) => void send(event) },
    ...fields, problem, progress, h("div", { class: "dialog-buttons" }, cancel, button));
  const dialog = openDialog({ className: `form ${className}`, heading, body: form, closed: () => closing.abort() });
  // An action that cannot be undone must not start because Enter was pressed once too often.
  (form.querySelector<HTMLElement>("[autofocus]") ?? (isDanger ? cancel : button)).focus();
  return dialog;

  function stop(): void {
    // At once: the dialog's close event comes later, and the next step could begin before.
    closing.abort();
    dialog.close();
  }

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    // Not "disabled", which would lose the focus.
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    problem.textContent = "";
    const failure = await act({ signal: closing.signal, progress: show });
    button.ariaDisabled = null;
    progress.hidden = true;
    if (closing.signal.aborted) {
      if (failure !== undefined) notify(failure, true);
    } else if (failure === undefined) {
      dialog.close();
      succeeded?.();
    } else {
      problem.textContent = failure;
      form.querySelector("input")?.focus();
    }
  }

  function show(done: number, all: number): void {
    const text = texts.progressOf(done, all);
    progress.hidden = false;
    progress.textContent = text;
    for (const [name, value] of [["label", submit], ["valuenow", done], ["valuemax", all], ["valuetext", text]]) progress.setAttribute(`aria-${name}`, String(value));
  }
}

/** A field with its label. */
export function field(label: string, attributes: Parameters<typeof h<"input">>[1]): { element: HTMLElement; input: HTMLInputElement } {
  const id = uniqueId("field");
  const input = h("input", { id, autocomplete: "off", spellcheck: "false", dir: "auto", ...attributes });
  return { element: h("div", { class: "field" }, h("label", { for: id }, label), input), input };
}

import { h } from "../../dom.ts";
import { replaceText, ServerError, stat } from "../api.ts";
import { baseName, shown } from "../names.ts";
import { texts } from "../texts.ts";
import { readPart } from "../upload/parts.ts";
import { openForm } from "../view/dialog.ts";
import { notify } from "../view/notices.ts";

/** A text as it was read: it is written with the same line ends and the same mark at the beginning. */
export interface Editable {
  name: string;
  text: string;
  tag: string;
  hasMark: boolean;
}

export interface EditorEvents {
  saved(tag: string | undefined, bytes: number): void;
  /** Back to the text as it is shown. */
  left(): void;
  signIn(): void;
}

/** A field for a file's text, which is saved only over the version that was read. */
export class Editor {
  private readonly field: HTMLTextAreaElement;
  private readonly save = h("button", { type: "button", class: "button primary small", click: () => void this.write(this.tag) }, texts.save);
  private readonly isWindows: boolean;
  private before: string;
  private tag: string;
  private isSaving = false;
  readonly element: HTMLElement;

  constructor(private readonly file: Editable, private readonly events: EditorEvents) {
    this.tag = file.tag;
    this.isWindows = file.text.includes("\r\n");
    this.field = h("textarea", { class: "editor", "aria-label": texts.editOf(shown(baseName(file.name))), spellcheck: "false", dir: "auto", wrap: "soft" });
    this.field.value = file.text;
    this.before = this.field.value;
    this.field.addEventListener("input", () => this.show());
    this.field.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
        event.preventDefault();
        void this.write(this.tag);
      }
    });
    this.element = h("div", { class: "editing" }, this.field, h("div", { class: "stage-tools" },
      h("button", { type: "button", class: "button small", click: () => this.leave(() => this.events.left()) }, texts.close), this.save));
    this.show();
  }

  get isDirty(): boolean {
    return this.field.value !== this.before;
  }

  focus(): void {
    this.field.focus();
    this.field.setSelectionRange(0, 0);
    this.field.scrollTop = 0;
  }

  /** Goes on, after a question if something would be lost. */
  leave(go: () => void): void {
    if (!this.isDirty) {
      go();
      return;
    }
    openForm({
      heading: texts.unsavedTitle, className: "confirm", isDanger: true, submit: texts.discard, fields: [h("p", {}, texts.unsavedHint(shown(baseName(this.file.name))))],
      act: async () => {
        this.before = this.field.value;
        return undefined;
      },
      succeeded: go,
    });
  }

  private show(): void {
    this.save.disabled = !this.isDirty;
  }

  private async write(tag: string): Promise<void> {
    if (!this.isDirty || this.isSaving) return;
    this.isSaving = true;
    try {
      const { value } = this.field;
      const blob = new Blob([(this.file.hasMark ? "\ufeff" : "") + (this.isWindows ? value.replaceAll("\n", "\r\n") : value)]);
      const written = await replaceText(this.file.name, blob, (await readPart(blob)).sha256, tag);
      this.before = value;
      this.tag = written ?? (await stat(this.file.name)).tag ?? "";
      this.show();
      notify(texts.saved(shown(baseName(this.file.name))));
      this.events.saved(this.tag || undefined, blob.size);
    } catch (error) {
      if (!(error instanceof ServerError)) notify(texts.errors.reading, true);
      else if (error.status === 401) this.events.signIn();
      else if (error.status === 412) this.askToOverwrite();
      else notify(error.message, true);
    } finally {
      this.isSaving = false;
    }
  }

  private askToOverwrite(): void {
    openForm({
      heading: texts.changedTitle(shown(baseName(this.file.name))), className: "confirm", isDanger: true, submit: texts.overwrite, fields: [h("p", {}, texts.changedHint)],
      act: async () => {
        try {
          const { tag } = await stat(this.file.name);
          await this.write(tag ?? this.tag);
          return undefined;
        } catch (error) {
          if (!(error instanceof ServerError)) throw error;
          return error.message;
        }
      },
    });
  }
}

import { h } from "../../dom.ts";
import { duration, size } from "../format.ts";
import { baseName, parentOf } from "../names.ts";
import { texts } from "../texts.ts";
import { iconButton, isolated, openDialog } from "../view/dialog.ts";
import { icon, icons } from "../view/icons.ts";
import { announce, notify } from "../view/notices.ts";
import { gatherHandles } from "./gather.ts";
import type { Queue } from "./queue.ts";
import { sizes } from "./requestSizes.ts";
import type { Task, TaskState } from "./task.ts";

/** Rows at most; with more, those that say the most are shown. */
const maxRows = 50;
const everyMs = 200;

const order: TaskState[] = ["clash", "failed", "signIn", "running", "waiting", "paused", "lost", "queued", "done", "skipped"];

/** The uploads, in a corner of the page or, on a phone, at its bottom. */
export class UploadPanel {
  private readonly title = h("h2", {});
  private readonly facts = h("p", { class: "quiet small facts" });
  private readonly bar = progress(texts.progressAll);
  private readonly list = h("ul", { class: "tasks", id: "tasks", tabindex: 0, "aria-label": texts.uploads });
  private readonly more = h("p", { class: "quiet small more-tasks", hidden: true });
  private readonly rows = new Map<Task, Row>();
  private readonly pause = h("button", { type: "button", class: "button small", click: () => this.togglePause() });
  private readonly retry = h("button", { type: "button", class: "button small", click: () => this.queue.retryAll() }, texts.retryAll);
  private readonly cancel = h("button", { type: "button", class: "button small", click: () => this.queue.cancelAll() }, texts.cancelAll);
  private readonly failures = h("button", { type: "button", class: "button small", click: () => this.listFailures() }, texts.listFailures);
  private readonly clear = h("button", { type: "button", class: "button small", click: () => this.queue.clearOver() }, texts.clearDone);
  private readonly toggle = iconButton(icons.collapse, texts.collapse, () => this.collapse(!this.isCollapsed));
  private readonly input = h("input", { type: "file", hidden: true });
  private isCollapsed = false;
  private timer = 0;
  private said = "";
  readonly element: HTMLElement;

  constructor(private readonly queue: Queue) {
    this.toggle.setAttribute("aria-controls", "tasks");
    this.element = h("section", { class: "uploads", hidden: true, "aria-label": texts.uploads },
      h("div", { class: "uploads-head" }, h("div", { class: "uploads-title" }, this.title, this.facts), this.toggle),
      this.bar, this.list, this.more, h("div", { class: "uploads-buttons" }, this.pause, this.failures, this.retry, this.cancel, this.clear), this.input);
    this.collapse(false);
  }

  /** Shows the changes, a few times a second at most. */
  update(): void {
    this.timer ||= window.setTimeout(() => {
      this.timer = 0;
      this.draw();
      if (this.queue.tasks.some((task) => task.isActive)) this.update();
    }, everyMs);
  }

  private draw(): void {
    const { tasks } = this.queue;
    this.element.hidden = tasks.length === 0;
    document.body.classList.toggle("has-uploads", tasks.length > 0);
    this.drawRows();
    if (tasks.length === 0) return;
    const counted = tasks.filter((task) => !["lost", "skipped", "failed"].includes(task.state));
    const chosen = tasks.filter((task) => task.state !== "lost").length;
    const of = (...states: TaskState[]): Task[] => tasks.filter((task) => states.includes(task.state));
    const done = of("done").length, failed = of("failed").length, skipped = of("skipped").length, lost = of("lost").length, paused = of("paused").length;
    const isBusy = this.queue.isBusy;
    const total = sum(counted, (task) => task.size), sent = sum(counted, (task) => task.sent);
    const rate = sum(of("running"), (task) => task.rate.perSecond);
    const isWaiting = of("waiting").length > 0 && of("running").length === 0;
    const title = isBusy ? (isWaiting ? texts.waitingAll : texts.uploading(Math.min(done + failed + skipped + 1, chosen), chosen))
      : of("signIn").length ? texts.waitingForSignIn : paused ? texts.allPaused : failed || skipped ? texts.uploadedPartly(done, done + failed + skipped, failed, skipped) : done ? texts.uploaded(done) : texts.unfinished(lost);
    this.title.textContent = title;
    if (title !== this.said && !isBusy) announce(title);
    this.said = title;
    this.facts.textContent = counted.length === 0 ? "" : [
      sent < total ? texts.of(size(sent), size(total)) : size(total),
      isBusy && rate > 0 && texts.rate(size(rate)), isBusy && rate > 0 && sent < total && texts.left(duration((total - sent) / rate)),
    ].filter(Boolean).join(" · ");
    set(this.bar, total ? sent / total : done && !isBusy ? 1 : 0);
    this.bar.hidden = counted.length === 0;
    this.pause.replaceChildren(icon(paused && !of("running", "queued", "waiting").length ? icons.play : icons.pause, 16), paused && !of("running", "queued", "waiting").length ? texts.resumeAll : texts.pauseAll);
    this.pause.hidden = !isBusy && !paused;
    this.failures.hidden = failed <= maxRows;
    this.retry.hidden = !tasks.some((task) => task.canRetry);
    this.cancel.hidden = !isBusy && !paused;
    this.clear.hidden = isBusy || done + failed + skipped === 0;
  }

  private drawRows(): void {
    const { tasks } = this.queue;
    const shown = order.flatMap((state) => tasks.filter((task) => task.state === state)).slice(0, maxRows);
    for (const [task, row] of this.rows) {
      if (shown.includes(task)) continue;
      row.element.remove();
      this.rows.delete(task);
    }
    shown.forEach((task, at) => {
      let row = this.rows.get(task);
      if (!row) this.rows.set(task, (row = new Row(task, this.queue, () => void this.continueLost(task))));
      row.draw();
      if (this.list.children[at] !== row.element) this.list.insertBefore(row.element, this.list.children[at] ?? null);
    });
    this.more.hidden = tasks.length <= shown.length;
    this.more.textContent = texts.moreUploads(tasks.length - shown.length);
  }

  /** With one press where the browser kept the file, otherwise after it is chosen again. */
  private async continueLost(task: Task): Promise<void> {
    const handle = task.handle as (FileSystemFileHandle & { requestPermission?: (options: object) => Promise<string> }) | undefined;
    if (handle && (await handle.requestPermission?.({ mode: "read" })) !== "denied") {
      const picked = await gatherHandles([handle]).catch(() => undefined);
      const file = picked?.files[0]?.file;
      if (file && this.queue.resume(task, file)) return;
    }
    this.input.onchange = () => {
      const [file] = this.input.files ?? [];
      if (file && !this.queue.resume(task, file)) notify(texts.notSame(baseName(task.wanted)), true);
      this.input.value = "";
    };
    this.input.click();
  }

  /** When there are more than the panel has rows for. */
  private listFailures(): void {
    const failed = this.queue.tasks.filter((task) => task.state === "failed");
    openDialog({
      className: "failures", heading: texts.failures(failed.length),
      body: h("ul", { tabindex: 0 }, ...failed.map((task) => h("li", { dir: "auto" }, texts.refused(task.name, task.error)))),
    });
  }

  private togglePause(): void {
    if (this.queue.tasks.some((task) => task.isActive || task.state === "queued")) this.queue.pauseAll();
    else this.queue.continueAll();
  }

  private collapse(isCollapsed: boolean): void {
    this.isCollapsed = isCollapsed;
    this.element.classList.toggle("collapsed", isCollapsed);
    const label = isCollapsed ? texts.expand : texts.collapse;
    this.toggle.setAttribute("aria-label", label);
    this.toggle.title = label;
    this.toggle.setAttribute("aria-expanded", String(!isCollapsed));
    this.toggle.replaceChildren(icon(isCollapsed ? icons.expand : icons.collapse));
  }
}

/** One upload. */
class Row {
  private readonly status = h("p", { class: "small status" });
  private readonly bar: HTMLElement;
  private readonly buttons = h("div", { class: "task-buttons" });
  private shown: TaskState | undefined;
  private name = "";
  private readonly label = isolated("");
  readonly element: HTMLElement;

  constructor(private readonly task: Task, private readonly queue: Queue, private readonly continueLost: () => void) {
    const folder = parentOf(task.name);
    this.bar = progress(texts.progress(baseName(task.name)));
    this.element = h("li", { class: "task" },
      h("div", { class: "task-name" }, this.label, folder && h("span", { class: "quiet small" }, isolated(folder))), this.buttons, this.bar, this.status);
  }

  draw(): void {
    const { task } = this;
    if (this.name !== task.name) {
      this.name = task.name;
      this.label.textContent = baseName(task.name);
      this.element.title = task.name;
    }
    if (this.shown !== task.state) {
      this.shown = task.state;
      this.element.dataset.state = task.state;
      const hadFocus = this.buttons.contains(document.activeElement);
      this.buttons.replaceChildren(...this.makeButtons());
      if (hadFocus) this.buttons.querySelector("button")?.focus();
    }
    const text = this.describe();
    if (this.status.textContent !== text) this.status.textContent = text;
    set(this.bar, task.size ? task.sent / task.size : task.state === "done" ? 1 : 0);
    this.bar.hidden = task.isOver || ["queued", "failed", "clash"].includes(task.state);
  }

  private describe(): string {
    const { task } = this;
    const bytes = task.sent < task.size ? texts.of(size(task.sent), size(task.size)) : size(task.size);
    const rate = task.rate.perSecond;
    const reduced = sizes.isReduced && task.size > sizes.max && texts.smallerRequests(size(sizes.max));
    switch (task.state) {
      case "running":
        return [bytes, rate > 0 && texts.rate(size(rate)), rate > 0 && task.sent < task.size && texts.left(duration((task.size - task.sent) / rate)), reduced].filter(Boolean).join(" · ");
      case "failed": return task.error;
      case "lost": return `${bytes} · ${task.handle ? texts.resumeHandle : texts.chooseAgain}`;
      case "done": case "queued": return `${texts.states[task.state]} · ${size(task.size)}`;
      case "paused": return `${bytes} · ${texts.states.paused}`;
      case "waiting": return [bytes, texts.states.waiting, reduced].filter(Boolean).join(" · ");
      default: return texts.states[task.state];
    }
  }

  private makeButtons(): HTMLElement[] {
    const { task, queue } = this;
    const name = baseName(task.name);
    const small = "small";
    const cancel = iconButton(icons.close, task.isOver ? texts.forgetOf(name) : texts.cancelOf(name), () => queue.cancel(task), small);
    switch (task.state) {
      case "running": case "waiting": case "queued": return [iconButton(icons.pause, texts.pauseOf(name), () => queue.pause(task), small), cancel];
      case "paused": return [iconButton(icons.play, texts.resumeOf(name), () => queue.continue(task), small), cancel];
      case "failed": return [...(task.canRetry ? [iconButton(icons.retry, texts.retryOf(name), () => queue.continue(task), small)] : []), cancel];
      case "lost": return [iconButton(icons.play, task.handle ? texts.resumeOf(name) : texts.chooseOf(name), this.continueLost, small), cancel];
      default: return [cancel];
    }
  }
}

function progress(label: string): HTMLElement {
  return h("div", { class: "progress", role: "progressbar", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 }, h("div"));
}

function set(bar: HTMLElement, part: number): void {
  const value = Math.max(0, Math.min(1, part));
  bar.setAttribute("aria-valuenow", String(Math.floor(value * 100)));
  (bar.firstElementChild as HTMLElement).style.transform = `scaleX(${value})`;
}

const sum = <T>(items: T[], of: (item: T) => number): number => items.reduce((total, item) => total + of(item), 0);

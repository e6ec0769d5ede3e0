import { current, isDrop, may, owner } from "../access.ts";
import { ServerError, makeFolder, stat } from "../api.ts";
import { linkField } from "../link.ts";
import { nameProblem } from "../nameProblem.ts";
import { join, nextName, parentOf } from "../names.ts";
import { texts } from "../texts.ts";
import type { Gathered } from "./gather.ts";
import { loadTus } from "./loadTus.ts";
import { answerOtherTabs, urlsInOtherTabs } from "./otherTabs.ts";
import { endSilentWorker } from "./parts.ts";
import { readRecords, removeRecord, type UploadRecord } from "./records.ts";
import { type Batch, type ClashAnswer, stallMs, Task } from "./task.ts";

/** Files at once. More share the same line; fewer would leave it idle between small files. */
const maxRunning = 3;
/** Until the script for uploads is asked for again. */
const reloadMs = 2000;

export interface QueueEvents {
  /** Something has changed that is to be shown. */
  changed(): void;
  uploaded(task: Task): void;
  folderMade(folder: string): void;
  /** A file whose name is taken. */
  clash(task: Task, others: boolean): Promise<ClashAnswer>;
  signIn(): void;
}

/** All uploads of the page. */
export class Queue {
  tasks: Task[] = [];
  private asking = false;

  constructor(private readonly events: QueueEvents) {
    addEventListener("online", () => this.wake());
    setInterval(() => {
      for (const task of this.tasks) {
        if (task.state === "running" && Date.now() - task.lastProgress > stallMs) task.wake();
      }
      endSilentWorker(stallMs);
    }, 1000);
    addEventListener("beforeunload", (event) => {
      if (this.tasks.some((task) => task.file && !task.isOver && task.state !== "failed")) event.preventDefault();
    });
    answerOtherTabs(() => this.tasks.filter((task) => task.state !== "lost").map((task) => task.record?.url).filter((url) => url !== undefined));
  }

  get isBusy(): boolean {
    return this.tasks.some((task) => task.isActive || task.state === "queued" || task.state === "clash");
  }

  add(gathered: Gathered, folder: string): void {
    const batch: Batch = {};
    const max = current().maxFileBytes ?? Infinity;
    const tasks = gathered.files.map(({ file, path, handle }) => {
      const wanted = join(folder, path);
      const known = this.tasks.find((task) => task.state === "lost" && task.wanted === wanted && isSame(task, file));
      if (known) {
        this.resume(known, file);
        return undefined;
      }
      const task = new Task(wanted, wanted, file.size, batch, this.taskChanged, file, handle);
      const problem = nameProblem(wanted);
      if (file.size > max) task.fail(texts.errors.tooLarge);
      else if (!may("write", wanted)) task.fail(texts.noUpload);
      else if (problem) task.fail(problem);
      return task;
    });
    this.tasks.push(...tasks.filter((task) => task !== undefined));
    for (const { path, why } of gathered.unreadable) this.addFailed(join(folder, path), why);
    // Where nothing can be seen, an empty folder is of no use.
    if (!isDrop()) void this.makeFolders(gathered.emptyFolders.map((path) => join(folder, path)));
    this.schedule();
  }

  /** Something that was to be uploaded and has no bytes to try again with. */
  private addFailed(name: string, why: string): void {
    const task = new Task(name, name, 0, {}, this.taskChanged);
    this.tasks.push(task);
    task.fail(why);
  }

  /** Uploads of an earlier visit that the server still has. */
  async recall(): Promise<void> {
    const [records, elsewhere] = await Promise.all([readRecords(), urlsInOtherTabs()]);
    const isKnown = ({ url }: UploadRecord): boolean => elsewhere.has(url) || this.tasks.some((task) => task.record?.url === url);
    for (const record of records) {
      // Asking the server about an upload takes it from the current sender.
      if (record.owner !== owner() || isKnown(record)) continue;
      const answer = await fetch(record.url, { method: "HEAD", headers: { "Tus-Resumable": "1.0.0", ...linkField() }, cache: "no-store" }).catch(() => undefined);
      if (answer?.status === 404 || answer?.status === 410) {
        await removeRecord(record.id!);
      } else if (answer?.ok && !isKnown(record)) {
        const task = new Task(record.name, record.wanted, record.size, {}, this.taskChanged, undefined, record.handle, record);
        task.sent = Number(answer.headers.get("Upload-Offset")) || 0;
        this.tasks.push(task);
      }
    }
    this.events.changed();
  }

  /** Continues an upload of an earlier visit. Returns false if this is not the file. */
  resume(task: Task, file: File): boolean {
    if (!isSame(task, file)) return false;
    task.file = file;
    task.stop("queued");
    this.schedule();
    return true;
  }

  pause(task: Task): void {
    if (task.isActive || task.state === "queued") task.stop("paused");
  }

  /** Continues a paused one, and tries a failed one again. */
  continue(task: Task): void {
    if (task.state === "paused" || task.state === "failed") task.again();
    this.schedule();
  }

  retryAll(): void {
    for (const task of this.tasks) if (task.canRetry) task.again();
    this.schedule();
  }

  cancel(task: Task): void {
    this.tasks = this.tasks.filter((other) => other !== task);
    void task.discard();
    this.events.changed();
    this.schedule();
  }

  pauseAll(): void {
    for (const task of this.tasks) this.pause(task);
  }

  continueAll(): void {
    for (const task of this.tasks) if (task.state === "paused") task.again();
    this.schedule();
  }

  /** Forgets everything: files that one user chose are not sent with another user's token. The server keeps its parts for a while. */
  abandon(): void {
    for (const task of this.tasks) task.stop("paused");
    this.tasks = [];
    this.events.changed();
  }

  cancelAll(): void {
    for (const task of this.tasks) if (!task.isOver && task.state !== "lost") void task.discard();
    this.tasks = this.tasks.filter((task) => task.state === "lost");
    this.events.changed();
  }

  clearOver(): void {
    this.tasks = this.tasks.filter((task) => !task.isOver && task.state !== "failed");
    this.events.changed();
  }

  /** After signing in. */
  signedIn(): void {
    for (const task of this.tasks) if (task.state === "signIn") task.stop("queued");
    this.schedule();
  }

  private wake(): void {
    for (const task of this.tasks) task.wake();
  }

  private readonly taskChanged = (task: Task): void => {
    if (task.state === "done") this.events.uploaded(task);
    if (task.state === "signIn") this.events.signIn();
    this.events.changed();
    if (!task.isActive) this.schedule();
    if (task.state === "clash") void this.settleClashes();
  };

  private schedule(): void {
    // Not within the change that led here: a task that stops starts no other before it has its own new state.
    loadTus().then(() => {
      if (this.tasks.some((task) => task.state === "signIn")) return;
      let running = this.tasks.filter((task) => task.isActive).length;
      for (const task of this.tasks) {
        if (running >= maxRunning) break;
        if (task.state !== "queued") continue;
        running++;
        task.start();
      }
    }, () => setTimeout(() => this.schedule(), reloadMs));
  }

  private async settleClashes(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    for (let task; (task = this.tasks.find((candidate) => candidate.state === "clash")) !== undefined;) {
      const { batch } = task;
      let choice = batch.choice;
      let tag: string | undefined;
      if (!choice) {
        const others = this.tasks.some((other) => other !== task && other.batch === batch && !other.isOver);
        const answer = await this.events.clash(task, others);
        ({ choice, tag } = answer);
        if (answer.forAll) batch.choice = choice;
      }
      if (task.state !== "clash" || !this.tasks.includes(task)) continue;
      if (choice === "skip") {
        await task.discard();
        task.stop("skipped");
      } else if (choice === "replace") await task.restart(task.name, { tag });
      else await task.restart(nextName(task.name));
    }
    this.asking = false;
    this.schedule();
  }

  /** With the folders above them. */
  private async makeFolders(folders: string[]): Promise<void> {
    const wanted = new Set<string>();
    for (const folder of folders) for (let name = folder; name; name = parentOf(name)) wanted.add(name);
    for (const folder of [...wanted].sort((a, b) => a.length - b.length)) {
      try {
        await makeFolder(folder);
        this.events.folderMade(folder);
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        // Those above a dropped one need no separate line.
        if (!folders.includes(folder)) continue;
        // 405: it exists, or a file has its name.
        const isThere = error.status === 405 && (await stat(folder).catch(() => undefined))?.isFolder;
        if (!isThere) this.addFailed(folder, nameProblem(folder) ?? (error.status === 405 ? texts.errors.taken : error.message));
      }
    }
  }
}

/** As far as a browser can check: the bytes that are sent have their checksums, those that the server has had them too. */
function isSame(task: Task, file: File): boolean {
  return task.size === file.size && (task.record?.modified ?? file.lastModified) === file.lastModified;
}

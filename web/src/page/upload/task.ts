import type { DetailedError, Upload } from "tus-js-client";
import { current, owner } from "../access.ts";
import { errorOf, stat } from "../api.ts";
import { size } from "../format.ts";
import { texts } from "../texts.ts";
import { ChecksummedStack, Refused } from "./http.ts";
import { partBytes, partReader, ReadError, readPart } from "./parts.ts";
import { Rate } from "./rate.ts";
import { sizes } from "./requestSizes.ts";
import { addRecord, removeRecord, type UploadRecord } from "./records.ts";
import { loadTus, tus } from "./loadTus.ts";

export type TaskState = "queued" | "clash" | "running" | "paused" | "waiting" | "signIn" | "done" | "skipped" | "failed" | "lost";

/** Decides what to do with a taken name, for this file or for all files that were added with it. */
export type ClashChoice = "replace" | "keepBoth" | "skip";
/** With the version that the person saw, which is the one to replace. */
export interface ClashAnswer { choice: ClashChoice; forAll: boolean; tag?: string | undefined }
export interface Batch { choice?: ClashChoice }

/** After a failure of the connection, in milliseconds; the last one repeats. */
const waits = [300, 1000, 2000, 4000, 8000];
/** Too slow for a while, locked, busy, or a proxy whose server is away: all of it passes. */
const passing = [408, 423, 429, 502, 503, 504];
/** Failures of the server itself are not repeated forever. */
const maxServerErrors = 5;
/** Without a byte for so long, the connection is taken for dead. */
export const stallMs = 60_000;

/** One file on its way to the server. */
export class Task {
  state: TaskState = "queued";
  sent = 0;
  error = "";
  readonly rate = new Rate();
  /** By the clock, which goes on while the machine sleeps. */
  lastProgress = 0;
  private replaces: { tag?: string | undefined } | undefined;
  private upload: Upload | undefined;
  private timer = 0;
  /** Failures since the server last confirmed bytes, and those of them that the server reported. */
  private failures = 0;
  private serverErrors = 0;
  private hasFailed = false;
  private stack = new ChecksummedStack();

  constructor(
    public name: string,
    readonly wanted: string,
    readonly size: number,
    readonly batch: Batch,
    readonly changed: (task: Task) => void,
    public file?: File,
    public handle?: FileSystemFileHandle,
    public record?: UploadRecord,
  ) {
    if (!file) this.state = "lost";
  }

  get isActive(): boolean {
    return this.state === "running" || this.state === "waiting";
  }

  get isOver(): boolean {
    return this.state === "done" || this.state === "skipped";
  }

  /** Whether another attempt makes sense: the browser has the file. */
  get canRetry(): boolean {
    return this.state === "failed" && this.file !== undefined;
  }

  start(): void {
    clearTimeout(this.timer);
    this.error = "";
    this.lastProgress = Date.now();
    this.set("running");
    this.upload ??= this.create();
    this.upload.options.chunkSize = sizes.max;
    this.upload.start();
  }

  /** Stops sending; the server keeps the received bytes. */
  stop(state: TaskState): void {
    clearTimeout(this.timer);
    // The request that ends with it may have reached the server.
    if (this.state === "running") this.hasFailed = true;
    void this.upload?.abort();
    this.upload = undefined;
    this.rate.reset();
    this.set(state);
  }

  /** Stops, and deletes the upload on the server. */
  async discard(): Promise<void> {
    clearTimeout(this.timer);
    const url = this.upload?.url ?? this.record?.url;
    await this.upload?.abort();
    this.upload = undefined;
    this.forget();
    if (url) await loadTus().then((loaded) => loaded.Upload.terminate(url, { httpStack: new ChecksummedStack(), retryDelays: null })).catch(() => undefined);
  }

  /** Starts over under another name, or over the file that has it. */
  async restart(name: string, replaces?: { tag?: string | undefined }): Promise<void> {
    await this.discard();
    this.name = name;
    this.replaces = replaces;
    this.sent = this.failures = this.serverErrors = 0;
    this.hasFailed = false;
    this.set("queued");
  }

  /** Continues a paused one, and tries a failed one again. */
  again(): void {
    this.failures = this.serverErrors = 0;
    this.stop("queued");
  }

  /** Tries again now instead of later. */
  wake(): void {
    if (this.state === "waiting") this.start();
    else if (this.state === "running") {
      this.stop("waiting");
      this.start();
    }
  }

  fail(error: string): void {
    this.stop("failed");
    this.error = error;
    this.changed(this);
  }

  private create(): Upload {
    const file = this.file!;
    sizes.announce(current().maxRequestBytes);
    this.stack = new ChecksummedStack(!this.replaces ? ["If-None-Match", "*"] : this.replaces.tag ? ["If-Match", this.replaces.tag] : undefined);
    return new (tus().Upload)(file, {
      endpoint: current().uploads ?? "/uploads",
      uploadUrl: this.record?.url ?? null,
      uploadSize: file.size,
      chunkSize: sizes.max,
      uploadDataDuringCreation: file.size <= sizes.max,
      metadata: { filename: this.name, ...modifiedOf(file) },
      retryDelays: null,
      storeFingerprintForResuming: false,
      httpStack: this.stack,
      fileReader: partReader(() => sizes.max),
      onUploadUrlAvailable: () => void this.remember(),
      onProgress: (sent) => {
        if (sent > this.sent) {
          this.rate.add(sent - this.sent);
          this.lastProgress = Date.now();
        }
        this.sent = sent;
        this.changed(this);
      },
      onChunkComplete: (bytes) => {
        this.failures = this.serverErrors = 0;
        if (bytes >= sizes.max) sizes.gotThrough();
        if (this.upload) this.upload.options.chunkSize = sizes.max;
      },
      onSuccess: () => this.succeed(),
      onError: (error) => void this.recover(error as DetailedError),
    });
  }

  private succeed(): void {
    this.upload = undefined;
    this.sent = this.size;
    this.forget();
    this.set("done");
  }

  private async recover(error: DetailedError): Promise<void> {
    this.rate.reset();
    const response = error.causingError instanceof Refused ? error.causingError.response : error.originalResponse;
    const status = response?.getStatus() ?? 0;
    if (error.causingError instanceof ReadError || (error as Error) instanceof ReadError) return this.fail(texts.errors.reading);
    const { asked, sent } = this.stack;
    if (status === 0) {
      // Browsers report progress only now and then: a request that was cut soon may have sent anything.
      sizes.cut(sent || asked);
      return this.wait(0);
    }
    const refusal = errorOf(status, response!.getBody(), response!.getHeader("Retry-After") ?? null);
    // Without an error of ours, something in front of the server has answered.
    const isForeign = refusal.error === "";
    if (isForeign && (status === 408 || status === 504)) sizes.cut(sent || asked);
    if (isForeign && status === 413) return sizes.refuse(asked) ? this.wait(0) : this.fail(texts.errors.refusedRequest(size(asked)));
    if (status === 401) return this.stop("signIn");
    if (status === 412) {
      if (await this.isOurs()) return this.succeed();
      this.sent = 0;
      return this.stop("clash");
    }
    if (passing.includes(status)) return this.wait(refusal.retryAfter * 1000);
    const canPass = status === 404 || status === 409 || status === 460 || (status >= 500 && status !== 501 && status !== 507);
    if (canPass && this.serverErrors++ < maxServerErrors) return this.wait(0);
    this.fail(refusal.message);
  }

  /** Until the next attempt, which asks the server how much it has. */
  private wait(least: number): void {
    this.hasFailed = true;
    const delay = Math.max(least, waits[Math.min(this.failures++, waits.length - 1)]!);
    this.set("waiting");
    this.timer = window.setTimeout(() => this.start(), delay);
  }

  /** Whether the file that has the name is this one: its response was lost, and the second attempt found the name taken. */
  private async isOurs(): Promise<boolean> {
    if (!this.hasFailed || this.size > partBytes) return false;
    try {
      const [there, ours] = await Promise.all([stat(this.name, true), readPart(this.file!)]);
      return there.sha256 === ours.sha256;
    } catch {
      return false;
    }
  }

  /** Large files only: one that fits in a part is sent again as quickly as it is found. */
  private async remember(): Promise<void> {
    const url = this.upload?.url;
    if (!url || this.size <= partBytes || this.record?.url === url) return;
    this.forget();
    const record: UploadRecord = {
      name: this.name, wanted: this.wanted, size: this.size, modified: this.file!.lastModified, url, owner: owner(),
      ...(this.handle ? { handle: this.handle } : {}),
    };
    this.record = record;
    const id = await addRecord(record);
    if (id === undefined) return;
    if (this.record === record) record.id = id;
    else await removeRecord(id);
  }

  private forget(): void {
    if (this.record?.id !== undefined) void removeRecord(this.record.id);
    this.record = undefined;
  }

  private set(state: TaskState): void {
    this.state = state;
    this.changed(this);
  }
}

/** The time of the file's last change, in seconds, which the server gives to its copy. */
const modifiedOf = ({ lastModified }: File): { mtime?: string } => (lastModified >= 0 ? { mtime: String(lastModified / 1000) } : {});

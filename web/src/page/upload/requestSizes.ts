import { partBytes } from "./parts.ts";

/** No refusal and no cut makes requests smaller than this, which nginx accepts without a setting. */
const minBytes = 1024 * 1024;
/**
 * Requests in a row that have to get through after a cut before larger ones are tried; each trial in vain doubles it. As many as
 * in our other clients: Chromium itself sends a request twice more that was cut on a connection which it had used before.
 */
const firstPatience = 16;
const maxPatience = 1024;

/**
 * How many bytes of a file one request brings: less than a part where the server announces a limit, or something in front of it
 * refuses large requests or ends long ones. All uploads of the page share the learned sizes.
 */
export class RequestSizes {
  private announced = Infinity;
  private refused = Infinity;
  private size = partBytes;
  private wasCut = false;
  private isTrial = false;
  private count = 0;
  private patience = firstPatience;

  /** The most bytes of the next request. */
  get max(): number {
    return Math.min(this.size, this.announced);
  }

  /** Whether requests are smaller because of what happened to larger ones. */
  get isReduced(): boolean {
    return this.size < partBytes;
  }

  /** Obeys the limit that the server has announced. */
  announce(bytes: number | null | undefined): void {
    this.announced = bytes ?? Infinity;
  }

  /** A request of the largest size got through: larger ones are tried, but none as large as one that was refused. */
  gotThrough(): void {
    if ((this.wasCut && ++this.count < this.patience) || this.size * 2 >= this.refused) return;
    this.isTrial = this.wasCut && this.size < partBytes;
    this.size = Math.min(2 * this.size, partBytes);
    this.count = 0;
  }

  /** Something in front of the server refused a request because of its size. Returns whether the next one is smaller. */
  refuse(bytes: number): boolean {
    if (bytes <= minBytes) return false;
    this.refused = Math.min(this.refused, bytes);
    this.size = Math.min(this.size, Math.max(minBytes, Math.floor(bytes / 2)));
    return true;
  }

  /** A connection ended in a request: the next one brings at most half of what got through while it lived. */
  cut(sent: number): void {
    // A request without a part: the server is away, which has nothing to do with sizes.
    if (sent <= 0) return;
    if (this.isTrial) this.patience = Math.min(2 * this.patience, maxPatience);
    this.isTrial = false;
    this.size = Math.min(this.size, Math.max(minBytes, Math.floor(sent / 2)));
    this.wasCut = true;
    this.count = 0;
  }
}

export const sizes = new RequestSizes();

import type { HttpRequest, HttpResponse, HttpStack } from "tus-js-client";
import { linkField } from "../link.ts";
import type { Part } from "./parts.ts";

/** The condition on the name when an upload begins. */
export type Precondition = ["If-None-Match", "*"] | ["If-Match", string];

/** Sends the requests of tus: a part goes with its checksum, and a new upload with its precondition. */
export class ChecksummedStack implements HttpStack {
  /** Bytes that the last request was to bring, and those that the browser has sent of it. */
  asked = 0;
  sent = 0;

  constructor(private readonly precondition?: Precondition) {}

  createRequest(method: string, url: string): HttpRequest {
    const request = new Request(method, url, this);
    if (method === "POST" && this.precondition) request.setHeader(this.precondition[0], this.precondition[1]);
    return request;
  }

  getName(): string {
    return "ChecksummedStack";
  }
}

/**
 * A response to the HEAD request for the offset that does not describe the upload, such as 401 or a proxy's 502. tus-js-client would
 * start over with a new upload for all but 423: https://github.com/tus/tus-js-client/issues/579
 */
export class Refused extends Error {
  constructor(readonly response: HttpResponse) {
    super("The server did not return the offset of the upload.");
  }
}

const isRefused = (method: string, status: number): boolean => method === "HEAD" && (status < 200 || status > 299) && status !== 404 && status !== 410;

class Request implements HttpRequest {
  private readonly xhr = new XMLHttpRequest();
  private readonly headers: Record<string, string> = {};
  private isAborted = false;

  constructor(private readonly method: string, private readonly url: string, private readonly stack: ChecksummedStack) {
    this.xhr.open(method, url);
    for (const [name, value] of Object.entries(linkField())) this.xhr.setRequestHeader(name, value);
  }

  getMethod = (): string => this.method;
  getURL = (): string => this.url;
  getHeader = (name: string): string | undefined => this.headers[name];
  getUnderlyingObject = (): XMLHttpRequest => this.xhr;

  setHeader(name: string, value: string): void {
    this.xhr.setRequestHeader(name, value);
    this.headers[name] = value;
  }

  setProgressHandler(handler: (bytesSent: number) => void): void {
    this.xhr.upload.onprogress = (event) => {
      this.stack.sent = event.loaded;
      handler(event.loaded);
    };
  }

  send(part: Part | null): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      // Aborted while the part was read: tus expects no answer, and nothing may be sent.
      if (this.isAborted) return;
      this.stack.asked = part?.size ?? 0;
      this.stack.sent = 0;
      if (part && part.size > 0) this.setHeader("Upload-Checksum", `sha256 ${part.sha256}`);
      this.xhr.onload = () => {
        const response: HttpResponse = {
          getStatus: () => this.xhr.status,
          getHeader: (name) => this.xhr.getResponseHeader(name) as string,
          getBody: () => this.xhr.responseText,
          getUnderlyingObject: () => this.xhr,
        };
        if (isRefused(this.method, this.xhr.status)) reject(new Refused(response));
        else resolve(response);
      };
      this.xhr.onerror = reject;
      this.xhr.ontimeout = reject;
      this.xhr.send(part?.blob ?? null);
    });
  }

  abort(): Promise<void> {
    this.isAborted = true;
    this.xhr.abort();
    return Promise.resolve();
  }
}

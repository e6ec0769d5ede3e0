import type { HttpRequest, HttpResponse, HttpStack } from "tus-js-client";
import type { Part } from "./parts.ts";

/** Sends the requests of tus: a part goes with its checksum, and a new file only where its name is free. */
export class ChecksummedStack implements HttpStack {
  constructor(private readonly mustBeNew: boolean) {}

  createRequest(method: string, url: string): HttpRequest {
    const request = new Request(method, url);
    if (method === "POST" && this.mustBeNew) request.setHeader("If-None-Match", "*");
    return request;
  }

  getName(): string {
    return "ChecksummedStack";
  }
}

class Request implements HttpRequest {
  private readonly xhr = new XMLHttpRequest();
  private readonly headers: Record<string, string> = {};
  private isAborted = false;

  constructor(private readonly method: string, private readonly url: string) {
    this.xhr.open(method, url);
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
    this.xhr.upload.onprogress = (event) => handler(event.loaded);
  }

  send(part: Part | null): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      // Aborted while the part was read: tus expects no answer, and nothing may be sent.
      if (this.isAborted) return;
      if (part && part.size > 0) this.setHeader("Upload-Checksum", `sha256 ${part.sha256}`);
      this.xhr.onload = () => resolve({
        getStatus: () => this.xhr.status,
        getHeader: (name) => this.xhr.getResponseHeader(name) as string,
        getBody: () => this.xhr.responseText,
        getUnderlyingObject: () => this.xhr,
      });
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

const windowMs = 6000;

/** Bytes per second over the last seconds. */
export class Rate {
  private samples: { at: number; bytes: number }[] = [];

  add(bytes: number): void {
    const at = performance.now();
    const last = this.samples.at(-1);
    if (last && at - last.at < 100) last.bytes += bytes;
    else this.samples.push({ at, bytes });
    while (this.samples.length > 2 && at - this.samples[0]!.at > windowMs) this.samples.shift();
  }

  reset(): void {
    this.samples = [];
  }

  get perSecond(): number {
    const first = this.samples[0];
    if (!first || this.samples.length < 2) return 0;
    const bytes = this.samples.reduce((sum, sample) => sum + sample.bytes, 0) - first.bytes;
    return (bytes * 1000) / Math.max(performance.now() - first.at, 1);
  }
}

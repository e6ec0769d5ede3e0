/** Which names are selected, and from which one a range grows. */
export class Selection {
  readonly names = new Set<string>();
  /** A name, because rows shift when files arrive. */
  anchor: string | undefined;

  constructor(private readonly nameAt: (row: number) => string | undefined, private readonly rowOf: (name: string) => number) {}

  get size(): number {
    return this.names.size;
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  toggle(row: number): void {
    const name = this.nameAt(row);
    if (name === undefined) return;
    if (!this.names.delete(name)) this.names.add(name);
    this.anchor = name;
  }

  /** Selects all from the anchor, or without one from another row, and nothing else. */
  extendTo(row: number, otherwise = row): void {
    let from = this.anchor === undefined ? -1 : this.rowOf(this.anchor);
    if (from < 0) {
      from = otherwise;
      this.anchor = this.nameAt(from);
    }
    this.names.clear();
    for (let at = Math.min(row, from); at <= Math.max(row, from); at++) {
      const name = this.nameAt(at);
      if (name !== undefined) this.names.add(name);
    }
  }

  selectAll(count: number): void {
    this.anchor = undefined;
    this.extendTo(count - 1, 0);
  }

  clear(): void {
    this.names.clear();
    this.anchor = undefined;
  }
}

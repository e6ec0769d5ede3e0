/** Which names are selected, and from which one a range grows. */
export class Selection {
  readonly names = new Set<string>();
  anchor = 0;

  constructor(private readonly nameAt: (row: number) => string | undefined) {}

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
    this.anchor = row;
  }

  /** Selects all from the anchor to a row, and nothing else. */
  extendTo(row: number): void {
    this.names.clear();
    for (let at = Math.min(row, this.anchor); at <= Math.max(row, this.anchor); at++) {
      const name = this.nameAt(at);
      if (name !== undefined) this.names.add(name);
    }
  }

  selectAll(count: number): void {
    this.anchor = 0;
    this.extendTo(count - 1);
  }

  clear(): void {
    this.names.clear();
  }
}

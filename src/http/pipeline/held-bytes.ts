// What connections hold of the memory, all of them together: requests that wait, or answers that nobody takes.

export interface Holder {
  /** Ends the connection. */
  giveWay(): void;
}

/** Keeps the sum; beyond the limit the connection that has held something for longest gives way. */
export class HeldBytes {
  readonly #atMost: number;
  /** In the order in which they began to hold something. */
  readonly #held = new Map<Holder, number>();
  #bytes = 0;

  constructor(atMost: number) {
    this.#atMost = atMost;
  }

  /** Replaces what this one held before; 0: nothing any more. */
  hold(who: Holder, bytes: number): void {
    const before = this.#held.get(who) ?? 0;
    if (bytes === before) return;
    this.#bytes += bytes - before;
    if (bytes === 0) this.#held.delete(who);
    else this.#held.set(who, bytes);
    while (this.#bytes > this.#atMost) {
      const [oldest] = this.#held;
      if (oldest === undefined) return;
      this.hold(oldest[0], 0);
      oldest[0].giveWay();
    }
  }
}

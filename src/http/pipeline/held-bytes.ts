// The memory that all connections together hold: requests that wait, or answers that clients do not read.

export interface Holder {
  /** Closes the connection. */
  evict(): void;
}

/** Keeps the sum. Beyond the limit it closes the connection that has held bytes for longest. */
export class HeldBytes {
  readonly #atMost: number;
  /** In the order in which the connections began to hold bytes. */
  readonly #held = new Map<Holder, number>();
  #bytes = 0;

  constructor(atMost: number) {
    this.#atMost = atMost;
  }

  /** Replaces the number of bytes that `who` held before; 0: none any more. */
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
      oldest[0].evict();
    }
  }
}

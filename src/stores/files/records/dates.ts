// The dates of lines, in the order of the lines, so that a range can be counted without a look at each date. The dates nearly rise, so for
// most blocks the lowest and highest date are enough.

const blockLength = 256;

/** A class, so that its methods are shared: each lock that was used today has one. */
export class Dates {
  count = 0;
  /** In epoch milliseconds; values from index `count` on mean nothing. */
  values = new Float64Array(8);
  /** The lowest date of each block. */
  readonly #lowest: number[] = [];
  readonly #highest: number[] = [];

  /** Adds a date at the end. */
  add(date: number): void {
    this.#makeRoom();
    this.values[this.count] = date;
    const block = Math.floor(this.count / blockLength);
    this.count += 1;
    this.#lowest[block] = Math.min(this.#lowest[block] ?? date, date);
    this.#highest[block] = Math.max(this.#highest[block] ?? date, date);
  }

  /** Inserts a date at index `n`; the cost depends on the number of dates behind it. */
  insert(n: number, date: number): void {
    this.#makeRoom();
    this.values.copyWithin(n + 1, n, this.count);
    this.values[n] = date;
    this.count += 1;
    for (let block = Math.floor(n / blockLength); block * blockLength < this.count; block++) {
      const dates = this.values.subarray(block * blockLength, Math.min(this.count, (block + 1) * blockLength));
      this.#lowest[block] = dates.reduce((lowest, one) => Math.min(lowest, one));
      this.#highest[block] = dates.reduce((highest, one) => Math.max(highest, one));
    }
  }

  /** How many dates lie between both (inclusive). */
  matching(from: number, to: number): number {
    let matching = 0;
    for (let block = 0; block * blockLength < this.count; block++) matching += this.#matchingIn(block, from, to);
    return matching;
  }

  /** The indexes of the dates between both, last one first, without the first `skip`, at most `take`. */
  newest(from: number, to: number, skip: number, take: number): number[] {
    const found: number[] = [];
    let left = skip;
    for (let block = Math.ceil(this.count / blockLength) - 1; block >= 0 && found.length < take; block--) {
      const matching = this.#matchingIn(block, from, to);
      if (matching <= left) left -= matching;
      else {
        const end = Math.min(this.count, (block + 1) * blockLength);
        for (let n = end - 1; n >= block * blockLength && found.length < take; n--) {
          if (!this.#isWithin(n, from, to)) continue;
          if (left > 0) left -= 1;
          else found.push(n);
        }
      }
    }
    return found;
  }

  #matchingIn(block: number, from: number, to: number): number {
    const start = block * blockLength;
    const end = Math.min(this.count, start + blockLength);
    const [lowest, highest] = [this.#lowest[block] as number, this.#highest[block] as number];
    if (from <= lowest && highest <= to) return end - start;
    if (highest < from || to < lowest) return 0;
    let matching = 0;
    for (let n = start; n < end; n++) if (this.#isWithin(n, from, to)) matching += 1;
    return matching;
  }
  #isWithin(n: number, from: number, to: number): boolean {
    const date = this.values[n] as number;
    return from <= date && date <= to;
  }
  #makeRoom(): void {
    if (this.count < this.values.length) return;
    const wider = new Float64Array(this.values.length * 2);
    wider.set(this.values);
    this.values = wider;
  }
}

// The dates of lines, in the order of the lines: which of them lie in a range is told without a look at each. Dates nearly rise, so of a
// block of them the lowest and the highest say it, for nearly all blocks.

const blockLength = 256;

/** A class, for its methods are shared: each lock that has been used today has one. */
export class Dates {
  count = 0;
  /** In epoch milliseconds; those from `count` on mean nothing. */
  values = new Float64Array(8);
  /** Of each block. */
  readonly #lowest: number[] = [];
  readonly #highest: number[] = [];

  /** Behind all others. */
  add(date: number): void {
    this.#makeRoom();
    this.values[this.count] = date;
    const block = Math.floor(this.count / blockLength);
    this.count += 1;
    this.#lowest[block] = Math.min(this.#lowest[block] ?? date, date);
    this.#highest[block] = Math.max(this.#highest[block] ?? date, date);
  }

  /** As the one with number `n`; costs as much as follows it. */
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

  /** How many lie between both, included. */
  matching(from: number, to: number): number {
    let matching = 0;
    for (let block = 0; block * blockLength < this.count; block++) matching += this.#matchingIn(block, from, to);
    return matching;
  }

  /** The numbers of those that lie between both, the last one first, without the first `skip`, at most `take`. */
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

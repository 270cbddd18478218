// The one packet of a connection that has not come whole yet. Its memory grows with the bytes that have come, never with what a
// header claims (Fault T12).

const nothing = Buffer.alloc(0);
const smallestBytes = 64;

/** A class: thousands of connections may have one. */
export class PartialPacket {
  #buffer: Buffer = nothing;
  #size = 0;
  /** As the header says; 0 until the header is whole. */
  #total = 0;

  /** Bytes that have come of it. */
  size(): number {
    return this.#size;
  }

  /** How many more complete it; 1 when not even its header is whole. */
  missing(): number {
    return Math.max(1, this.#total - this.#size);
  }

  /** Copies the bytes: a slice would hold on to the whole chunk. `totalBytes`, when the header says so by now, is the size of the packet. */
  append(bytes: Buffer, totalBytes = this.#total): void {
    this.#total = totalBytes;
    const needed = this.#size + bytes.length;
    if (needed > this.#buffer.length) {
      // Of its own memory: many small ones would hold on to many pieces of the common pool. At most twice what has come.
      const grown = Buffer.allocUnsafeSlow(Math.max(smallestBytes, needed, Math.min(this.#total, 2 * needed)));
      this.#buffer.copy(grown, 0, 0, this.#size);
      this.#buffer = grown;
    }
    bytes.copy(this.#buffer, this.#size);
    this.#size = needed;
  }

  /** All of it with what completes it, after which it is done with; `rest` is what the chunk has beyond, if anything. */
  complete(chunk: Buffer): { readonly bytes: Buffer; readonly rest: Buffer | undefined } {
    const taken = this.#total === 0 ? chunk : chunk.subarray(0, this.#total - this.#size);
    this.append(taken);
    return { bytes: this.#buffer.subarray(0, this.#size), rest: taken.length < chunk.length ? chunk.subarray(taken.length) : undefined };
  }
}

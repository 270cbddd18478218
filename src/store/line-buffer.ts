// Checked lines, one behind the other, in the buffer from which they are written. They are put there when they come, not when they are
// flushed: thousands of events wait for a flush, and strings put together piece by piece would be ten objects for each, all of
// which the collector of garbage copies twice.
import { checkedExtra, writeChecked } from './checked-line.ts';

/** What most groups need; beyond `keptBytes` a buffer is not kept for the next ones. */
const firstBytes = 64 << 10;
const keptBytes = 4 << 20;

export class LineBuffer {
  /** Of each line, with its newline. */
  readonly lengths: number[] = [];
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** Bytes of all lines. */
  length(): number {
    return this.#length;
  }

  /** What is given is good until `clear`. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** The lines of these bodies. */
  add(bodies: readonly string[]): void {
    let characters = 0;
    for (const body of bodies) characters += body.length;
    this.#makeRoom(3 * characters + bodies.length * checkedExtra);
    this.#length = writeChecked(this.#bytes, this.#length, bodies, this.lengths);
  }

  clear(): void {
    this.lengths.length = 0;
    this.#length = 0;
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.alloc(0);
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#bytes.length) return;
    const wider = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#bytes.length, firstBytes));
    this.#bytes.copy(wider, 0, 0, this.#length);
    this.#bytes = wider;
  }
}

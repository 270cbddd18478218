// Two ends of a connection in memory. What is written comes out at the other end in pieces of any size, with pauses between them.
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Random } from './seeded-random.ts';

export class ChoppyEnd extends Duplex {
  /** Nothing that this end writes arrives as long as it is stuck. */
  isStuck = false;
  writes = 0;
  other: ChoppyEnd | undefined;
  readonly #random: Random | undefined;

  constructor(random?: Random) {
    super();
    this.#random = random;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.writes += 1;
    void this.#deliver(chunk).then(callback);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], callback: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', callback);
  }

  async #deliver(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      do await turn();
      while (this.isStuck || this.#random?.chance(0.3));
      if (this.destroyed || this.other?.destroyed) return;
      const size = this.#random === undefined ? chunk.length : 1 + this.#random.below(this.#random.pick([3, 40, 3_000, 70_000]));
      this.other?.push(Buffer.from(chunk.subarray(at, at + size)));
      at += size;
    }
  }

  override _final(callback: () => void): void {
    this.other?.push(null);
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    setImmediate(() => this.other?.destroy());
    callback(error);
  }
}

export function createChoppyPair(random?: Random): readonly [ChoppyEnd, ChoppyEnd] {
  const ends = [new ChoppyEnd(random), new ChoppyEnd(random)] as const;
  ends[0].other = ends[1];
  ends[1].other = ends[0];
  return ends;
}

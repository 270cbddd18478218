// The reads of one connection, at its pace: a little at a time, and only when it is its turn.
import type { Duplex } from 'node:stream';
import type { Lane } from './read-scheduler.ts';

/** Where whole packets are looked for. */
export interface Source {
  /** What there is, or null when there is nothing or it is to be read later; at least so many bytes if they are there. */
  read(atLeast: number): Buffer | null;
  /** How Node itself asks for more to be fetched. */
  fetch(): void;
}

type Read = (this: Duplex, size?: number) => Buffer | null;

/** What is not read stays with the stream, whose own back-pressure then holds up the sender. Without a lane it is always its turn. */
export class PacedReads implements Source {
  readonly #stream: Duplex;
  readonly #read: Read;
  readonly #lane: Pick<Lane, 'mayRead'> | undefined;
  readonly #readBytes: number;

  constructor(stream: Duplex, readBytes = Number.POSITIVE_INFINITY, lane?: Pick<Lane, 'mayRead'>) {
    this.#stream = stream;
    // Not bound: that would be a function more for each of thousands.
    this.#read = stream.read;
    this.#readBytes = readBytes;
    this.#lane = lane;
  }

  read(atLeast: number): Buffer | null {
    const available = this.#stream.readableLength;
    if (available > 0 && this.#lane?.mayRead() === false) return null;
    const size = Math.max(this.#readBytes, atLeast);
    // Asked for more than there is, a stream gives nothing.
    return this.#read.call(this.#stream, size < available ? size : undefined);
  }

  fetch(): void {
    this.#read.call(this.#stream, 0);
  }
}

// What is sent to one connection: the packets of one turn of the event loop leave in one write. A write is a system call and
// costs more than all else that is done for a PUBACK, of which a flush of the disk releases hundreds at once.
import type { Duplex } from 'node:stream';

/** A class, and without arrays while there is nothing to send: there are thousands. */
export class Outbox {
  readonly #stream: Duplex;
  readonly #flushSoon: (outbox: Outbox) => void;
  #packets: Buffer[] | undefined;
  #callbacks: (() => void)[] | undefined;
  #bytes = 0;

  /** `flushSoon`: has it flushed at the end of this turn. */
  constructor(stream: Duplex, flushSoon: (outbox: Outbox) => void) {
    this.#stream = stream;
    this.#flushSoon = flushSoon;
  }

  send(packet: Buffer, whenTaken?: () => void): void {
    this.#bytes += packet.length;
    if (whenTaken !== undefined) {
      this.#callbacks ??= [];
      this.#callbacks.push(whenTaken);
    }
    if (this.#packets !== undefined) {
      this.#packets.push(packet);
      return;
    }
    this.#packets = [packet];
    this.#flushSoon(this);
  }

  /** Written, or about to be, and not yet taken by the other side. */
  unreadBytes(): number {
    return this.#stream.writableLength + this.#bytes;
  }

  flush(): void {
    const packets = this.#packets ?? [];
    const taken = this.#callbacks;
    this.#packets = undefined;
    this.#callbacks = undefined;
    this.#bytes = 0;
    const stream = this.#stream;
    // Nobody is there any more.
    if (stream.destroyed || !stream.writable) return;
    const all = packets.length === 1 ? (packets[0] as Buffer) : Buffer.concat(packets);
    if (taken === undefined) stream.write(all);
    else stream.write(all, () => taken.forEach((callback) => void callback()));
  }
}

// What is sent to one connection: the packets of one turn of the event loop leave in one write. A write is a system call and
// costs more than all else that is done for a PUBACK, of which a flush of the disk releases hundreds at once. And the end of a
// connection whose other side takes nothing (Fault T14).
import type { Duplex } from 'node:stream';
import type { Clock } from '../domain/clock.ts';
import { pubackPackets, publishPacket } from './outgoing-packets.ts';

/** The same for all connections. */
export interface WriteBufferOptions {
  readonly clock: Pick<Clock, 'timer'>;
  /** Has it flushed at the end of this turn. */
  flushSoon(buffer: WriteBuffer): void;
}

/** The connection. */
interface Owner {
  readonly stream: Duplex;
  /** False: nothing may be sent any more; the process may have stood still since a packet was given to the buffer. */
  mayServe(): boolean;
  /** The other side takes too little. May be called again until `end`. */
  onStuck(): void;
}

/** More than this unread: PUBACKs would fill the memory. */
const maxUnreadBytes = 65_536;
/** So much may be on its way at any time; beyond that the other side is watched. */
const usualUnreadBytes = 1_024;
const stuckMs = 5_000;
/** [MQTT-2.3.1-1]; at most 16 commands wait for a lock, so that a number is free again long before it comes round. */
const maxMessageId = 0xffff;

/** A class, and without arrays while there is nothing to send: there are thousands. */
export class WriteBuffer {
  readonly #owner: Owner;
  readonly #options: WriteBufferOptions;
  #packets: Buffer[] | undefined;
  #bytes = 0;
  #messageId = 0;
  /** The PUBACKs in the next write, and all before them, are awaited. */
  #isAwaited = false;
  #cancelWatch: (() => void) | undefined;

  constructor(owner: Owner, options: WriteBufferOptions) {
    this.#owner = owner;
    this.#options = options;
  }

  send(packet: Buffer): void {
    this.#bytes += packet.length;
    if (this.#packets !== undefined) {
      this.#packets.push(packet);
      return;
    }
    this.#packets = [packet];
    this.#options.flushSoon(this);
  }

  publish(topic: string, payload: string, qos: 0 | 1): void {
    if (qos === 1) this.#messageId = (this.#messageId % maxMessageId) + 1;
    this.send(publishPacket(topic, payload, qos === 1 ? this.#messageId : undefined));
  }

  /** PUBACKs, in this order; the other side is to take them in time. */
  acknowledge(messageIds: readonly number[]): void {
    const unread = this.#owner.stream.writableLength + this.#bytes;
    if (unread > usualUnreadBytes && this.#cancelWatch === undefined) {
      this.#cancelWatch = this.#options.clock.timer(stuckMs, () => this.#owner.onStuck());
      this.#isAwaited = true;
    }
    this.send(pubackPackets(messageIds));
    if (unread > maxUnreadBytes) this.#owner.onStuck();
  }

  flush(): void {
    const packets = this.#packets ?? [];
    const isAwaited = this.#isAwaited;
    this.#packets = undefined;
    this.#bytes = 0;
    this.#isAwaited = false;
    const { stream } = this.#owner;
    // Nobody is there any more.
    if (stream.destroyed || !stream.writable || !this.#owner.mayServe()) return;
    const all = packets.length === 1 ? (packets[0] as Buffer) : Buffer.concat(packets);
    if (isAwaited) stream.write(all, () => this.end());
    else stream.write(all);
  }

  /** The other side is watched no longer: it has taken what was awaited, or the connection has ended. Idempotent. */
  end(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = undefined;
  }
}

// What is sent to one connection: the packets of one turn of the event loop leave in one write. A write is a system call and
// costs more than all else that is done for a PUBACK, of which a flush of the disk releases hundreds at once.
import type { Duplex } from 'node:stream';

export interface Outbox {
  send(packet: Buffer, whenTaken?: () => void): void;
  /** Written, or about to be, and not yet taken by the other side. */
  unreadBytes(): number;
}

export function createOutbox(stream: Duplex): Outbox {
  let packets: Buffer[] = [];
  let callbacks: (() => void)[] = [];
  let bytes = 0;

  function flush(): void {
    const all = packets.length === 1 ? (packets[0] as Buffer) : Buffer.concat(packets);
    const taken = callbacks;
    packets = [];
    callbacks = [];
    bytes = 0;
    // Nobody is there any more.
    if (stream.destroyed || !stream.writable) return;
    if (taken.length === 0) stream.write(all);
    else stream.write(all, () => taken.forEach((callback) => void callback()));
  }

  return {
    send(packet, whenTaken) {
      // After everything that is due now, promises included: those whose events one flush has stored are answered together.
      if (packets.push(packet) === 1) process.nextTick(flush);
      bytes += packet.length;
      if (whenTaken !== undefined) callbacks.push(whenTaken);
    },
    unreadBytes: () => stream.writableLength + bytes,
  };
}

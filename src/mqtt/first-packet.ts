// A stranger's socket is nothing to the broker before its first packet is whole: who says nothing, or not enough, costs a socket and
// no client (Fault T12).
import type { Duplex } from 'node:stream';

/** Calls `begin` once, when a reader that it attaches will find the first packet. Until then this is the stream's only reader. */
export function onFirstPacket(stream: Duplex, begin: () => void): void {
  const read = stream.read;
  const look = (): void => {
    const first: unknown = stream.read();
    if (first === null) return;
    stream.off('readable', look);
    stream.read = (size) => {
      if (size === 0) return read.call(stream, size);
      stream.read = read;
      return first;
    };
    begin();
    stream.emit('readable');
  };
  stream.on('readable', look);
  // Whoever resets a connection that nobody reads yet.
  stream.on('error', () => undefined);
}

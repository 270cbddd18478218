// The reads of one connection, at its pace: a little at a time, and only when it is its turn.
import type { Duplex } from 'node:stream';
import type { Lane, Pacing } from './pacing.ts';

/**
 * Filters what `stream.read()` gives, as the frame guard above it does, and under the same rules for the reader. What is not
 * read stays with the stream, whose own back-pressure then holds up the sender.
 */
export function paceReads(stream: Duplex, pacing: Pacing, isUrgent: () => boolean): Lane {
  const readAtOnce = stream.read.bind(stream);
  const { readBytes } = pacing.limits;
  const lane = pacing.enter({ isUrgent, resume: () => void stream.emit('readable') });
  stream.on('close', lane.leave);
  stream.read = (size = readBytes): unknown => {
    // How Node itself asks for more to be fetched: gives nothing.
    if (size === 0) return readAtOnce(0);
    const available = stream.readableLength;
    if (available > 0 && !lane.mayRead()) return null;
    // Asked for more than there is, a stream gives nothing.
    return readAtOnce(size < available ? size : undefined);
  };
  return lane;
}

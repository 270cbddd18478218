// Whether the process stood still: stopped, swapped out, starved. What lay in its sockets meanwhile is read afterwards as if it had just
// come; but no door opens for who asked long ago and has given up, nor later than he waits for it.

import type { Clock } from '../clock.ts';
import type { Emit } from '../event-bus.ts';
import type { Part } from '../part.ts';

export interface StallDetector extends Part {
  /** On the monotonic clock: since when what is read now may have waited; a beat ago at most, unless the process stood still. */
  requestTime(): number;
  /** After a standstill: resolves when it has been read who of those that asked has gone. undefined: there is nothing to wait for. */
  settled(): Promise<void> | undefined;
}

/** Between two beats, at most: who asks between them has so much less time. */
const longestBeatMs = 50;
const shortestBeatMs = 5;
const beatsInTimeout = 20;
/** No timer is more exact. */
const jitterMs = 5;
/** Later than that a beat is no mere delay of a turn. */
const lateMs = 100;
/** So long that it is said in the log. */
const longMs = 2_000;
/** What came during a standstill has been read when as much time again is over, and by then: connections first, what they ask in later turns. */
const readWithinMs = 1_000;
/** A request and the end of its connection are read in different turns, but close together. */
const goneWithinMs = 100;
/** After a short standstill there is less to read. */
const goneWithinTurns = 5;
const turnMs = 2;

/** Before its start, and without one, nothing has ever stood still. */
export function createStallDetector(options: {
  readonly clock: Clock;
  readonly emit: Emit;
  /** What callers wait at most. */
  readonly commandTimeoutMs: number;
}): StallDetector {
  const { clock, emit } = options;
  const beatMs = Math.max(shortestBeatMs, Math.min(longestBeatMs, options.commandTimeoutMs / beatsInTimeout));
  let beatAt: number | undefined;
  /** What came before then has been read. */
  let readUpTo = 0;
  let last = { since: 0, readBy: Number.NEGATIVE_INFINITY, isLong: false };
  let cancel = (): void => undefined;

  /** One that goes on while what came in the last one is still being read is the same. */
  function look(): typeof last {
    const now = clock.monotonic();
    const silentMs = beatAt === undefined ? 0 : now - beatAt;
    if (silentMs > lateMs) {
      const isLong = silentMs > longMs;
      if (isLong) emit('stood-still', { ms: Math.round(silentMs) });
      const goesOn = now < last.readBy;
      last = {
        since: goesOn ? last.since : readUpTo,
        readBy: now + Math.min(silentMs, readWithinMs),
        isLong: isLong || (goesOn && last.isLong),
      };
      beatAt = now;
    }
    return last;
  }
  function beat(): void {
    look();
    const now = clock.monotonic();
    // What came while a beat was late is read in the turn after it.
    readUpTo = beatAt === undefined || now - beatAt <= beatMs + jitterMs ? now : beatAt;
    beatAt = now;
    cancel = clock.timer(beatMs, beat);
  }
  const isAfter = (): boolean => clock.monotonic() < look().readBy;

  async function turns(): Promise<void> {
    for (let n = 0; n < goneWithinTurns; n++) await new Promise<void>((resolve) => void clock.timer(turnMs, resolve));
  }

  return {
    name: 'standstill',
    async start() {
      beat();
    },
    async stop() {
      cancel();
      beatAt = undefined;
    },
    requestTime() {
      if (isAfter()) return last.since;
      return beatAt === undefined ? clock.monotonic() : readUpTo;
    },
    settled() {
      if (!isAfter()) return undefined;
      return last.isLong ? new Promise((resolve) => void clock.timer(goneWithinMs, resolve)) : turns();
    },
  };
}

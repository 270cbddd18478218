// Detects that the process stood still: stopped, swapped out or starved. Afterwards it reads what lay in its sockets as if it had just
// come. But no door may open for a client that asked long ago and has given up, nor later than the client waits.

import type { Clock } from '../clock.ts';
import type { Emit } from '../event-bus.ts';
import type { Part } from '../part.ts';

export interface StallDetector extends Part {
  /**
   * Time on the monotonic clock since when a request that is read now may have waited: at most a beat ago, unless the process stood still.
   */
  requestTime(): number;
  /**
   * After a stall: resolves when the gateway has read which clients have closed their connections. undefined: there is nothing to wait for.
   */
  settled(): Promise<void> | undefined;
}

/** The longest time between two beats: a client that asks between them has so much less time. */
const longestBeatMs = 50;
const shortestBeatMs = 5;
const beatsInTimeout = 20;
/** No timer is more exact. */
const jitterMs = 5;
/** A beat that is later than this is more than a slow tick of the event loop. */
const lateMs = 100;
/** A stall of at least this length appears in the log. */
const longMs = 2_000;
/** What came during a stall is read after as much time again, at most this long: connections first, their requests in later ticks. */
const readWithinMs = 1_000;
/** A request and the end of its connection are read in different ticks, but close together. */
const goneWithinMs = 100;
/** After a short stall there is less to read. */
const goneWithinTurns = 5;
const turnMs = 2;

/** A detector that is not started reports no stall. */
export function createStallDetector(options: {
  readonly clock: Clock;
  readonly emit: Emit;
  /** How long callers wait at most. */
  readonly commandTimeoutMs: number;
}): StallDetector {
  const { clock, emit } = options;
  const beatMs = Math.max(shortestBeatMs, Math.min(longestBeatMs, options.commandTimeoutMs / beatsInTimeout));
  let beatAt: number | undefined;
  /** Everything that came before this time has been read. */
  let readUpTo = 0;
  let last = { since: 0, readBy: Number.NEGATIVE_INFINITY, isLong: false };
  let cancel = (): void => undefined;

  /** A stall that follows while the gateway still reads what came during the last one counts as the same. */
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
    // What came while a beat was late is read in the tick after it.
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

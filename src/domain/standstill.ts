// Whether the process stood still: stopped, swapped out, starved. What lay in its sockets meanwhile is read afterwards as if it had just
// come; but no door opens for who asked long ago and has given up (Protocol 5.4 rule 1).
import type { Notify } from './notice.ts';
import type { Part } from './part.ts';
import type { Clock } from './ports.ts';

export interface Standstill extends Part {
  /** On the monotonic clock: since when what is read now may have waited; now, unless the process stood still. */
  askedAt(): number;
  /** After a standstill: resolves when it has been read who of those that asked has gone. undefined: there is nothing to wait for. */
  aftermath(): Promise<void> | undefined;
}

const beatMs = 500;
/** Later than that a beat is no mere delay. */
const lateMs = 2_000;
/** What came during a standstill has been read by then: connections first, what they ask in later turns. */
const readWithinMs = 1_000;
/** A request and the end of its connection are read in different turns, but close together. */
const goneWithinMs = 100;

/** Before its start, and without one, nothing has ever stood still. */
export function createStandstill({ clock, notify }: { readonly clock: Clock; readonly notify: Notify }): Standstill {
  let beatAt: number | undefined;
  let last = { since: 0, readBy: Number.NEGATIVE_INFINITY };
  let cancel = (): void => undefined;

  /** One that goes on while what came in the last one is still being read is the same. */
  function look(): typeof last {
    const now = clock.monotonic();
    if (beatAt !== undefined && now - beatAt > lateMs) {
      notify({ kind: 'stood-still', ms: Math.round(now - beatAt) });
      last = { since: now < last.readBy ? last.since : beatAt, readBy: now + readWithinMs };
      beatAt = now;
    }
    return last;
  }
  function beat(): void {
    look();
    beatAt = clock.monotonic();
    cancel = clock.timer(beatMs, beat);
  }
  const isAfter = (): boolean => clock.monotonic() < look().readBy;

  return {
    name: 'standstill',
    async start() {
      beat();
    },
    async stop() {
      cancel();
      beatAt = undefined;
    },
    askedAt: () => (isAfter() ? last.since : clock.monotonic()),
    aftermath: () => (isAfter() ? new Promise((resolve) => void clock.timer(goneWithinMs, resolve)) : undefined),
  };
}

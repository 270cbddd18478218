// Compares the clocks of the locks with the gateway's own clock.

import type { Clock } from '../clock.ts';
import type { LockId } from './lock.ts';
import type { LockStore } from './lock-ports.ts';

/** How many clocks must agree with each other, and differ from ours. */
const agreeingLocks = 3;
const agreeMs = 60_000;
const namedLocks = 3;
const dayMs = 86_400_000;

export interface ClockEvidence {
  /** A lock is online and has reported this date; undefined: it reported none. */
  heard(lockId: LockId, date: number | undefined): void;
  /** A sentence for the operator; undefined: there is no evidence against our clock. */
  evidence(): string | undefined;
}

export function createClockEvidence({ clock, locks }: { readonly clock: Clock; readonly locks: Pick<LockStore, 'get'> }): ClockEvidence {
  /** The reported dates, minus the monotonic clock at that moment. */
  const said = new Map<LockId, number>();
  const offsetNow = (): number => clock.now() - clock.monotonic();

  /** The largest group of locks whose clocks agree. */
  function agreeing(): readonly (readonly [lockId: LockId, offset: number])[] {
    for (const lockId of said.keys()) if (locks.get(lockId) === undefined) said.delete(lockId);
    const all = [...said].sort(([, a], [, b]) => a - b);
    let from = 0;
    let most: typeof all = [];
    for (const [to, [, highest]] of all.entries()) {
      while (highest - (all[from]?.[1] ?? highest) > agreeMs) from += 1;
      if (to + 1 - from > most.length) most = all.slice(from, to + 1);
    }
    return most;
  }

  return {
    heard(lockId, date) {
      if (date === undefined) said.delete(lockId);
      else said.set(lockId, date - clock.monotonic());
    },
    evidence() {
      const agree = agreeing();
      const middle = agree[agree.length >> 1]?.[1];
      if (agree.length < agreeingLocks || middle === undefined || Math.abs(middle - offsetNow()) <= agreeMs) return undefined;
      const names = agree.slice(0, namedLocks).map(([lockId]) => `"${locks.get(lockId)?.alias}"`);
      const others = agree.length > names.length ? ` and ${agree.length - names.length} more` : '';
      const ahead = middle > offsetNow() ? 'ahead of it' : 'behind it';
      return `the clocks of ${agree.length} locks agree with one another and are ${spanText(Math.abs(middle - offsetNow()))} ${ahead}: ${names.join(', ')}${others}`;
    },
  };
}

/** A duration for people: `3 days`, `2 h`, `7 min`. */
function spanText(ms: number): string {
  if (ms >= 2 * dayMs) return `${Math.round(ms / dayMs)} days`;
  const minutes = Math.round(ms / 60_000);
  return minutes >= 120 ? `${Math.round(minutes / 60)} h` : `${minutes} min`;
}

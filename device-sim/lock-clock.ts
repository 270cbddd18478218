// The lock's own time of day: it may be unset or wrong, and run fast or slow. It never decides about commands (Protocol 5.1).
import type { TimeSource } from './time-source.ts';

export interface LockClock {
  /** Epoch milliseconds by the lock's clock; undefined while it is not set. */
  now(): number | undefined;
  /** Sets the clock; false when this lock has none. */
  set(now: number): boolean;
}

export interface LockClockOptions {
  readonly time: TimeSource;
  /** At boot: `unset` after a change of batteries, `set` (true time plus offsetMs), `none`: this lock has no clock at all. */
  readonly kind: 'unset' | 'set' | 'none';
  readonly offsetMs: number;
  /** Parts per million; 100 gains 8.64 s a day. */
  readonly driftPpm: number;
}

export function createLockClock({ time, kind, offsetMs, driftPpm }: LockClockOptions): LockClock {
  let base = kind === 'set' ? { date: time.wall() + offsetMs, at: time.monotonic() } : undefined;
  return {
    now() {
      if (base === undefined) return undefined;
      const elapsedMs = time.monotonic() - base.at;
      return Math.round(base.date + elapsedMs * (1 + driftPpm / 1_000_000));
    },
    set(now) {
      if (kind === 'none') return false;
      base = { date: now, at: time.monotonic() };
      return true;
    },
  };
}

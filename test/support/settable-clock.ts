// A clock that stands still until a test moves it; timers fire in order, each at its own moment.
import type { Clock } from '../../src/domain/clock.ts';

export interface SettableClock extends Clock {
  /** Both clocks move on by `ms`; every timer that is due fires at its time, and what it set going has run before the next one does. */
  advance(ms: number): Promise<void>;
  /** Time passes but no timer fires, as while something blocks the process. */
  block(ms: number): void;
  /** The wall clock alone is set. */
  setNow(now: number): void;
  /** Timers that were set and neither fired nor were cancelled. */
  timers(): number;
}

/** `now`: epoch milliseconds at which the wall clock begins; the monotonic clock begins elsewhere. */
export function createSettableClock(now = Date.UTC(2026, 10, 21, 9)): SettableClock {
  let wall = now;
  let monotonic = 5_000_000;
  const pending = new Set<{ readonly at: number; readonly action: () => void }>();

  function move(ms: number): void {
    wall += ms;
    monotonic += ms;
  }

  return {
    now: () => wall,
    monotonic: () => monotonic,
    timer(delayMs, action) {
      const timer = { at: monotonic + delayMs, action };
      pending.add(timer);
      return () => void pending.delete(timer);
    },
    async advance(ms) {
      const until = monotonic + ms;
      await settled();
      for (;;) {
        const [next] = [...pending].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        move(Math.max(0, next.at - monotonic));
        pending.delete(next);
        next.action();
        await settled();
      }
      move(Math.max(0, until - monotonic));
    },
    block: move,
    setNow: (value) => {
      wall = value;
    },
    timers: () => pending.size,
  };
}

/** Everything has run that waits neither for a timer nor for an answer. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

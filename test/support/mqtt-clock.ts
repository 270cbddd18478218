// Clocks for the tests of the mqtt adapter: the real one, and one that moves only when told.
import type { Clock } from '../../src/domain/clock.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(delayMs, action) {
    const timeout = setTimeout(action, delayMs);
    return () => clearTimeout(timeout);
  },
};

export interface ManualClock extends Clock {
  /** Moves on and runs the timers that are due, in order. */
  advance(ms: number): void;
  timers(): number;
}

export function createManualClock(): ManualClock {
  let elapsed = 0;
  const timers = new Set<{ at: number; action: () => void }>();
  return {
    now: () => 1_767_225_600_000 + elapsed,
    monotonic: () => elapsed,
    timer(delayMs, action) {
      const timer = { at: elapsed + delayMs, action };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const end = elapsed + ms;
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        elapsed = Math.max(elapsed, next.at);
        next.action();
      }
      elapsed = end;
    },
    timers: () => timers.size,
  };
}

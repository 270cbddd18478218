// The real clock: wall time, a counter that only rises, and timers.
import type { Clock } from '../domain/clock.ts';

export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    timer(delayMs, action) {
      const timer = setTimeout(action, delayMs);
      return () => clearTimeout(timer);
    },
  };
}

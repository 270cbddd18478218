// A clock that a test holds in its hand: nothing happens until it is advanced.
import type { TimeSource } from '../../../device-sim/time-source.ts';

export interface SettableTime extends TimeSource {
  /** Lets so many milliseconds pass; timers that fall due fire in order. */
  advance(ms: number): void;
  /** Puts the wall clock elsewhere; what only rises goes on. */
  setWall(now: number): void;
  /** Timers that are still to fire. */
  readonly pending: number;
}

export function createSettableTime(start = 1_767_225_600_000): SettableTime {
  let elapsedMs = 5_000;
  let wallOffset = start - elapsedMs;
  let timers: { readonly due: number; readonly action: () => void }[] = [];
  return {
    wall: () => wallOffset + elapsedMs,
    monotonic: () => elapsedMs,
    timer(delayMs, action) {
      const timer = { due: elapsedMs + delayMs, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const until = elapsedMs + ms;
      for (;;) {
        const next = timers.filter((timer) => timer.due <= until).sort((a, b) => a.due - b.due)[0];
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        elapsedMs = Math.max(elapsedMs, next.due);
        next.action();
      }
      elapsedMs = until;
    },
    get pending() {
      return timers.length;
    },
    setWall(now) {
      wallOffset = now - elapsedMs;
    },
  };
}

// The port for the wall clock, the monotonic clock and timers.

export interface Clock {
  /** Wall clock, epoch milliseconds. May jump. */
  now(): number;
  /** Milliseconds that only rise. */
  monotonic(): number;
  /** Calls `action` once after `delayMs`; the returned function cancels. */
  timer(delayMs: number, action: () => void): () => void;
}

/** A wall clock that shows an earlier time is wrong: latchd did not exist then. */
export const earliestNow = Date.UTC(2026, 0, 1);

// What time it is, and how much of it has passed.

export interface Clock {
  /** Wall clock, epoch milliseconds. May jump. */
  now(): number;
  /** Milliseconds that only rise. */
  monotonic(): number;
  /** Calls `action` once after `delayMs`; the returned function cancels. */
  timer(delayMs: number, action: () => void): () => void;
}

/** No wall clock that shows less is right: there was no latchd then. */
export const earliestNow = Date.UTC(2026, 0, 1);

// Where the simulator gets its time and its timers from, so that a test can hold both in its hand.

export interface TimeSource {
  /** The true time of day, epoch milliseconds. A lock's own clock may differ from it. */
  wall(): number;
  /** Milliseconds that only rise. */
  monotonic(): number;
  /** Calls `action` once after `delayMs`; the returned function cancels. */
  timer(delayMs: number, action: () => void): () => void;
}

/** The machine's own clocks and timers. */
export function createSystemTime(): TimeSource {
  return {
    wall: () => Date.now(),
    monotonic: () => performance.now(),
    timer(delayMs, action) {
      const timeout = setTimeout(action, delayMs);
      return () => clearTimeout(timeout);
    },
  };
}

// The source of time and timers for the simulator, so that a test can control both.

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

/** The same source for one owner: all its timers end with it. */
export function createOwnTime(time: TimeSource): TimeSource & { halt(): void } {
  const running = new Set<() => void>();
  return {
    wall: time.wall,
    monotonic: time.monotonic,
    timer(delayMs, action) {
      const end = time.timer(delayMs, () => {
        running.delete(end);
        action();
      });
      running.add(end);
      return () => {
        running.delete(end);
        end();
      };
    },
    halt() {
      for (const end of running) end();
      running.clear();
    },
  };
}

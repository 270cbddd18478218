// Work that must not be done all at once: one piece at a time (a mutex), or some (a semaphore), in the order of asking.

/** Runs the work as soon as it may; ends as it does. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** A semaphore for one: the work begins when all that was given before it has ended, however it ended. */
export type Mutex = Semaphore;

export function createMutex(): Mutex {
  return createSemaphore(1);
}

/** Runs so many pieces of work at the same time. */
export function createSemaphore(atOnce: number): Semaphore {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

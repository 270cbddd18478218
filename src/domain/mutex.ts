// Limits how much work runs at the same time: one piece (a mutex) or some (a semaphore), in the order of the calls.

/** Runs the work as soon as it may run; settles as the work does. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** A semaphore for one: the work begins when all work of earlier calls has ended, with or without an error. */
export type Mutex = Semaphore;

export function createMutex(): Mutex {
  return createSemaphore(1);
}

/** Runs at most `atOnce` pieces of work at the same time. */
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

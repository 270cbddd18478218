// Who may work now, when not all can at once.

/** Runs the work when it is its turn; ends as it does. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** So many at a time, in the order of asking. */
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

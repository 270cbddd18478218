// So many things a second and no more, in the order of asking; a few at once when nothing was done for a while. Doors are not to wait for what
// can wait.
import type { Clock } from './ports.ts';

export interface Pace {
  /** undefined: now. Else resolves when it is its turn, or at the stop. */
  turn(): Promise<void> | undefined;
  stop(): void;
}

export function createPace(options: { readonly clock: Clock; readonly perSecond: number; readonly atOnce: number }): Pace {
  const { clock, perSecond, atOnce } = options;
  const waiting: (() => void)[] = [];
  let free = atOnce;
  let countedAt = clock.monotonic();
  let cancel: (() => void) | undefined;

  function count(): void {
    const now = clock.monotonic();
    free = Math.min(atOnce, free + ((now - countedAt) * perSecond) / 1_000);
    countedAt = now;
  }
  function letGo(): void {
    cancel = undefined;
    count();
    for (; free >= 1 && waiting.length > 0; free -= 1) waiting.shift()?.();
    if (waiting.length > 0) cancel = clock.timer(Math.max(10, ((1 - free) * 1_000) / perSecond), letGo);
  }

  return {
    turn() {
      count();
      if (free >= 1 && waiting.length === 0) {
        free -= 1;
        return undefined;
      }
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (cancel === undefined) letGo();
      });
    },
    stop() {
      cancel?.();
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

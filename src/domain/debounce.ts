// Does once what is asked for many times in a row.
import type { Clock } from './clock.ts';

export interface Debounce {
  /** Does the work soon. */
  ask(): void;
  /** What was asked for and not done yet is not done. */
  stop(): void;
}

/** The work is done when nobody has asked for `quietMs`, and at the latest `longestMs` after the first who asked. */
export function createDebounce(
  clock: Pick<Clock, 'monotonic' | 'timer'>,
  { quietMs, longestMs }: { readonly quietMs: number; readonly longestMs: number },
  work: () => void,
): Debounce {
  let latest: number | undefined;
  let cancel: (() => void) | undefined;

  function stop(): void {
    cancel?.();
    cancel = undefined;
    latest = undefined;
  }
  return {
    ask() {
      const now = clock.monotonic();
      latest ??= now + longestMs;
      cancel?.();
      cancel = clock.timer(Math.max(0, Math.min(quietMs, latest - now)), () => {
        stop();
        work();
      });
    },
    stop,
  };
}

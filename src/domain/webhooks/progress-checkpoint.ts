// When a receiver's progress is written: at once what could not be found again, anything else within 5 s.
import type { Clock } from '../clock.ts';

const delayMs = 5_000;

/** `write`: false when the disk took nothing; it is tried again. Must not reject. */
export function createProgressCheckpoint({ clock, write }: { readonly clock: Clock; readonly write: () => Promise<boolean> }) {
  let cancel: (() => void) | undefined;
  /** A write that has not begun. */
  let queued: Promise<void> | undefined;
  let last = Promise.resolve();
  let isStopped = false;

  function now(): Promise<void> {
    cancel?.();
    cancel = undefined;
    queued ??= last.then(async () => {
      queued = undefined;
      if (!(await write())) later();
    });
    last = queued;
    return last;
  }
  function later(): void {
    if (!isStopped) cancel ??= clock.timer(delayMs, () => void now());
  }
  return {
    now,
    later,
    /** Resolves when what `now` was called for is written, or could not be. Never rejects. */
    written: (): Promise<void> => last,
    /** Writes for the last time. */
    stop(): Promise<void> {
      isStopped = true;
      return now();
    },
  };
}

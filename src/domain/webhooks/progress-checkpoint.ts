// Decides when a receiver's progress is written: at once if it holds events that nothing else stores, otherwise within 5 s.
import type { Clock } from '../clock.ts';

const delayMs = 5_000;

/** `write` resolves with false when the write failed; it is tried again. It must not reject. */
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
    /** Resolves when the changes for which `now` was called are written, or could not be. Never rejects. */
    written: (): Promise<void> => last,
    /** Writes for the last time. */
    stop(): Promise<void> {
      isStopped = true;
      return now();
    },
  };
}

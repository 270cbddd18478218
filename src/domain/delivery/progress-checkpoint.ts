// Decides when a receiver's progress is written: at once if it holds events that nothing else stores, otherwise within 5 s.
import type { Clock } from '../clock.ts';

const delayMs = 5_000;

/** `write` gets what has failed for good since it last succeeded. When it rejects, it is called again. */
export function createProgressCheckpoint<Failed>(options: {
  readonly clock: Clock;
  readonly write: (failed: readonly Failed[]) => Promise<void>;
}) {
  let failed: Failed[] = [];
  let cancel: (() => void) | undefined;
  /** A write that has not begun. */
  let queued: Promise<void> | undefined;
  let last = Promise.resolve();
  let isStopped = false;

  async function write(): Promise<void> {
    queued = undefined;
    const given = failed;
    failed = [];
    try {
      await options.write(given);
    } catch {
      failed = [...given, ...failed];
      later();
    }
  }
  function now(): Promise<void> {
    cancel?.();
    cancel = undefined;
    queued ??= last.then(write);
    last = queued;
    return last;
  }
  function later(): void {
    if (!isStopped) cancel ??= options.clock.timer(delayMs, () => void now());
  }
  return {
    now,
    later,
    /** It goes into the next write. */
    addFailed: (one: Failed): void => void failed.push(one),
    /** Resolves when the changes for which `now` was called are written, or could not be. Never rejects. */
    written: (): Promise<void> => last,
    /** Writes for the last time. */
    stop(): Promise<void> {
      isStopped = true;
      return now();
    },
  };
}

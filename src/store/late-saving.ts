// For what is said so often, and is so soon said again, that it is written together, some time later.
import type { Clock } from '../domain/ports.ts';

export interface LateSaving {
  /** Something has changed: it is saved when the delay is over. */
  touch(): void;
  /** Saves what is not saved yet and ends the timer. Never rejects. */
  close(): Promise<void>;
}

/** `save` that fails is told, and tried again after the delay. */
export function createLateSaving(options: {
  readonly clock: Clock;
  readonly delayMs: number;
  readonly save: () => Promise<unknown>;
  readonly onFailed: (error: unknown) => void;
}): LateSaving {
  const { clock, delayMs, onFailed } = options;
  let cancelTimer: (() => void) | undefined;
  let changed = false;
  let closed = false;

  async function save(): Promise<void> {
    cancelTimer = undefined;
    if (!changed) return;
    changed = false;
    try {
      await options.save();
    } catch (error) {
      onFailed(error);
      touch();
    }
  }
  function touch(): void {
    changed = true;
    if (!closed) cancelTimer ??= clock.timer(delayMs, () => void save());
  }

  return {
    touch,
    async close() {
      closed = true;
      cancelTimer?.();
      await save();
    },
  };
}

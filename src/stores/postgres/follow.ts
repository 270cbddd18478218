// What a node does while it waits for its lease: it looks at what the serving node changes.
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import { OutcomeUnknownError } from './connection.ts';

const pauseMs = 250;

/**
 * Resolves, or rejects, as `acquired` does; then no look is under way. While the database is away the next look is awaited; rejects as a look
 * does that fails for another reason.
 */
export async function followUntil(
  acquired: Promise<void>,
  options: {
    readonly clock: Clock;
    readonly look: (isOver: () => boolean) => Promise<void>;
    /** Calls `wake` when there is something to see; the returned function ends that. */
    readonly onHint: (wake: () => void) => () => void;
  },
): Promise<void> {
  const { clock, look, onHint } = options;
  let isOver = false;
  let isHinted = false;
  let wake = (): void => undefined;
  const end = (): void => {
    isOver = true;
    wake();
  };
  acquired.then(end, end);
  const ignore = onHint(() => {
    isHinted = true;
    wake();
  });
  try {
    for (;;) {
      await new Promise<void>((resolve) => {
        const cancel = clock.timer(pauseMs, resolve);
        wake = () => {
          cancel();
          resolve();
        };
        if (isOver || isHinted) wake();
      });
      if (isOver) return await acquired;
      isHinted = false;
      await look(() => isOver).catch((error: unknown) => {
        if (!isAway(error)) throw error;
      });
    }
  } finally {
    ignore();
  }
}

/**
 * Does `work` until it is done, again after each time that the database was away; resolves, or rejects, as it does. `work` may have done a part of it
 * before.
 */
export async function doneOnceThere<T>(
  work: () => Promise<T>,
  { clock, isOver, onAway }: { readonly clock: Clock; readonly isOver: () => boolean; readonly onAway: (error: unknown) => void },
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) || isOver()) throw error;
      onAway(error);
    }
    await new Promise<void>((resolve) => clock.timer(pauseMs, resolve));
  }
}

function isAway(error: unknown): boolean {
  return error instanceof OutcomeUnknownError || (error instanceof DomainError && error.code === 'storage-unavailable');
}

// When a step that failed is tried again: twice within seconds, then at longer and longer intervals. A lock whose steps go on failing gets one
// of them a minute at most.
import type { Clock } from '../clock.ts';
import type { CardId } from './card.ts';
import type { Setback } from './entry-status.ts';

/** After how many milliseconds the second and the third try come. */
const firstTriesMs = [1_000, 4_000] as const;
const minuteMs = 60_000;
/** Afterwards. */
const laterTriesMs = [1, 5, 15, 60].map((minutes) => minutes * minuteMs);

interface Failure {
  /** The step and its outcome. */
  readonly what: string;
  readonly error: string;
  /** How often in a row. */
  readonly times: number;
  readonly nextAt: number;
  readonly nextDate: number;
}

/** Of one lock. */
export interface Breaker {
  /** A try for this entry has failed; `step`: what was tried. */
  failed(entryId: CardId, step: string, error: string): void;
  succeeded(entryId: CardId): void;
  /** A new session: everything is tried once more. */
  retryAll(): void;
  /** Whether it is not its time yet. */
  isDeferred(entryId: CardId): boolean;
  setback(entryId: CardId): Setback | undefined;
  /** When a try is due that no look has had yet, on the monotonic clock; undefined: none. */
  nextTry(): number | undefined;
  /** Whether no try has failed since the last that succeeded. */
  isClear(): boolean;
  /** How many entries have failed three times. */
  open(): number;
  /** Whether the lock has said that it is full. */
  isFull(): boolean;
  /** Something was taken off a full lock. */
  hasRoom(): void;
  /**
   * A look at the lock has ended that began at `at`, on the monotonic clock: what was due by then has had its try, or has to wait for the lock,
   * and wakes nobody again. Forgets what is not there any more, and, when nothing is left to be done, what was due.
   */
  looked(at: number, isThere: (entryId: CardId) => boolean, isDone: boolean): void;
}

export function createBreaker(clock: Pick<Clock, 'now' | 'monotonic'>): Breaker {
  const failures = new Map<CardId, Failure>();
  /** Before that no entry is tried that has failed three times. */
  let openAt = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const hasTripped = ({ times }: Failure): boolean => times > firstTriesMs.length;
  const dueAt = (failure: Failure): number => (hasTripped(failure) ? Math.max(failure.nextAt, openAt) : failure.nextAt);

  return {
    failed(entryId, step, error) {
      const before = failures.get(entryId);
      const what = `${step} ${error}`;
      const times = before?.what === what ? before.times + 1 : 1;
      const delay = firstTriesMs[times - 1] ?? laterTriesMs[times - 1 - firstTriesMs.length] ?? (laterTriesMs.at(-1) as number);
      const now = clock.monotonic();
      failures.set(entryId, { what, error, times, nextAt: now + delay, nextDate: clock.now() + delay });
      if (times > firstTriesMs.length) openAt = now + minuteMs;
    },
    succeeded: (entryId) => void failures.delete(entryId),
    retryAll() {
      const now = { nextAt: clock.monotonic(), nextDate: clock.now() };
      openAt = now.nextAt;
      for (const [entryId, failure] of failures) failures.set(entryId, { ...failure, ...now });
    },
    isDeferred(entryId) {
      const failure = failures.get(entryId);
      return failure !== undefined && clock.monotonic() < dueAt(failure);
    },
    setback(entryId) {
      const failure = failures.get(entryId);
      return failure && { hasFailed: hasTripped(failure), lockError: failure.error, nextDate: failure.nextDate };
    },
    nextTry() {
      const waiting = [...failures.values()].map(dueAt).filter((at) => at > lookedAt);
      return waiting.length === 0 ? undefined : Math.min(...waiting);
    },
    isClear: () => failures.size === 0,
    open: () => [...failures.values()].filter(hasTripped).length,
    isFull: () => [...failures.values()].some(({ error }) => error === 'no-space'),
    hasRoom() {
      for (const [entryId, { error }] of failures) if (error === 'no-space') failures.delete(entryId);
    },
    looked(at, isThere, isDone) {
      lookedAt = at;
      for (const [entryId, failure] of failures) {
        if (!isThere(entryId) || (isDone && dueAt(failure) <= at)) failures.delete(entryId);
      }
    },
  };
}

// What locks report again and again, and what is therefore written after a delay, together: the newest value of each lock.
import type { Clock } from '../../domain/clock.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { Log } from '../../domain/part.ts';

/** Locks of a statement. */
const mostAtOnce = 1_000;
const leastRetryMs = 1_000;

export interface ReportWrites {
  /** The lock has another value. */
  touch(lockId: LockId): void;
  /** Writes what is not written yet. Never rejects. */
  close(): Promise<void>;
}

export interface Unsaved {
  /** Logs a failure, unless it is one more since the last success. */
  failed(error: unknown): void;
  saved(): void;
}

/** One line for each outage of the database. `holds`: the content, for the log. */
export function createUnsaved(log: Log, holds: string): Unsaved {
  let isFailing = false;
  return {
    failed(error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!isFailing) log.warn({ code: 'status-not-saved', reason }, `${holds} could not be saved; it is tried again`);
      isFailing = true;
    },
    saved() {
      isFailing = false;
    },
  };
}

/** `write` stores the present values of these locks `delayMs` after the first of them has changed; when it rejects, it is tried again. */
export function createReportWrites(options: {
  readonly clock: Clock;
  readonly unsaved: Unsaved;
  readonly delayMs: number;
  readonly write: (lockIds: readonly LockId[]) => Promise<unknown>;
}): ReportWrites {
  const { clock, unsaved, delayMs, write } = options;
  const touched = new Set<LockId>();
  let cancelTimer: (() => void) | undefined;
  let saving: Promise<void> = Promise.resolve();
  let isClosed = false;

  function wait(ms: number): void {
    if (!isClosed) cancelTimer ??= clock.timer(ms, save);
  }
  async function saveAll(): Promise<void> {
    const all = [...touched];
    touched.clear();
    for (let from = 0; from < all.length; from += mostAtOnce) {
      try {
        await write(all.slice(from, from + mostAtOnce));
        unsaved.saved();
      } catch (error) {
        unsaved.failed(error);
        for (const lockId of all.slice(from)) touched.add(lockId);
        wait(Math.max(delayMs, leastRetryMs));
        return;
      }
    }
  }
  function save(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    saving = saving.then(saveAll);
  }

  return {
    touch(lockId) {
      touched.add(lockId);
      wait(delayMs);
    },
    async close() {
      isClosed = true;
      save();
      await saving;
    },
  };
}

// Checks whether the data directory, or the database, accepts writes: readiness depends on it, and recovery from a full disk begins here. A failed write sets
// the health to bad at once; only successful probes, which write and flush now and then, set it back to 'ok'.

import type { Clock } from '../domain/clock.ts';
import type { Log, Part } from '../domain/part.ts';

const intervalMs = 10_000;
/** Shorter while the disk is failing, so that locks and callers notice soon that there is space again. */
const failingIntervalMs = 2_000;
/** More than a small file may already have allocated, so that a full disk shows. */
const usualBytes = 16_384;
/** After a failure, this much must fit, this many times in a row: on an almost full disk, a small write still succeeds now and then. */
const ampleBytes = 1 << 20;
const passesToRecover = 3;
/** What failed for another reason than want of room works when it works once, and is looked at so often. */
const otherIntervalMs = 500;
/** The health before the first probe. */
export const notStarted = 'not started';

export interface StorageProbe extends Part {
  /** 'ok', or why a write failed; 'not started' before the first probe. */
  health(): string;
  /** How long the running probe has waited for the disk; 0 when none is running. A disk that rejects a write has answered. */
  unansweredMs(): number;
  /** Reports a failed write: the health is bad until probes succeed again. */
  failed(error: Error): void;
  /** Probes at once, since something has changed. Before the first probe it does nothing. */
  lookNow(): void;
}

/**
 * `probe` writes and flushes this many bytes, or rejects; `works` is called after each probe that finds the disk working with space left.
 */
export function createStorageProbe(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly probe: (bytes: number) => Promise<void>;
  readonly works: () => void;
  /** Where the data is, for the log. */
  readonly place: 'data directory' | 'database';
  /** Whether a write failed for want of room, which may come and go. Absent: each one may have. */
  readonly lacksRoom?: (error: unknown) => boolean;
}): StorageProbe {
  const { clock, log, probe, works, place, lacksRoom = () => true } = options;
  const whatToDo = place === 'database' ? 'look at PostgreSQL and at the way to it' : 'do what the reason says';
  let health = notStarted;
  let cancelTimer: (() => void) | undefined;
  let stopped = false;
  let askedAt: number | undefined;
  let failures = 0;
  /** Consecutive successful probes since the last failure. */
  let passes = 0;
  /** Room was lacking since the health was last 'ok'. */
  let isFull = false;
  /** Something has changed while a probe was running. */
  let isDue = false;

  async function ask(): Promise<void> {
    const failuresBefore = failures;
    const isFailing = health !== 'ok' && health !== notStarted;
    cancelTimer?.();
    isDue = false;
    askedAt = clock.monotonic();
    try {
      await probe(isFailing ? ampleBytes : usualBytes);
      if (failures === failuresBefore) passed();
    } catch (error) {
      noteFailure(error);
    } finally {
      askedAt = undefined;
    }
    askLater();
  }
  function askLater(): void {
    cancelTimer?.();
    if (!stopped) cancelTimer = clock.timer(intervalNow(), () => void ask());
  }
  function intervalNow(): number {
    if (health === 'ok') return intervalMs;
    if (isDue) return 0;
    return isFull ? failingIntervalMs : otherIntervalMs;
  }
  function passed(): void {
    passes += 1;
    if (health !== 'ok' && health !== notStarted) {
      if (isFull && passes < passesToRecover) return;
      log.info({ code: 'storage-works' }, `the ${place} works again`);
    }
    health = 'ok';
    isFull = false;
    works();
  }
  function noteFailure(error: unknown): void {
    failures += 1;
    passes = 0;
    isFull ||= lacksRoom(error);
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === health) return;
    health = reason;
    log.error(
      { code: 'storage-unavailable', reason },
      `the ${place} does not work: doors still answer, what cannot be kept is refused and locks keep their events; ${whatToDo}, no restart is needed`,
    );
  }

  return {
    name: 'storage-probe',
    start: ask,
    async stop() {
      stopped = true;
      cancelTimer?.();
    },
    health: () => health,
    unansweredMs: () => (askedAt === undefined ? 0 : clock.monotonic() - askedAt),
    failed(error) {
      // Before the first probe, the start itself reports what is wrong.
      if (health === notStarted || stopped) return;
      const wasOk = health === 'ok';
      noteFailure(error);
      if (wasOk && askedAt === undefined) askLater();
    },
    lookNow() {
      if (stopped) return;
      if (askedAt !== undefined) isDue = true;
      else if (health !== notStarted) void ask();
    },
  };
}

// Whether the data directory takes writes: readiness rests on it, and recovery from a full disk begins here. A write that
// failed says no at once; only the disk itself, asked now and then for a flushed write, says yes again.

import type { Clock } from '../domain/clock.ts';
import type { Log, Part } from '../domain/part.ts';

const intervalMs = 10_000;
/** While the disk is failing, so that locks and callers notice soon that there is room again. */
const failingIntervalMs = 2_000;
/** More than fits into what a small file may already own, so that a full disk shows. */
const usualBytes = 16_384;
/** After a failure there must be room for so much, so many times in a row: on a disk at the brink a small write succeeds now and then. */
const ampleBytes = 1 << 20;
const passesToRecover = 3;

export interface StorageProbe extends Part {
  /** 'ok', or why a write failed; 'not started' before the first probe. */
  health(): string;
  /** How long the probe under way has waited for the disk, 0 when none is. A disk that refuses has answered. */
  unansweredMs(): number;
  /** Somebody's write has failed: the health is bad from now on, until the disk has proved itself. */
  failed(error: Error): void;
}

/** `probe` writes and flushes so many bytes, or rejects; `works` is told each time that the disk works and has room. */
export function createStorageProbe(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly probe: (bytes: number) => Promise<void>;
  readonly works: () => void;
}): StorageProbe {
  const { clock, log, probe, works } = options;
  let health = 'not started';
  let cancelTimer: (() => void) | undefined;
  let stopped = false;
  let askedAt: number | undefined;
  let failures = 0;
  /** Probes in a row that succeeded since the last failure. */
  let passes = 0;

  async function ask(): Promise<void> {
    const failuresBefore = failures;
    const isFailing = health !== 'ok' && health !== 'not started';
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
    if (!stopped) cancelTimer = clock.timer(health === 'ok' ? intervalMs : failingIntervalMs, () => void ask());
  }
  function passed(): void {
    passes += 1;
    if (health !== 'ok' && health !== 'not started') {
      if (passes < passesToRecover) return;
      log.info({ code: 'storage-works' }, 'the data directory works again');
    }
    health = 'ok';
    works();
  }
  function noteFailure(error: unknown): void {
    failures += 1;
    passes = 0;
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === health) return;
    health = reason;
    log.error(
      { code: 'storage-unavailable', reason },
      'the data directory does not work: doors still answer, what cannot be kept is refused and locks keep their events; do what the reason says, no restart is needed',
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
      // Before the first probe the start itself says what is wrong.
      if (health === 'not started' || stopped) return;
      const wasOk = health === 'ok';
      noteFailure(error);
      if (wasOk && askedAt === undefined) askLater();
    },
  };
}

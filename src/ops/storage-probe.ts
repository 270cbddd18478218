// Asks the disk now and then whether it still takes a small flushed write: readiness rests on it, and recovery from a full disk begins here.
import type { Log, Part } from '../domain/part.ts';
import type { Clock } from '../domain/ports.ts';

const intervalMs = 10_000;
/** While the disk is failing, so that locks and callers notice soon that there is room again. */
const failingIntervalMs = 2_000;

export interface StorageProbe extends Part {
  /** 'ok', or why the last probe failed; 'not started' before the first. */
  health(): string;
  /** How long the probe under way has waited for the disk, 0 when none is. A disk that refuses has answered. */
  unansweredMs(): number;
}

/** `probe` writes and flushes a little, or rejects; `works` is told each time it did not. */
export function createStorageProbe(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly probe: () => Promise<void>;
  readonly works: () => void;
}): StorageProbe {
  const { clock, log, probe, works } = options;
  let health = 'not started';
  let cancelTimer: (() => void) | undefined;
  let stopped = false;
  let askedAt: number | undefined;

  async function ask(): Promise<void> {
    const before = health;
    askedAt = clock.monotonic();
    try {
      await probe();
      health = 'ok';
      works();
    } catch (error) {
      health = error instanceof Error ? error.message : String(error);
    } finally {
      askedAt = undefined;
    }
    if (health !== before && health === 'ok' && before !== 'not started')
      log.info({ code: 'storage-works' }, 'the data directory takes writes again');
    if (health !== before && health !== 'ok') {
      log.error(
        { code: 'storage-unavailable', reason: health },
        'the data directory takes no writes: doors still answer, changes are refused and locks keep their events; make room or look at the disk, no restart is needed',
      );
    }
    if (!stopped) cancelTimer = clock.timer(health === 'ok' ? intervalMs : failingIntervalMs, () => void ask());
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
  };
}

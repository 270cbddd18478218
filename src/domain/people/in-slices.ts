// Long work in short pieces, so that doors never wait for it.
import type { Clock } from '../clock.ts';

/** Resolves in a later turn of the event loop. */
export type NextTurn = () => Promise<void>;

/** What else runs in the same turn, above all garbage collection, comes on top. */
const sliceMs = 1;

export interface Slices {
  /** Runs a generator to its end, a slice in each turn; what the caller does next shares the last one. */
  run<T>(work: Generator<unknown, T>): Promise<T>;
}

/** For work that awaits: undefined while the slice lasts; when it is over, what resolves in the next turn. */
export function createBreaks(clock: Pick<Clock, 'monotonic'>, nextTurn: NextTurn): () => Promise<void> | undefined {
  let startedAt = clock.monotonic();
  return () => {
    if (clock.monotonic() - startedAt < sliceMs) return undefined;
    return nextTurn().then(() => {
      startedAt = clock.monotonic();
    });
  };
}

export function createSlices(clock: Pick<Clock, 'monotonic'>, nextTurn: NextTurn): Slices {
  return {
    async run(work) {
      for (;;) {
        await nextTurn();
        const startedAt = clock.monotonic();
        do {
          const step = work.next();
          if (step.done === true) return step.value;
        } while (clock.monotonic() - startedAt < sliceMs);
      }
    },
  };
}

/** After so long no further work begins in a turn. */
const sharedMs = 1;
const callsAtOnce = 64;

/**
 * Each call resolves in a later turn of the event loop, those that ask first at first. Calls share a turn only while what was done in it is
 * little: however many ask at once, doors wait for one slice.
 */
export function createSharedTurns(clock: Pick<Clock, 'monotonic'>, nextTurn: NextTurn): NextTurn {
  const waiting: (() => void)[] = [];
  let isServing = false;

  async function serve(): Promise<void> {
    isServing = true;
    while (waiting.length > 0) {
      let startedAt: number | undefined;
      // All of these come in the same turn, each after what the one before it has begun.
      const chances = Array.from({ length: Math.min(waiting.length, callsAtOnce) }, async () => {
        await nextTurn();
        startedAt ??= clock.monotonic();
        if (clock.monotonic() - startedAt < sharedMs) waiting.shift()?.();
      });
      await Promise.all(chances);
    }
    isServing = false;
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (!isServing) void serve();
    });
}

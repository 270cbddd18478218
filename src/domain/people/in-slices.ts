// Long work in short pieces, so that doors never wait for it.
import type { Clock } from '../clock.ts';

/** Resolves in a later turn of the event loop. */
export type NextTurn = () => Promise<void>;

const sliceMs = 4;

export interface Slices {
  /** Runs a generator to its end, a slice in each turn; what the caller does next shares the last one. */
  run<T>(work: Generator<unknown, T>): Promise<T>;
}

/** For work that awaits: resolves at once, or when the slice is over, in the next turn. */
export function createBreaks(clock: Pick<Clock, 'monotonic'>, nextTurn: NextTurn): () => Promise<void> {
  let startedAt = clock.monotonic();
  return async () => {
    if (clock.monotonic() - startedAt < sliceMs) return;
    await nextTurn();
    startedAt = clock.monotonic();
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

/** Each call resolves in a turn of the event loop of its own: however many ask at once, other work runs between any two of them. */
export function createOwnTurns(nextTurn: NextTurn): NextTurn {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(nextTurn);
    return last;
  };
}

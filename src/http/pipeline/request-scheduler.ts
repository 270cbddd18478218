// Decides in which order requests are handled. Lock and unlock requests run at the end of the event loop tick in which they came. All
// others run in short slices, so that they never delay a door, and those with a valid token before those without. Without load nothing
// waits.
import type { Clock } from '../../domain/clock.ts';
import type { TickBatcher } from '../../domain/tick-batcher.ts';

/** What kind of request it is: lock or unlock; another one with a valid token; one without. */
export type Rank = 'door' | 'known' | 'stranger';

/** How long requests that are no doors may run in one tick of the event loop; one of them runs in each tick, however long it takes. */
const sliceMs = 1;
/** After so many requests with a token in a row, one without a token runs, so that sign-ins and health checks are answered. */
const knownInARow = 4;
/**
 * Callbacks that are scheduled ahead. Each request has its own, so that its microtasks run, and count in its slice, before the next
 * request.
 */
const armedAtMost = 32;

export interface RequestScheduler {
  /** Runs `work` at once or later. It must not throw. */
  take(rank: Rank, work: () => void): void;
}

export function createRequestScheduler({
  clock,
  tickBatcher,
}: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly tickBatcher: TickBatcher;
}): RequestScheduler {
  const doDoor = tickBatcher.batch('requests', (work: () => void) => work());
  const waiting = { known: new Set<() => void>(), stranger: new Set<() => void>() };
  let sliceAt = 0;
  /** A callback is scheduled that begins the next tick. */
  let isOpen = false;
  let armed = 0;
  let handled = 0;
  let inARow = 0;

  const count = (): number => waiting.known.size + waiting.stranger.size;
  const isOver = (): boolean => clock.monotonic() - sliceAt >= sliceMs;

  function beginTurn(): void {
    isOpen = count() > 0;
    if (!isOpen) return;
    sliceAt = clock.monotonic();
    handled = 0;
    setImmediate(beginTurn);
    arm();
  }

  function arm(): void {
    for (const most = Math.min(armedAtMost, count()); armed < most; armed++) setImmediate(handleNext);
  }

  function handleNext(): void {
    armed--;
    if (handled > 0 && isOver()) return;
    handled++;
    tickBatcher.drain();
    const work = next();
    if (work !== undefined) work();
    arm();
  }

  function next(): (() => void) | undefined {
    const [known] = waiting.known;
    const [stranger] = waiting.stranger;
    const isKnown = known !== undefined && (stranger === undefined || inARow < knownInARow);
    inARow = isKnown ? inARow + 1 : 0;
    const work = isKnown ? known : stranger;
    if (work !== undefined) waiting[isKnown ? 'known' : 'stranger'].delete(work);
    return work;
  }

  return {
    take(rank, work) {
      if (rank === 'door') return doDoor(work);
      if (!isOpen) {
        isOpen = true;
        sliceAt = clock.monotonic();
        handled = 0;
        setImmediate(beginTurn);
      }
      if (count() === 0 && !isOver()) return work();
      waiting[rank].add(work);
      arm();
    },
  };
}

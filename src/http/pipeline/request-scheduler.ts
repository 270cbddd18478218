// In which order requests are handled: doors at the end of the turn in which they came; all others in slices, so that doors keep their pace
// whatever else is asked, those with a valid token before those without. Without load nothing waits.
import type { Clock } from '../../domain/ports.ts';
import type { TickBatcher } from '../../domain/tick-batcher.ts';

/** Whose request it is: of somebody at a door; of somebody with a valid token; of anybody. */
export type Rank = 'door' | 'known' | 'stranger';

/** What others than doors may take of a turn of the event loop; one request in each turn is handled however long it takes. */
const sliceMs = 1;
/** Of five requests that waited, at least one is a stranger's: newcomers and health checks come through. */
const knownInARow = 4;
/** One callback for each request, so that what it leaves to microtasks is done, and measured, before the next. */
const armedAtMost = 32;

export interface RequestScheduler {
  /** `work` is done at once, or later; it must not throw. */
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
  /** The end of this turn will be noticed. */
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

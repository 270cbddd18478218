// Whose turn it is to be sent, among the lanes of one webhook: a few at a time, in the order of asking; who was refused pauses.
import type { Clock } from '../ports.ts';
import type { Lane } from './delivery-queues.ts';

/** Requests to one receiver at a time. */
const servedAtOnce = 4;

export interface LaneTurns {
  /** Serves from now on. */
  begin(): void;
  /** There is something in it; nothing happens while it is served or pauses. */
  enqueue(lane: Lane): void;
  /** Not before `delayMs` have gone; to be called while it is served. `isUnreachable`: its receiver was not there. */
  pause(lane: Lane, delayMs: number, isUnreachable: boolean): void;
  /** Ends the pause of all, or of those whose receiver was not there. */
  wake(which: 'all' | 'unreachable'): void;
  stop(): void;
}

interface Pause {
  readonly cancel: () => void;
  readonly isUnreachable: boolean;
}

export function createLaneTurns(options: {
  readonly clock: Clock;
  /** Does one thing for it; must not reject. */
  readonly serve: (lane: Lane) => Promise<void>;
  readonly isEmpty: (lane: Lane) => boolean;
}): LaneTurns {
  const { clock, serve, isEmpty } = options;
  const ready = new Set<Lane>();
  const paused = new Map<Lane, Pause>();
  let underWay = 0;
  let isServing = false;

  function enqueue(lane: Lane): void {
    if (paused.has(lane) || lane.isUnderWay) return;
    ready.add(lane);
    go();
  }
  function go(): void {
    while (isServing && underWay < servedAtOnce) {
      const [lane] = ready;
      if (lane === undefined) return;
      ready.delete(lane);
      underWay += 1;
      lane.isUnderWay = true;
      void serve(lane).finally(() => {
        underWay -= 1;
        lane.isUnderWay = false;
        if (!paused.has(lane) && !isEmpty(lane)) ready.add(lane);
        go();
      });
    }
  }
  function end(lane: Lane): void {
    paused.get(lane)?.cancel();
    paused.delete(lane);
    enqueue(lane);
  }

  return {
    begin() {
      isServing = true;
      go();
    },
    enqueue,
    pause(lane, delayMs, isUnreachable) {
      paused.set(lane, { cancel: clock.timer(delayMs, () => end(lane)), isUnreachable });
    },
    wake(which) {
      for (const [lane, { isUnreachable }] of [...paused]) if (which === 'all' || isUnreachable) end(lane);
    },
    stop() {
      isServing = false;
      for (const { cancel } of paused.values()) cancel();
    },
  };
}

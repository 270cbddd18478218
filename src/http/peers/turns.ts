// Who may open a connection to another node now. A TLS handshake stops this process for some milliseconds, so beyond a few at once requests wait
// their turn, doors first. Nothing of them was sent anywhere.
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../domain/clock.ts';

/** Gives the turn back: its connection is there, or never will be. Idempotent. */
type Leave = () => void;

interface Wanted {
  readonly isDoor: boolean;
  /** On the monotonic clock, in milliseconds. */
  readonly until: number;
  /** Who closes it wants no turn any more. */
  readonly response: ServerResponse;
}

export interface Turns {
  /** Resolves with undefined when there is no turn in time, the client has left, or `refuse` was called. */
  take(wanted: Wanted): Promise<Leave | undefined>;
  /** There may be room: a connection has come to rest. */
  look(): void;
  /** Whoever waits gets no turn. */
  refuse(): void;
}

interface Waiting {
  readonly go: (leave?: Leave) => void;
}

/** `most`: turns at a time; `spare`: connections at rest, each of which makes one handshake needless. */
export function createTurns({
  clock,
  most,
  spare,
}: {
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>;
  readonly most: number;
  readonly spare: () => number;
}): Turns {
  let taken = 0;
  const doors = new Set<Waiting>();
  const others = new Set<Waiting>();

  const hasRoom = (): boolean => taken < most + spare();

  function look(): void {
    for (const waiting of [doors, others])
      for (const one of waiting) {
        if (!hasRoom()) return;
        one.go(enter());
      }
  }

  function enter(): Leave {
    let isIn = true;
    taken += 1;
    return () => {
      if (!isIn) return;
      isIn = false;
      taken -= 1;
      look();
    };
  }

  return {
    take({ isDoor, until, response }) {
      if (response.destroyed) return Promise.resolve(undefined);
      if (hasRoom()) return Promise.resolve(enter());
      const queue = isDoor ? doors : others;
      return new Promise((resolve) => {
        const giveUp = () => one.go();
        const one: Waiting = {
          go(leave) {
            queue.delete(one);
            cancel();
            response.off('close', giveUp);
            resolve(leave);
          },
        };
        const cancel = clock.timer(Math.max(0, until - clock.monotonic()), giveUp);
        response.once('close', giveUp);
        queue.add(one);
      });
    },
    look,
    refuse() {
      for (const one of [...doors, ...others]) one.go();
    },
  };
}

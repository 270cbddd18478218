// What a node that does not lead does while the one that serves gives no sign: it stands in for it at the doors, with what it has in memory. Nobody was told
// that a change is done which it does not know (change-wait.ts), so it opens nothing that was forbidden; an older latchd that
// serves waits for nobody, so nobody stands in for it.
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import type { NodeLease } from './node-lease.ts';

export interface StandIn {
  /** Resolves when the leader is silent for the first time, or after `end`. */
  needed(): Promise<void>;
  /** Whether this node stands in now. */
  isActive(): boolean;
  /** This node has the lease, or ends: it begins and ends nothing more. */
  end(): void;
}

const lookMs = 250;

export function createStandIn(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: Pick<NodeLease, 'readingLeftMs' | 'servingElsewhere' | 'isSilent' | 'standIn' | 'serves'>;
  /** Whoever is connected must be sent away. */
  readonly onEnded: () => void;
}): StandIn {
  const { clock, log, lease, onEnded } = options;
  let standsIn = false;
  let isOver = false;
  let cancel = (): void => undefined;
  let wake = (): void => undefined;

  function stop(): void {
    if (!standsIn) return;
    standsIn = false;
    lease.standIn(false);
    onEnded();
  }
  function look(): void {
    const silent = lease.servingElsewhere();
    const may = silent?.waitsForOthers === true && lease.readingLeftMs() > 0;
    if (may && lease.isSilent() && !standsIn) {
      standsIn = true;
      lease.standIn(true);
      log.warn(
        { code: 'stands-in', for: silent.name },
        'the leader gives no sign: until it does, or this one serves, this one opens doors',
      );
      wake();
    } else if (standsIn && may && !lease.isSilent()) {
      log.info({ code: 'stood-in', for: silent.name }, 'the leader is heard again: this one waits');
      stop();
    } else if (!may && !lease.serves()) stop();
    cancel = clock.timer(lookMs, look);
  }

  return {
    needed() {
      return new Promise((resolve) => {
        wake = resolve;
        if (isOver) resolve();
        else look();
      });
    },
    isActive: () => standsIn,
    end() {
      isOver = true;
      cancel();
      wake();
    },
  };
}

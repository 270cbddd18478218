// What a node that waits does while the one that serves gives no sign: it stands in for it at the doors, with what it has in memory. Nobody was told
// that a change is done which it does not know (change-wait.ts), so it opens nothing that was forbidden; an older latchd that
// serves waits for nobody, so nobody stands in for it.
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import type { NodeLease } from './lease.ts';

export interface StandIn {
  /** Resolves when the node that serves is silent for the first time, or after `end`. */
  needed(): Promise<void>;
  /** Whether this node stands in now. */
  isActive(): boolean;
  /** This node has the lease, or ends: it begins and ends nothing more. */
  end(): void;
}

const lookMs = 250;
/** What a sign may be late, and for how long two questions in a row go without an answer. */
const [lateMs, missedMs] = [500, 1_000];

export function createStandIn(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: Pick<NodeLease, 'readingLeftMs' | 'servingElsewhere' | 'silentMs' | 'standIn' | 'serves' | 'beatMs'>;
  /** How long ago the node that serves has answered this one; undefined: they do not reach each other in any case. */
  readonly unansweredMs: () => number | undefined;
  /** Whoever is connected must be sent away. */
  readonly onEnded: () => void;
}): StandIn {
  const { clock, log, lease, unansweredMs, onEnded } = options;
  const { beatMs } = lease;
  let standsIn = false;
  let isOver = false;
  let cancel = (): void => undefined;
  let wake = (): void => undefined;

  /** It must be missed in the database and from node to node; where one of these says nothing, the other one must for longer. */
  function isSilent(): boolean {
    const [said, unanswered] = [lease.silentMs(), unansweredMs()];
    if (said === undefined) return unanswered !== undefined && unanswered >= beatMs + lateMs;
    if (unanswered === undefined) return said >= 2 * beatMs + lateMs;
    return said >= beatMs + lateMs && unanswered >= missedMs;
  }
  function stop(): void {
    if (!standsIn) return;
    standsIn = false;
    lease.standIn(false);
    onEnded();
  }
  function look(): void {
    const silent = lease.servingElsewhere();
    const may = silent?.waitsForOthers === true && lease.readingLeftMs() > 0;
    if (may && isSilent() && !standsIn) {
      standsIn = true;
      lease.standIn(true);
      log.warn(
        { code: 'stands-in', for: silent.name },
        'the node that serves gives no sign: until it does, or this one serves, this one opens doors',
      );
      wake();
    } else if (standsIn && may && !isSilent()) {
      log.info({ code: 'stood-in', for: silent.name }, 'the node that serves is heard again: this one waits');
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

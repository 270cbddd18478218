// What makes it uncertain where the bolt of a lock is.
import type { OpenState } from './lock.ts';

/** Why the last state that a lock reported may be wrong. */
export interface Doubt {
  /** The states into which commands with an unknown outcome may still move the bolt. */
  readonly open: Set<OpenState>;
  /** One of these commands was never answered: it may begin late, and a report that arrives meanwhile may have been sent before. */
  unanswered: boolean;
  /** The lock has reported since that the bolt is where all these commands wanted it. */
  arrived: boolean;
  jammed: boolean;
  /** Until when the command under way may move the bolt. */
  underWay: { readonly until: number } | undefined;
  /** Time on the monotonic clock from which on no command moves the bolt any more. */
  stillAt: number;
  /** How often the lock has reported its open state since. */
  said: number;
  /** The lock has answered after the bolt came to rest, and not reported its open state yet: its next report is certain. */
  endsNext: boolean;
}

/** A doubt for which there is no reason yet. `now`: on the monotonic clock. */
export function createDoubt(now: number): Doubt {
  const nothing = { unanswered: false, arrived: false, jammed: false, underWay: undefined, said: 0, endsNext: false };
  return { ...nothing, open: new Set(), stillAt: now };
}

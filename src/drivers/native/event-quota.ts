// How many events a lock may have stored: a lock with a valid key must not fill the disk for all (Faults T3 and T12). What goes beyond is left
// without PUBACK, as on a full disk: the lock keeps it, its door and all else go on, and when it may store again its connection is
// closed once, so that it sends again (Protocol 4.4).

import type { Clock } from '../../domain/clock.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import { createKeyedRateLimiter, type Rate } from '../../domain/rate-limiter.ts';
import type { LockLine } from './lock-line.ts';

export interface EventQuota {
  /** False: not now; this connection is closed when the lock has some to spare again. */
  mayStore(connection: LockLine): boolean;
  /** So many are about to be stored; less than 0 when they were not. */
  charge(connection: LockLine, events: number): void;
  /** The connection has ended. */
  forget(connection: LockLine): void;
  /** Locks that wait until they may store again. */
  waiting(): number;
}

export interface EventQuotaOptions {
  readonly clock: Clock;
  /** A command is under way on this connection: closing it now would cost somebody at a door the answer. */
  busy(connection: LockLine): boolean;
  readonly rate?: Rate;
}

/**
 * 43,200 a day for ever, about 8 MB: a main entrance has some thousands. 200,000 at once: more than the backlog of a busy door that
 * was away for weeks, with all of it resent.
 */
const usualRate: Rate = { perSecond: 0.5, burst: 200_000 };
/** What is saved up before the lock is asked to send again: it does not come back for a handful. */
const spare = 1_000;
const maxLocks = 100_000;
const retryMs = 1_000;

/** The quotas of all locks; a lock that is `busy` with a command is reconnected later. */
export function createEventQuota({ clock, busy, rate = usualRate }: EventQuotaOptions): EventQuota {
  const limiter = createKeyedRateLimiter<LockId>({ clock, ...rate, maxKeys: maxLocks });
  const waiting = new Map<LockLine, () => void>();

  function wait(connection: LockLine, ms: number): void {
    waiting.set(
      connection,
      clock.timer(ms, () => {
        if (busy(connection)) return wait(connection, retryMs);
        waiting.delete(connection);
        connection.reconnect('it may store events again: they are to be sent again');
      }),
    );
  }

  return {
    mayStore(connection) {
      // One that waits has left out some already: what comes behind them must not be stored before them.
      if (waiting.has(connection)) return false;
      if (limiter.msUntil(connection.lockId, 1) === 0) return true;
      wait(connection, limiter.msUntil(connection.lockId, spare));
      return false;
    },
    charge: (connection, events) => limiter.charge(connection.lockId, events),
    forget(connection) {
      waiting.get(connection)?.();
      waiting.delete(connection);
    },
    waiting: () => waiting.size,
  };
}

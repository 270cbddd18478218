// Locks whose events could not be stored were left without PUBACK. When storage works again, each such connection is
// closed once, so that the lock sends its events again (Protocol 4.4, Fault T3). Whether it works is not for a single write to
// say: on a disk at the brink one succeeds now and then, and no lock may lose its connection for that.

import type { Clock } from '../../domain/clock.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { LockLine } from './lock-line.ts';

export interface StorageRecovery {
  /** A message of this connection was left unacknowledged. */
  left(connection: LockLine): void;
  /** Storage works, and has room; said again and again while it does. */
  works(): void;
  /** The connection has ended: the lock sends again by itself. */
  forget(connection: LockLine): void;
  /** Connections that wait. */
  size(): number;
}

export interface StorageRecoveryOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** A command is under way on this connection: closing it now would cost somebody at a door the answer. */
  busy(connection: LockLine): boolean;
}

/** However often the disk fills up and has room again, a lock is not closed more often. */
const betweenClosesMs = 60_000;

/** The locks that wait for storage; one that is `busy` with a command is reconnected later. */
export function createStorageRecovery({ clock, busy }: StorageRecoveryOptions): StorageRecovery {
  const waiting = new Set<LockLine>();
  const closedAt = new Map<LockId, number>();

  return {
    left: (connection) => void waiting.add(connection),
    works() {
      const now = clock.monotonic();
      for (const connection of [...waiting]) {
        const last = closedAt.get(connection.lockId);
        // Whoever is passed over is looked at the next time.
        if (busy(connection) || (last !== undefined && now - last < betweenClosesMs)) continue;
        waiting.delete(connection);
        closedAt.set(connection.lockId, now);
        connection.reconnect('storage works again: events are to be sent again');
      }
    },
    forget: (connection) => void waiting.delete(connection),
    size: () => waiting.size,
  };
}

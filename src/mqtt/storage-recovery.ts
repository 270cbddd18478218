// Locks whose events could not be stored were left without PUBACK. When storage works again, each such connection is
// closed once, so that the lock sends its events again (Protocol 4.4, T3).
import type { LockId } from '../domain/lock.ts';
import type { Clock } from '../domain/ports.ts';
import type { Connection } from './connection.ts';

export interface StorageRecovery {
  /** A message of this connection was left unacknowledged. */
  left(connection: Connection): void;
  /** Something was stored. */
  works(): void;
  /** The connection has ended: the lock sends again by itself. */
  forget(connection: Connection): void;
  /** Connections that wait. */
  size(): number;
}

export interface StorageRecoveryOptions {
  readonly clock: Clock;
  /** A command is under way on this connection: closing it now would cost somebody at a door the answer. */
  busy(connection: Connection): boolean;
}

/** On a disk at the brink some writes succeed and others fail: the locks must not flap with it. */
const betweenClosesMs = 60_000;
const retryMs = 1_000;

export function createStorageRecovery({ clock, busy }: StorageRecoveryOptions): StorageRecovery {
  const waiting = new Set<Connection>();
  const closedAt = new Map<LockId, number>();
  let working = true;
  let cancelRetry: (() => void) | undefined;

  function sweep(): void {
    cancelRetry?.();
    cancelRetry = undefined;
    const now = clock.monotonic();
    for (const connection of [...waiting]) {
      const last = closedAt.get(connection.lockId);
      if (busy(connection) || (last !== undefined && now - last < betweenClosesMs)) continue;
      waiting.delete(connection);
      closedAt.set(connection.lockId, now);
      connection.reconnect('storage works again: events are to be sent again');
    }
    if (waiting.size > 0) cancelRetry = clock.timer(retryMs, () => working && sweep());
  }

  return {
    left(connection) {
      working = false;
      waiting.add(connection);
    },
    works() {
      // Between two sweeps nothing is to be done: the retry is set.
      if (working && cancelRetry !== undefined) return;
      working = true;
      if (waiting.size > 0) sweep();
    },
    forget(connection) {
      waiting.delete(connection);
      if (waiting.size > 0) return;
      cancelRetry?.();
      cancelRetry = undefined;
    },
    size: () => waiting.size,
  };
}

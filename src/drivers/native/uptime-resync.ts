// A lock counts the time of commands by its own uptime, and in a long session that drifts away from ours. A new hello sets it right.

import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { LockLink } from '../../domain/locks/lock-link.ts';

/**
 * Between two new hellos that a lock is asked for, doubled each time: when a busy gateway reads hellos late, so that the next one is
 * no better, reconnections would keep it busy. But a door whose lock calls every command expired is shut until the next one.
 */
const betweenHellosMs = { first: 2_000, most: 60_000 };

/** As `Driver.expiredEarly`: ends the connection of the lock, which comes back with a new hello; not too often. */
export function createUptimeResync(options: {
  readonly clock: Clock;
  readonly link: LockLink;
  readonly emit: Emit;
}): (lockId: LockId) => void {
  const { clock, link, emit } = options;
  const asked = new Map<LockId, { readonly at: number; readonly waitMs: number }>();
  return (lockId) => {
    const now = clock.monotonic();
    const last = asked.get(lockId);
    if (last !== undefined && now - last.at < last.waitMs) return;
    const isFirst = last === undefined || now - last.at >= 2 * betweenHellosMs.most;
    asked.set(lockId, { at: now, waitMs: isFirst ? betweenHellosMs.first : Math.min(2 * last.waitMs, betweenHellosMs.most) });
    const reason = 'its uptime counter has drifted: a new hello is needed';
    emit('lock-disconnected', { lockId, reason });
    link.disconnect(lockId, reason);
  };
}

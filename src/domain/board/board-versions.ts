// How often each lock has changed in a way that a board shows, so that a board that is asked for again need not be made again.
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';

export interface BoardVersions {
  /** Rises whenever one of these locks changes on a board. */
  sumOf(lockIds: readonly LockId[]): number;
  /** Rises with each alarm of the gateway itself. */
  gateway(): number;
}

export function createBoardVersions(events: Pick<EventBus, 'subscribe'>): BoardVersions {
  const changes = new Map<LockId, number>();
  let ofGateway = 0;

  function changed({ lockId }: { readonly lockId: LockId | null }): void {
    if (lockId === null) ofGateway += 1;
    else changes.set(lockId, (changes.get(lockId) ?? 0) + 1);
  }

  for (const name of ['lock-online', 'lock-offline', 'certainty-changed', 'records-stored', 'alarm-began', 'alarm-ended'] as const)
    events.subscribe(name, changed);
  events.subscribe('status-changed', ({ lockId, before, after }) => {
    const isSame = before.state === after.state && before.stateAt === after.stateAt && before.batteryPercent === after.batteryPercent;
    if (!isSame) changed({ lockId });
  });
  events.subscribe('lock-changed', ({ before, after }) => {
    if (after !== undefined) changed(after);
    else if (before !== undefined) changes.delete(before.lockId);
  });

  return {
    sumOf: (lockIds) => lockIds.reduce((sum, lockId) => sum + (changes.get(lockId) ?? 0), 0),
    gateway: () => ofGateway,
  };
}

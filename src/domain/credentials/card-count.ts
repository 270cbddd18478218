// How many cards a lock holds, by its hello, its listings, and its ok to each change since.
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore, StatusStore } from '../locks/lock-ports.ts';
import type { EntryStore } from './entry-ports.ts';

/** Keeps the count in the status of the lock, by every command to which the lock replied ok. */
export function countCards(options: {
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly locks: Pick<LockStore, 'get'>;
  readonly statuses: StatusStore;
}): void {
  const { events, locks, statuses } = options;
  events.subscribe('command-returned', ({ lockId, command, outcome }) => {
    if (outcome.kind !== 'ok' || locks.get(lockId) === undefined) return;
    const { listing, credentials } = outcome;
    if (credentials !== undefined) statuses.patch(lockId, { cardsOnLock: credentials.count });
    const { cardsOnLock } = statuses.get(lockId);
    if (listing !== undefined) statuses.patch(lockId, { cardsOnLock: listing.total });
    else if (cardsOnLock === null) return;
    else if (command.op === 'add-card') statuses.patch(lockId, { cardsOnLock: cardsOnLock + 1 });
    else if (command.op === 'remove-card') statuses.patch(lockId, { cardsOnLock: Math.max(0, cardsOnLock - 1) });
  });
}

/**
 * How many cards the lock may hold: those that it reported, and unconfirmed adds; null when it never reported any, or the cards cannot be
 * read.
 */
export async function cardsOnLock(
  { entries, statuses }: { readonly entries: Pick<EntryStore, 'of'>; readonly statuses: Pick<StatusStore, 'get'> },
  lockId: LockId,
): Promise<number | null> {
  const { cardsOnLock: said } = statuses.get(lockId);
  if (said === null) return null;
  const known = await entries.of(lockId).catch(() => undefined);
  if (known === undefined) return null;
  return said + known.unsure.filter(({ kind, held }) => kind === 'card' && held?.window !== null && !held?.before).length;
}

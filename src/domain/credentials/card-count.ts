// How many cards a lock holds, as far as it has said so: in its hello, in a listing, and by its ok to each change since.
import type { LockId } from '../locks/lock.ts';
import type { CommandOutcome, LockCommand } from '../locks/lock-command.ts';
import type { CardStore, LockStore, StatusStore } from '../ports.ts';

/** Told of every command that a lock has said ok to. */
export type Done = (lockId: LockId, command: LockCommand, outcome: Extract<CommandOutcome, { kind: 'ok' }>) => void;

/** Keeps the count with the status of the lock. */
export function countingCards({ locks, statuses }: { readonly locks: Pick<LockStore, 'get'>; readonly statuses: StatusStore }): Done {
  return (lockId, command, { listing }) => {
    if (locks.get(lockId) === undefined) return;
    const { cardsOnLock } = statuses.get(lockId);
    if (listing !== undefined) statuses.patch(lockId, { cardsOnLock: listing.total });
    else if (cardsOnLock === null) return;
    else if (command.op === 'add-card') statuses.patch(lockId, { cardsOnLock: cardsOnLock + 1 });
    else if (command.op === 'remove-card') statuses.patch(lockId, { cardsOnLock: Math.max(0, cardsOnLock - 1) });
  };
}

/** How many cards the lock may hold: as it said, and those whose adding was not confirmed; null when it has never said, or what was added cannot be read. */
export async function cardsOnLock(
  { cards, statuses }: { readonly cards: Pick<CardStore, 'of'>; readonly statuses: Pick<StatusStore, 'get'> },
  lockId: LockId,
): Promise<number | null> {
  const { cardsOnLock: said } = statuses.get(lockId);
  if (said === null) return null;
  const known = await cards.of(lockId).catch(() => undefined);
  return known === undefined ? null : said + known.intents.filter(({ kind }) => kind === 'add').length;
}

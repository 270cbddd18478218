// The commands about cards that every lock with cards has.

import type { AccountId } from '../accounts/account.ts';
import { DomainError } from '../errors.ts';
import { type CommandEnd, type CommandRequest, type CommandService, priority } from '../locks/command-service.ts';
import type { LockSession } from '../locks/lock-link.ts';
import { refuseUnlessOk } from '../locks/lock-service.ts';
import type { CardOnLock } from './card.ts';

/** Whether the lock has replied that it has no such card. */
export function isNotFound(end: CommandEnd): boolean {
  return end.kind === 'refused' && end.error === 'not-found';
}

/** How many cards one `list-cards` may request. */
const listingLimit = 100;

type ListingRequest = Pick<CommandRequest, 'deadline' | 'gone'> & { readonly session: LockSession; readonly accountId: AccountId | null };

/**
 * Lists every card in the lock's memory, page by page. Rejects with `lock-refused` when the lock cannot list them, and with the codes of
 * `send`.
 */
export async function listCardsOnLock(commands: CommandService, request: ListingRequest): Promise<readonly CardOnLock[]> {
  const held: CardOnLock[] = [];
  for (;;) {
    const offset = held.length;
    const end = await commands.send({
      ...request,
      lockId: request.session.lockId,
      priority: priority.change,
      makeCommand: () => ({ op: 'list-cards', offset, limit: listingLimit }),
    });
    refuseUnlessOk(end);
    const listing = end.kind === 'ok' ? end.listing : undefined;
    if (listing === undefined) throw incomplete();
    held.push(...listing.cards);
    if (held.length >= listing.total) return held;
    // An empty page before the promised total: going on would never end, and the missing cards must not count as removed.
    if (listing.cards.length === 0) throw incomplete();
  }
}

function incomplete(): DomainError {
  return new DomainError('lock-refused', 'the lock did not list its cards', { lockError: 'failed' });
}

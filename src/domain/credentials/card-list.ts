// The cards of a lock as people and programs list them (HTTP API 6.1).
import type { Caller } from '../accounts/account.ts';
import { requireRole } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { ListAsked, LongLists } from '../long-lists.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import { type Card, hasEnded } from './card.ts';
import type { EntryStore } from './entry-ports.ts';
import { listedCards } from './listed-card.ts';

export const cardColumns = ['cardName', 'cardNumber', 'endDate', 'createDate'] as const;
/** Whether a card opens at this moment, only later, or no longer. */
export const cardTimes = ['now', 'later', 'over'] as const;

export interface CardsAsked extends ListAsked<(typeof cardColumns)[number]> {
  readonly valid?: (typeof cardTimes)[number] | undefined;
}

/**
 * By cardId ascending, unless it is asked otherwise; a search looks in name, number and who added it. Needs the role manager. Rejects with
 * `rate-limited` as `LongLists.page`.
 */
export type CardList = (caller: Caller, lockId: LockId, wanted: CardsAsked, gone?: CancelSignal) => Promise<Page<Card>>;

const columns = {
  cardName: ({ name }: Card) => name,
  cardNumber: ({ cardNumber }: Card) => cardNumber,
  endDate: ({ endDate }: Card) => endDate || Number.POSITIVE_INFINITY,
  createDate: ({ createdAt }: Card) => createdAt,
};
const textsOf = ({ name, cardNumber, createdBy }: Card): readonly string[] => [name, cardNumber, createdBy];

export function createCardList(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly locks: LockStore;
  readonly entries: Pick<EntryStore, 'inMemory' | 'of'>;
  readonly longLists: LongLists;
}): CardList {
  const { clock, locks, entries, longLists } = options;
  return async (caller, lockId, { valid, ...asked }, gone) => {
    requireRole(locks, caller, lockId, 'manager');
    const now = clock.now();
    const there = entries.inMemory(lockId) ?? (await entries.of(lockId));
    const all = (request: PageRequest): Page<Card> => paginate(listedCards(there.entries, now), request);
    const isWanted = valid === undefined ? undefined : (card: Card) => timeOf(card, now) === valid;
    return longLists.page(caller, all, { asked, textsOf, columns, isWanted }, gone);
  };
}

function timeOf(card: Card, now: number): (typeof cardTimes)[number] {
  if (card.startDate > now) return 'later';
  return hasEnded(card, now) ? 'over' : 'now';
}

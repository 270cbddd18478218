// Identity cards: what the gateway keeps, what the lock holds, and that both change together or not at all (Protocol 5.4 rule 6).
import type { Caller } from './account.ts';
import type { Card, CardId, CardOnLock, Validity, Via } from './card.ts';
import type { LockId } from './lock.ts';
import type { Page, PageRequest } from './page.ts';

export interface NewCard extends Validity {
  readonly cardNumber: string;
  readonly byteOrder: 'regular' | 'reverse';
  readonly name: string;
}

export interface CardService {
  list(caller: Caller, lockId: LockId, page: PageRequest): Page<Card>;
  detail(caller: Caller, lockId: LockId, cardId: CardId): Card;
  /** `card-exists`, `lock-refused`, `lock-offline`, `lock-busy`, `lock-timeout`; `invalid-parameter` for dates that make no sense. */
  add(caller: Caller, lockId: LockId, card: NewCard, via: Via, gone: AbortSignal): Promise<CardId>;
  changeValidity(caller: Caller, lockId: LockId, cardId: CardId, validity: Validity, via: Via, gone: AbortSignal): Promise<void>;
  /** Concerns only the gateway. */
  rename(caller: Caller, lockId: LockId, cardId: CardId, name: string): Promise<void>;
  remove(caller: Caller, lockId: LockId, cardId: CardId, via: Via, gone: AbortSignal): Promise<void>;
  /** What the lock itself holds, asked now; `known`: the gateway has a card of that number. */
  onLock(caller: Caller, lockId: LockId, gone: AbortSignal): Promise<readonly (CardOnLock & { readonly known: boolean })[]>;
  /** Settles what a time-out or a restart left open; called after each hello. Never rejects. */
  settle(lockId: LockId): Promise<void>;
}

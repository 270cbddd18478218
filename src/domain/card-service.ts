// Identity cards: who may see and change them, and what makes sense for the cards that a lock has.
import type { Caller } from './account.ts';
import {
  type Card,
  type CardId,
  type CardIntent,
  type CardOnLock,
  hasEnded,
  type LockCards,
  requireInOrder,
  sameCard,
  storedCardNumber,
  type Validity,
  type Via,
} from './card.ts';
import { createCardChanges } from './card-changes.ts';
import { cardIdOf, cardNumbered, cardWithId } from './card-rules.ts';
import { listCardsOnLock } from './card-settlement.ts';
import type { CommandService } from './command-service.ts';
import { DomainError, invalidParameter } from './errors.ts';
import type { LockId } from './lock.ts';
import type { LockCommand } from './lock-command.ts';
import type { Notify } from './notice.ts';
import type { QueueFigures } from './one-at-a-time.ts';
import { type Page, type PageRequest, paginate } from './page.ts';
import { requireRole, requireRoleStill } from './permissions.ts';
import type { AccountStore, CardStore, Clock, CounterStore, Gone, LockStore } from './ports.ts';

export interface NewCard extends Validity {
  readonly cardNumber: string;
  readonly byteOrder: 'regular' | 'reverse';
  readonly name: string;
}

/** For managers of the lock: `forbidden` for others, `lock-not-found` before that; `card-not-found` where a card is named. */
export interface CardService {
  /** Changes through the gateway, of all locks, now. */
  figures(): QueueFigures;
  /** By cardId. */
  list(caller: Caller, lockId: LockId, page: PageRequest): Page<Card>;
  detail(caller: Caller, lockId: LockId, cardId: CardId): Card;
  /** `card-exists`, `lock-refused`, `lock-offline`, `lock-busy`, `lock-timeout`; `invalid-parameter` for dates that make no sense. */
  add(caller: Caller, lockId: LockId, card: NewCard, via: Via, gone: Gone): Promise<CardId>;
  /** The codes of `add`, but for `card-exists`. It may lie in the past. */
  changeValidity(caller: Caller, lockId: LockId, cardId: CardId, validity: Validity, via: Via, gone: Gone): Promise<void>;
  /** Concerns only the gateway. */
  rename(caller: Caller, lockId: LockId, cardId: CardId, name: string): Promise<void>;
  /** That the lock no longer had it is no error. The codes of `add`, but for `card-exists`. */
  remove(caller: Caller, lockId: LockId, cardId: CardId, via: Via, gone: Gone): Promise<void>;
  /** What the lock itself holds, asked now; `known`: the gateway has a card of that number. */
  onLock(caller: Caller, lockId: LockId, gone: Gone): Promise<readonly (CardOnLock & { readonly known: boolean })[]>;
  /** Settles what a time-out or a restart left open; called after each hello. Never rejects. */
  settle(lockId: LockId): Promise<void>;
}

export function createCardService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly cards: CardStore;
  readonly accounts: Pick<AccountStore, 'current'>;
  readonly counters: CounterStore;
  readonly commands: CommandService;
  readonly notify: Notify;
}): CardService {
  const { clock, locks, cards, accounts, counters, commands } = options;
  const changes = createCardChanges(options);

  return {
    figures: changes.figures,

    list(caller, lockId, page) {
      requireRole(locks, caller, lockId, 'manager');
      return paginate(cards.of(lockId).cards, page);
    },

    detail(caller, lockId, cardId) {
      requireRole(locks, caller, lockId, 'manager');
      return cardWithId(cards.of(lockId), cardId);
    },

    async add(caller, lockId, { cardNumber, byteOrder, name, startDate, endDate }, via, gone) {
      const stored = storedCardNumber(cardNumber, byteOrder);
      const createdAt = clock.now();
      requireInOrder({ startDate, endDate });
      if (hasEnded({ startDate, endDate }, createdAt)) throw invalidParameter('endDate', 'must not be in the past');
      requireRole(locks, caller, lockId, 'manager');
      const newCard = async (): Promise<Card> => {
        refuseKnown(cards.of(lockId), stored);
        const cardId = (await counters.next('cardId')) as CardId;
        return { cardId, lockId, cardNumber: stored, name, startDate, endDate, createdAt, createdBy: caller.username };
      };
      const complete = (card: Card) => (current: LockCards) => {
        refuseKnown(current, stored);
        return { ...current, cards: [...current.cards, card].sort((a, b) => a.cardId - b.cardId) };
      };
      if (via === 'phone') {
        const card = await newCard();
        await changes.byPhone(lockId, stored, complete(card));
        return card.cardId;
      }
      const intent = await changes.onLock({ caller, lockId, gone }, async () => {
        const card = await newCard();
        const command: LockCommand = { op: 'add-card', cardNumber: sameCard(stored), startDate, endDate };
        return { intent: { kind: 'add', card }, command, check: (current) => refuseKnown(current, stored), complete: complete(card) };
      });
      return cardIdOf(intent);
    },

    async changeValidity(caller, lockId, cardId, validity, via, gone) {
      requireInOrder(validity);
      requireRole(locks, caller, lockId, 'manager');
      const { cardNumber } = cardWithId(cards.of(lockId), cardId);
      const { startDate, endDate } = validity;
      const complete = (current: LockCards) => {
        cardWithId(current, cardId);
        return { ...current, cards: current.cards.map((card) => (card.cardId === cardId ? { ...card, startDate, endDate } : card)) };
      };
      if (via === 'phone') {
        await changes.byPhone(lockId, cardNumber, complete);
        return;
      }
      await changes.onLock({ caller, lockId, gone }, async () => {
        const command: LockCommand = { op: 'update-card', cardNumber: sameCard(cardNumber), startDate, endDate };
        const intent: CardIntent = { kind: 'change-validity', cardId, startDate, endDate };
        return { intent, command, check: (current) => void cardWithId(current, cardId), complete };
      });
    },

    async rename(caller, lockId, cardId, name) {
      requireRole(locks, caller, lockId, 'manager');
      await cards.update(lockId, (current) => {
        cardWithId(current, cardId);
        return { ...current, cards: current.cards.map((card) => (card.cardId === cardId ? { ...card, name } : card)) };
      });
    },

    async remove(caller, lockId, cardId, via, gone) {
      requireRole(locks, caller, lockId, 'manager');
      const { cardNumber } = cardWithId(cards.of(lockId), cardId);
      const complete = (current: LockCards) => ({ ...current, cards: current.cards.filter((card) => card.cardId !== cardId) });
      if (via === 'phone') {
        await changes.byPhone(lockId, cardNumber, complete);
        return;
      }
      await changes.onLock({ caller, lockId, gone }, async () => {
        const command: LockCommand = { op: 'remove-card', cardNumber: sameCard(cardNumber) };
        return { intent: { kind: 'delete', cardId }, command, check: (current) => void cardWithId(current, cardId), complete };
      });
    },

    async onLock(caller, lockId, gone) {
      requireRole(locks, caller, lockId, 'manager');
      const deadline = commands.deadline();
      const session = commands.session(lockId);
      const held = await listCardsOnLock(commands, { session, accountId: caller.accountId, deadline, gone });
      // Asked again: the role, or the account, can have been taken away while the lock was asked.
      requireRoleStill({ locks, accounts }, caller, lockId, 'manager');
      return held.map((card) => ({ ...card, known: cardNumbered(cards.of(lockId), card.cardNumber) !== undefined }));
    },

    settle: changes.settle,
  };
}

function refuseKnown(current: LockCards, cardNumber: string): void {
  const known = cardNumbered(current, cardNumber);
  if (known !== undefined) throw new DomainError('card-exists', `card ${known.cardId} of this lock has that number already`);
}

// Identity cards: who may see and change them, and which changes fit the cards that a lock has.
import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { requireRole, requireRoleStill } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import type { QueueStats } from '../keyed-queue.ts';
import type { CommandService } from '../locks/command-service.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import {
  type Card,
  type CardId,
  type CardIntent,
  type CardOnLock,
  hasEnded,
  requireInOrder,
  sameCard,
  storedCardNumber,
  type Validity,
  type Via,
} from './card.ts';
import { type CardChanges, createCardChanges } from './card-changes.ts';
import type { CardEvidence } from './card-evidence.ts';
import type { CardStore } from './card-ports.ts';
import { listCardsOnLock, strangersOf } from './card-reconciler.ts';
import { cardWithId, removal, renaming } from './card-rules.ts';
import { type CardLookUp, cardIdOf } from './lock-cards.ts';

export interface NewCard extends Validity {
  readonly cardNumber: string;
  readonly byteOrder: 'regular' | 'reverse';
  readonly name: string;
}

/**
 * For managers of the lock. Each method rejects with `lock-not-found` for an unknown lock, then `forbidden` for others, then
 * `card-not-found` for an unknown card.
 */
export interface CardService {
  /** The changes of all locks that are under way through the gateway, now. */
  stats(): QueueStats;
  /** By cardId. */
  list(caller: Caller, lockId: LockId, page: PageRequest): Promise<Page<Card>>;
  detail(caller: Caller, lockId: LockId, cardId: CardId): Promise<Card>;
  /**
   * Rejects with `card-exists`, `lock-refused`, `lock-offline`, `lock-busy` or `lock-timeout`, and with `invalid-parameter` for dates in
   * the wrong order or in the past.
   */
  add(caller: Caller, lockId: LockId, card: NewCard, via: Via, gone: CancelSignal): Promise<CardId>;
  /** Rejects with the codes of `add`, except `card-exists`. The validity may lie in the past. */
  changeValidity(caller: Caller, lockId: LockId, cardId: CardId, validity: Validity, via: Via, gone: CancelSignal): Promise<void>;
  /** Renames the card at the gateway; the lock stores no names. */
  rename(caller: Caller, lockId: LockId, cardId: CardId, name: string): Promise<void>;
  /** It is no error if the lock no longer had the card. Rejects with the codes of `add`, except `card-exists`. */
  remove(caller: Caller, lockId: LockId, cardId: CardId, via: Via, gone: CancelSignal): Promise<void>;
  /** Asks the lock which cards it holds; `known`: the gateway has a card of that number. */
  onLock(caller: Caller, lockId: LockId, page: PageRequest, gone: CancelSignal): Promise<Page<CardOnLock & { readonly known: boolean }>>;
  readonly beforeRemoval: CardChanges['beforeRemoval'];
  /** Reconciles what a time-out or a restart left open; called after each hello. Never rejects. */
  reconcile(lockId: LockId): Promise<void>;
}

export function createCardService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly cards: CardStore;
  readonly accounts: Pick<AccountStore, 'get' | 'token'>;
  readonly counters: CounterStore;
  readonly commands: CommandService;
  readonly evidence: CardEvidence;
  /** As in the options of the card changes. */
  readonly webhooksStored: () => Promise<void>;
  readonly emit: Emit;
}): CardService {
  const { clock, locks, cards, accounts, counters, commands, evidence, webhooksStored } = options;
  const changes = createCardChanges(options);

  return {
    stats: changes.stats,

    async list(caller, lockId, page) {
      requireRole(locks, caller, lockId, 'manager');
      return paginate((cards.inMemory(lockId) ?? (await cards.of(lockId))).cards, page);
    },

    async detail(caller, lockId, cardId) {
      requireRole(locks, caller, lockId, 'manager');
      return cardWithId(cards.inMemory(lockId) ?? (await cards.of(lockId)), cardId);
    },

    async add(caller, lockId, { cardNumber, byteOrder, name, startDate, endDate }, via, gone) {
      const stored = storedCardNumber(cardNumber, byteOrder);
      const createdAt = clock.now();
      requireInOrder({ startDate, endDate });
      if (hasEnded({ endDate }, createdAt)) throw invalidParameter('endDate', 'must not be in the past');
      requireRole(locks, caller, lockId, 'manager');
      const newCard = async (): Promise<Card> => {
        refuseKnown(cards.inMemory(lockId) ?? (await cards.of(lockId)), stored);
        const cardId = (await counters.next('cardId')) as CardId;
        return { cardId, lockId, cardNumber: stored, name, startDate, endDate, createdAt, createdBy: caller.username };
      };
      const complete = (card: Card) => (current: CardLookUp) => {
        refuseKnown(current, stored);
        return { put: [card] };
      };
      if (via === 'phone') {
        const card = await newCard();
        await changes.byPhone(lockId, stored, complete(card));
        return card.cardId;
      }
      const intent = await changes.onLock({ caller, lockId, gone }, async (session) => {
        const card = await newCard();
        const before = evidence.of(session, stored);
        const command = { op: 'add-card', cardNumber: sameCard(stored), startDate, endDate } as const;
        const intent: CardIntent = before === undefined ? { kind: 'add', card } : { kind: 'add', card, before };
        return { intent, command, check: (current) => refuseKnown(current, stored), complete: complete(card) };
      });
      return cardIdOf(intent);
    },

    async changeValidity(caller, lockId, cardId, validity, via, gone) {
      requireInOrder(validity);
      requireRole(locks, caller, lockId, 'manager');
      const { cardNumber } = cardWithId(cards.inMemory(lockId) ?? (await cards.of(lockId)), cardId);
      const { startDate, endDate } = validity;
      const complete = (current: CardLookUp) => ({ put: [{ ...cardWithId(current, cardId), startDate, endDate }] });
      if (via === 'phone') {
        await changes.byPhone(lockId, cardNumber, complete);
        return;
      }
      await changes.onLock({ caller, lockId, gone }, async () => {
        const changed = { cardNumber: sameCard(cardNumber), startDate, endDate };
        const command = { op: 'update-card', ...changed } as const;
        // If the lock was reset, or somebody removed the card at the lock, it gets the card again: that is what the caller asked for.
        const whenNotFound = { op: 'add-card', ...changed } as const;
        const intent: CardIntent = { kind: 'change-validity', cardId, startDate, endDate };
        return { intent, command, whenNotFound, check: (current) => void cardWithId(current, cardId), complete };
      });
    },

    async rename(caller, lockId, cardId, name) {
      requireRole(locks, caller, lockId, 'manager');
      await cards.update(lockId, (current) => renaming(current, cardWithId(current, cardId), name, clock.now()));
      await webhooksStored();
    },

    async remove(caller, lockId, cardId, via, gone) {
      requireRole(locks, caller, lockId, 'manager');
      const { cardNumber } = cardWithId(cards.inMemory(lockId) ?? (await cards.of(lockId)), cardId);
      const complete = (current: CardLookUp) => {
        const card = current.byId(cardId);
        return card === undefined ? {} : removal(current, card, clock.now());
      };
      if (via === 'phone') {
        await changes.byPhone(lockId, cardNumber, complete);
        return;
      }
      await changes.onLock({ caller, lockId, gone }, async () => {
        const command = { op: 'remove-card', cardNumber: sameCard(cardNumber) } as const;
        const check = (current: CardLookUp) => void cardWithId(current, cardId);
        return { intent: { kind: 'delete', cardId }, command, whenNotFound: null, check, complete };
      });
    },

    async onLock(caller, lockId, page, gone) {
      requireRole(locks, caller, lockId, 'manager');
      const deadline = commands.deadline();
      const session = commands.session(lockId, 'cards');
      const held = await listCardsOnLock(commands, { session, accountId: caller.accountId, deadline, gone });
      const strangers = strangersOf(held, cards.inMemory(lockId) ?? (await cards.of(lockId)));
      evidence.heard(session, strangers);
      // Check again: the role or the account can be gone since the lock was asked.
      requireRoleStill({ locks, accounts }, caller, lockId, 'manager');
      const unknown = new Set(strangers);
      const { list, ...envelope } = paginate(held, page);
      return { list: list.map((card) => ({ ...card, known: !unknown.has(card) })), ...envelope };
    },

    beforeRemoval: changes.beforeRemoval,
    reconcile: changes.reconcile,
  };
}

function refuseKnown(current: CardLookUp, cardNumber: string): void {
  const known = current.byNumber(cardNumber);
  if (known !== undefined) throw new DomainError('card-exists', `card ${known.cardId} of this lock has that number already`);
}

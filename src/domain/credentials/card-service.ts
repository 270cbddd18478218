// Identity cards: who may see and change them, and which changes fit the cards that a lock has.
import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { requireRole, requireRoleStill } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { QueueStats } from '../keyed-queue.ts';
import type { CommandService } from '../locks/command-service.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { LongLists } from '../long-lists.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { LostNumbers } from '../revocations/lost-numbers.ts';
import type { AskedSteps } from './asked-steps.ts';
import {
  type Card,
  type CardId,
  type CardOnLock,
  type CardVia,
  hasEnded,
  requireInOrder,
  storedCardNumber,
  type Validity,
} from './card.ts';
import { listCardsOnLock } from './card-commands.ts';
import type { CardEvidence } from './card-evidence.ts';
import { type CardList, createCardList } from './card-list.ts';
import { isOnlyWanted, queuedAdd, queuedChange, queuedRemoval } from './card-queue.ts';
import { abandonment, cardWithId, entryWithId, renaming, wantedEntryWithId } from './card-rules.ts';
import { addition, noted, refuseKnown, removing, revalidation } from './card-steps.ts';
import type { Entry } from './entry.ts';
import type { EntryChange, EntryChanges } from './entry-changes.ts';
import type { EntryStore } from './entry-ports.ts';
import { listedCard } from './listed-card.ts';
import type { EntriesChange, EntryLookUp } from './lock-entries.ts';

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
  list: CardList;
  detail(caller: Caller, lockId: LockId, cardId: CardId): Promise<Card>;
  /**
   * Rejects with `card-exists`, `lock-refused`, `lock-offline`, `lock-busy` or `lock-timeout`, and with `invalid-parameter` for dates in
   * the wrong order or in the past.
   */
  add(caller: Caller, lockId: LockId, card: NewCard, via: CardVia, gone: CancelSignal): Promise<CardId>;
  /** Rejects with the codes of `add`, except `card-exists`. The validity may lie in the past. */
  changeValidity(caller: Caller, lockId: LockId, cardId: CardId, validity: Validity, via: CardVia, gone: CancelSignal): Promise<void>;
  /** Renames the card at the gateway; the lock stores no names. */
  rename(caller: Caller, lockId: LockId, cardId: CardId, name: string): Promise<void>;
  /** It is no error if the lock no longer had the card. Rejects with the codes of `add`, except `card-exists`. */
  remove(caller: Caller, lockId: LockId, cardId: CardId, via: CardVia, gone: CancelSignal): Promise<void>;
  /** Asks the lock which cards it holds; `known`: the gateway has a card of that number. */
  onLock(caller: Caller, lockId: LockId, page: PageRequest, gone: CancelSignal): Promise<Page<CardOnLock & { readonly known: boolean }>>;
  readonly beforeRemoval: EntryChanges['beforeRemoval'];
}

export function createCardService(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly locks: LockStore;
  readonly entries: EntryStore;
  readonly accounts: Pick<AccountStore, 'get' | 'token'>;
  readonly counters: CounterStore;
  readonly commands: CommandService;
  readonly changes: EntryChanges;
  readonly evidence: CardEvidence;
  readonly steps: AskedSteps;
  readonly lost: Pick<LostNumbers, 'has'>;
  /** The grants that want this entry on its lock. */
  readonly grantIdsOf: (lockId: LockId, entry: Entry) => readonly number[];
  /** Something else is wanted on this lock. */
  readonly wantedChanged: (lockId: LockId) => void;
  /** As in the options of the changes. */
  readonly webhooksStored: () => Promise<void>;
  readonly longLists: LongLists;
}): CardService {
  const { clock, locks, entries, accounts, counters, commands, changes, evidence, steps, lost, webhooksStored } = options;
  const needs = 'cards';

  /** As `entries.update`; rejects with `forbidden` when the caller is no manager any more. */
  async function update(caller: Caller, lockId: LockId, change: (current: EntryLookUp) => EntriesChange): Promise<void> {
    await entries.update(lockId, (current) => {
      requireRoleStill({ locks, accounts }, caller, lockId, 'manager');
      return change(current);
    });
    await webhooksStored();
  }

  /** Stores what is wanted from now on; the lock is brought to it by the reconciler. */
  async function queued(caller: Caller, lockId: LockId, change: (current: EntryLookUp) => EntriesChange): Promise<void> {
    await update(caller, lockId, change);
    options.wantedChanged(lockId);
  }
  function requireNotLost(number: string): void {
    if (lost.has(number)) throw new DomainError('conflict', 'this card was reported lost: report first that it was found');
  }
  /** It may be reported lost while it waits for a door, or for the lock. */
  function unlessLost(number: string, { begin, send, complete }: EntryChange): EntryChange {
    return {
      begin,
      send(request) {
        const check = () => {
          request.check();
          requireNotLost(number);
        };
        return send({ ...request, check });
      },
      complete(current, proof) {
        requireNotLost(number);
        return complete(current, proof);
      },
    };
  }
  function requireNotGranted(lockId: LockId, there: EntryLookUp, cardId: CardId): void {
    const entry = there.byId(cardId);
    const grantIds = entry === undefined || entry.credentialId === null ? [] : options.grantIdsOf(lockId, entry);
    if (grantIds.length > 0) throw new DomainError('granted', `a grant wants card ${cardId} on this lock`, { grantIds });
  }

  return {
    stats: changes.stats,

    list: createCardList(options),

    async detail(caller, lockId, cardId) {
      requireRole(locks, caller, lockId, 'manager');
      return cardWithId(entries.inMemory(lockId) ?? (await entries.of(lockId)), cardId, clock.now());
    },

    async add(caller, lockId, { cardNumber, byteOrder, name, startDate, endDate }, via, gone) {
      const number = storedCardNumber(cardNumber, byteOrder);
      const createdAt = clock.now();
      requireInOrder({ startDate, endDate });
      if (hasEnded({ endDate }, createdAt)) throw invalidParameter('endDate', 'must not be in the past');
      const lock = requireRole(locks, caller, lockId, 'manager');
      const newCard = async () => {
        requireNotLost(number);
        refuseKnown(entries.inMemory(lockId) ?? (await entries.of(lockId)), number, byteOrder, createdAt);
        const cardId = (await counters.next('cardId')) as CardId;
        return { card: { cardId, lockId, cardNumber: number, name, startDate, endDate, createdAt, createdBy: caller.username }, byteOrder };
      };
      if (via === 'gateway') {
        return changes.onLock({ caller, lockId, gone, needs }, async (session) => {
          const change = addition({ ...(await newCard()), before: evidence.of(session, number), lock, steps });
          return unlessLost(number, change);
        });
      }
      if (via === 'queue') {
        const { card } = await newCard();
        let entryId = card.cardId;
        const { cardId: _, cardNumber: __, ...rest } = card;
        await queued(caller, lockId, (current) => {
          const entry = queuedAdd(current, { ...rest, entryId: card.cardId, kind: 'card', number }, card);
          entryId = entry.entryId;
          return { put: [entry] };
        });
        return entryId;
      }
      const added = await newCard();
      let { cardId } = added.card;
      await changes.byPhone(caller, lockId, number, (current) => {
        const entry = noted(current, added);
        cardId = entry.entryId;
        return { put: [entry] };
      });
      return cardId;
    },

    async changeValidity(caller, lockId, cardId, validity, via, gone) {
      requireInOrder(validity);
      const lock = requireRole(locks, caller, lockId, 'manager');
      const there = entries.inMemory(lockId) ?? (await entries.of(lockId));
      requireNotGranted(lockId, there, cardId);
      if (via === 'queue') return queued(caller, lockId, (current) => queuedChange(current, cardId, validity));
      const { number } = wantedEntryWithId(there, cardId, clock.now());
      const change = revalidation({ cardId, number, validity, clock, lock, steps });
      if (via === 'phone') await changes.byPhone(caller, lockId, number, change.byPhone);
      else await changes.onLock({ caller, lockId, gone, needs }, async () => change);
    },

    async rename(caller, lockId, cardId, name) {
      requireRole(locks, caller, lockId, 'manager');
      await update(caller, lockId, (current) => {
        const now = clock.now();
        return renaming(current, entryWithId(current, cardId, now), name, now);
      });
    },

    async remove(caller, lockId, cardId, via, gone) {
      const lock = requireRole(locks, caller, lockId, 'manager');
      const there = entries.inMemory(lockId) ?? (await entries.of(lockId));
      requireNotGranted(lockId, there, cardId);
      // What is on no lock yet needs no lock to be given up; refused, it would come back by itself.
      const needsNoLock = via === 'queue' || isOnlyWanted(there, cardId, clock.now());
      if (needsNoLock) return queued(caller, lockId, (current) => queuedRemoval(current, cardId, caller.username));
      const { number } = entryWithId(there, cardId, clock.now());
      if (via === 'gateway') {
        await changes.onLock({ caller, lockId, gone, needs }, async () => removing({ cardId, number, clock, lock, steps }));
        return;
      }
      await changes.byPhone(caller, lockId, number, (current) => {
        const entry = current.byId(cardId);
        return entry === undefined ? {} : abandonment(current, entry, clock.now());
      });
    },

    async onLock(caller, lockId, page, gone) {
      requireRole(locks, caller, lockId, 'manager');
      const deadline = commands.deadline(gone);
      const session = commands.session(lockId, needs);
      const held = await listCardsOnLock(commands, { session, accountId: caller.accountId, deadline, gone });
      const strangers = strangersOf(held, entries.inMemory(lockId) ?? (await entries.of(lockId)), clock.now());
      evidence.heard(session, strangers);
      // Check again: the role or the account can be gone since the lock was asked.
      requireRoleStill({ locks, accounts }, caller, lockId, 'manager');
      const unknown = new Set<CardOnLock>(strangers);
      const { list, ...envelope } = paginate(held, page);
      return { list: list.map((card) => ({ ...card, known: !unknown.has(card) })), ...envelope };
    },

    beforeRemoval: changes.beforeRemoval,
  };
}

/** Cards on the lock that the gateway does not have in its list. */
function strangersOf(held: readonly CardOnLock[], known: EntryLookUp, now: number): readonly CardOnLock[] {
  return held.filter(({ cardNumber }) => {
    const entry = known.byNumber('card', cardNumber);
    return entry === undefined || listedCard(entry, now) === undefined;
  });
}

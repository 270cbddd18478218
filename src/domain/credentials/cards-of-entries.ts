// The cards of a lock and their open intents, as a view of its entries.
import type { Card, CardId, CardIntent, Validity } from './card.ts';
import type { CardStore } from './card-ports.ts';
import type { Entry, Held, ValidWindow } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import { listedCard } from './listed-card.ts';
import { type CardLookUp, type CardsChange, cardIdOf, type LockCards, nameOfIntent } from './lock-cards.ts';
import { type EntriesChange, type EntryLookUp, isUnsure, type LockEntries } from './lock-entries.ts';

/** Those cards as a store of their own. */
export function cardsOfEntries(entries: EntryStore): CardStore {
  return {
    inMemory(lockId) {
      const there = entries.inMemory(lockId);
      return there && viewOf(there);
    },
    of: async (lockId) => viewOf(await entries.of(lockId)),
    update: (lockId, change) => entries.update(lockId, (newest) => changeOf(newest, change(lookUp(newest)))),
  };
}

function viewOf(there: LockEntries): LockCards {
  return {
    ...lookUp(there),
    cards: there.entries.flatMap((entry) => listedCard(entry) ?? []),
  };
}

function lookUp(there: EntryLookUp): CardLookUp {
  const listed = (entry: Entry | undefined) => entry && listedCard(entry);
  return {
    byId: (cardId) => listed(there.byId(cardId)),
    byNumber: (number) => listed(there.byNumber('card', number)),
    past: (number) => there.past(number),
    intents: there.unsure.map(intentOf),
    isOpen: (intent) => isOpen(there, intent),
  };
}

function isOpen(there: EntryLookUp, intent: CardIntent): boolean {
  const entry = there.byId(cardIdOf(intent));
  return entry !== undefined && isUnsure(entry) && nameOfIntent(intentOf(entry)) === nameOfIntent(intent);
}

function intentOf({ entryId, lockId, number, name, createdAt, createdBy, direct, held }: Entry): CardIntent {
  const { window, before } = held as Held;
  if (window === null) return { kind: 'delete', cardId: entryId };
  const { startDate, endDate } = window;
  if (direct !== null) return { kind: 'change-validity', cardId: entryId, startDate, endDate };
  const card = { cardId: entryId, lockId, cardNumber: number, name, startDate, endDate, createdAt, createdBy };
  if (before === undefined) return { kind: 'add', card };
  return { kind: 'add', card, before: before && { startDate: before.startDate, endDate: before.endDate } };
}

const windowOf = ({ startDate, endDate }: Validity): ValidWindow => ({ startDate, endDate, hours: '', once: false });

/** An entry for a card that somebody puts on a lock, before the lock holds it. */
function newEntry({ cardId, lockId, cardNumber, name, createdAt, createdBy }: Card): Entry {
  return {
    ...{ entryId: cardId, lockId, kind: 'card', number: cardNumber, name, createdAt, createdBy, managed: true, direct: null },
    ...{ credentialId: null, held: null, missing: false, used: false, accepted: null, scheduleId: null },
  };
}

const sureOf = (window: ValidWindow, at: number): Held => ({ window, sure: true, since: at, basis: 'reply', basisDate: at });

function changeOf(newest: EntryLookUp, { put = [], remove = [], open = [], close = [], past = [] }: CardsChange): EntriesChange {
  const changed = new Map<CardId, Entry | undefined>();
  const now = (cardId: CardId) => (changed.has(cardId) ? changed.get(cardId) : newest.byId(cardId));
  for (const intent of close) {
    const cardId = cardIdOf(intent);
    const entry = now(cardId);
    if (entry === undefined || !isOpen(newest, intent)) continue;
    changed.set(
      cardId,
      entry.direct === null ? undefined : { ...entry, held: sureOf(entry.held?.before ?? entry.direct, entry.createdAt) },
    );
  }
  for (const cardId of remove) changed.set(cardId, undefined);
  for (const card of put) {
    const direct = windowOf(card);
    const there = now(card.cardId) ?? newEntry(card);
    const held = there.held?.sure === false ? there.held : sureOf(direct, card.createdAt);
    changed.set(card.cardId, { ...there, number: card.cardNumber, name: card.name, direct, held });
  }
  for (const intent of open) {
    const entry = intent.kind === 'add' ? newEntry(intent.card) : now(intent.cardId);
    if (entry === undefined) continue;
    const window = intent.kind === 'delete' ? null : windowOf(intent.kind === 'add' ? intent.card : intent);
    const before = intent.kind === 'add' ? intent.before && windowOf(intent.before) : entry.direct;
    const { createdAt: since } = entry;
    const held: Held = { window, sure: false, since, basis: 'reply', basisDate: since };
    changed.set(entry.entryId, { ...entry, held: before === undefined ? held : { ...held, before } });
  }
  const all = [...changed];
  return {
    put: all.flatMap(([, entry]) => entry ?? []),
    remove: all.flatMap(([cardId, entry]) => (entry === undefined && newest.byId(cardId) !== undefined ? [cardId] : [])),
    past,
  };
}

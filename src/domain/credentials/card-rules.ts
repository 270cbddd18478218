// Rules about the entries of one lock: which card an id means, who held a number when, and how an entry begins and ends.

import { DomainError } from '../errors.ts';
import { type Card, type CardId, type CardOnLock, sameCard, type Validity } from './card.ts';
import { always, type Entry, type Held, isSameWindow, type ValidWindow } from './entry.ts';
import { listedCard } from './listed-card.ts';
import type { EntriesChange, EntryLookUp, PastHolder } from './lock-entries.ts';

/** The entry of the listed card with that id. Throws `card-not-found` when the lock has none. */
export function entryWithId(current: EntryLookUp, cardId: CardId, now: number): Entry {
  const entry = current.byId(cardId);
  if (entry === undefined || listedCard(entry, now) === undefined) {
    throw new DomainError('card-not-found', `there is no card ${cardId} on this lock`);
  }
  return entry;
}

/** As `entryWithId`, and one that people want there and that is on its way to the lock. */
export function wantedEntryWithId(current: EntryLookUp, cardId: CardId, now: number): Entry {
  const entry = current.byId(cardId);
  return entry?.kind === 'card' && entry.direct !== null ? entry : entryWithId(current, cardId, now);
}

/** Throws `card-not-found` when the lock has no such card. */
export function cardWithId(current: EntryLookUp, cardId: CardId, now: number): Card {
  return listedCard(entryWithId(current, cardId, now), now) as Card;
}

/** A card that opens at all hours of these dates. */
export function cardWindow({ startDate, endDate }: Validity): ValidWindow {
  return startDate === 0 && endDate === 0 ? always : { startDate, endDate, hours: '', once: false };
}

/** A number that nobody wants yet, and that the lock is not known to hold. */
export function emptyEntry(of: Pick<Entry, 'entryId' | 'lockId' | 'kind' | 'number' | 'name' | 'createdAt' | 'createdBy'>): Entry {
  // One by one: what else is in `of` would be stored, and make the file unreadable.
  const { entryId, lockId, kind, number, name, createdAt, createdBy } = of;
  return {
    ...{ entryId, lockId, kind, number, name, createdAt, createdBy },
    managed: true,
    direct: null,
    credentialId: null,
    held: null,
    missing: false,
    used: false,
    accepted: null,
    scheduleId: null,
  };
}

/** What the lock holds under the number as far as is known, before something is sent to it. */
export function heldBefore({ held }: Entry): ValidWindow | null | undefined {
  return held === null || held.sure ? (held?.window ?? null) : held.before;
}

/** Whether the outcome of this very step is still open. */
export function isOpenStep(entry: Entry | undefined, step: Held): entry is Entry & { readonly held: Held } {
  const held = entry?.held;
  return held?.sure === false && held.since === step.since && isSameWindow(held.window, step.window);
}

/** Nobody wants the card directly any more, and the lock no longer holds it. Its holder is remembered for events that are still to come. */
export function removal(current: EntryLookUp, entry: Entry, now: number): EntriesChange {
  if (entry.credentialId !== null) return { put: [{ ...entry, direct: null, held: null, missing: false }] };
  return { remove: [entry.entryId], past: pastOf(current, entry, now) };
}

/** Nobody wants it any more, and the lock is known to hold it: the gateway leaves that to people. */
export function abandonment(current: EntryLookUp, entry: Entry, now: number): EntriesChange {
  const { held } = entry;
  const isSeen = held?.sure === true && held.window !== null && held.basis !== 'phone';
  if (!isSeen || entry.credentialId !== null) return removal(current, entry, now);
  const stranger: Entry = { ...entry, name: '', createdBy: '', managed: true, direct: null, missing: false, scheduleId: null };
  return { put: [stranger], past: pastOf(current, entry, now) };
}

/** Renames an entry and remembers its earlier name. */
export function renaming(current: EntryLookUp, entry: Entry, name: string, now: number): EntriesChange {
  return name === entry.name ? {} : { put: [{ ...entry, name }], past: pastOf(current, entry, now) };
}

function pastOf(current: EntryLookUp, entry: Entry, to: number): readonly PastHolder[] {
  if (entry.kind !== 'card') return [];
  const { entryId: cardId, number: cardNumber, name } = entry;
  return [{ cardId, cardNumber, name, from: sinceOf(current, entry), to }];
}

/** Since when an entry has had its number and name. */
function sinceOf(current: EntryLookUp, { entryId, number, createdAt }: Entry): number {
  const last = current.past(number).findLast((before) => before.cardId === entryId)?.to;
  return last === undefined ? createdAt : Math.max(last, createdAt);
}

/** How wrong the clock of a lock may be. */
const toleranceMs = 2_000;

/**
 * The name of the holder of a card number at that date; undefined: no known holder. Where one holder follows another, the date alone
 * decides.
 */
export function holderAt(current: EntryLookUp, cardNumber: string, at: number): string | undefined {
  const there = current.byNumber('card', cardNumber);
  const entry = there !== undefined && hasHolder(there, at) ? there : undefined;
  const past = current.past(cardNumber);
  if (entry !== undefined && past.length === 0) return at >= entry.createdAt - toleranceMs ? entry.name : undefined;
  const now = entry === undefined ? [] : [{ name: entry.name, from: sinceOf(current, entry), to: Number.POSITIVE_INFINITY }];
  const holders = [...past, ...now];
  const exact = holders.findLast(({ from, to }) => from <= at && at < to);
  return (exact ?? holders.findLast(({ from, to }) => from - toleranceMs <= at && at < to + toleranceMs))?.name;
}

/** Not so what the lock holds for nobody, and an add without an answer. */
function hasHolder(entry: Entry, at: number): boolean {
  return entry.direct !== null || entry.credentialId !== null || listedCard(entry, at) !== undefined;
}

/** The `cards.digest` that a lock with exactly these cards reports; `hash` is SHA-256 in hex digits. */
export function digestOf(cards: readonly CardOnLock[], hash: (text: string) => string): string {
  // Sorted by number as text; a comma comes before every digit, so whole lines sort alike.
  const lines = cards.map(({ cardNumber, startDate, endDate }) => `${sameCard(cardNumber)},${startDate},${endDate}\n`).sort();
  return hash(lines.join('')).slice(0, 16);
}

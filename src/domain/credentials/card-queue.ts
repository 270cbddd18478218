// Cards that are wanted on a lock from now on, whether it is online or not: the reconciler brings the lock to it.
import { DomainError } from '../errors.ts';
import type { CardId, Validity } from './card.ts';
import { cardWindow, emptyEntry } from './card-rules.ts';
import { answered, type Entry } from './entry.ts';
import { listedCard } from './listed-card.ts';
import type { EntriesChange, EntryLookUp } from './lock-entries.ts';

type NewEntry = Parameters<typeof emptyEntry>[0];

/** Throws `card-exists` when somebody wants a card of that number there already. */
export function queuedAdd(current: EntryLookUp, fresh: NewEntry, validity: Validity): Entry {
  const there = current.byNumber('card', fresh.number);
  if (there !== undefined && (there.direct !== null || there.credentialId !== null)) {
    throw new DomainError('card-exists', `card ${there.entryId} of this lock has that number already`);
  }
  const { name, createdAt, createdBy } = fresh;
  const entry = there === undefined ? emptyEntry(fresh) : answered(there);
  return { ...entry, name, createdAt, createdBy, managed: true, missing: false, accepted: null, direct: cardWindow(validity) };
}

/** A card that was removed at the lock, or that only a phone has put there, is put there again: that is what the caller asks for. */
export function queuedChange(current: EntryLookUp, cardId: CardId, validity: Validity): EntriesChange {
  return { put: [{ ...requireQueued(current, cardId), managed: true, missing: false, direct: cardWindow(validity) }] };
}

/** Whether somebody wants it there and the lock surely does not have it: it waits for the lock, or somebody took it off there. */
export function isOnlyWanted(current: EntryLookUp, cardId: CardId, now: number): boolean {
  const entry = current.byId(cardId);
  return entry?.kind === 'card' && entry.direct !== null && listedCard(entry, now) === undefined;
}

/** It is forgotten when the lock surely does not have it. */
export function queuedRemoval(current: EntryLookUp, cardId: CardId, by: string): EntriesChange {
  const entry = requireQueued(current, cardId);
  return { put: [{ ...entry, managed: true, missing: false, accepted: null, direct: null, createdBy: entry.createdBy || by }] };
}

/** Also one that the lock does not have yet. Throws `card-not-found`. */
function requireQueued(current: EntryLookUp, cardId: CardId): Entry {
  const entry = current.byId(cardId);
  if (entry?.kind === 'card' && (entry.direct !== null || entry.credentialId !== null)) return entry;
  throw new DomainError('card-not-found', `there is no card ${cardId} on this lock`);
}

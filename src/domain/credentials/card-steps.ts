// The changes of a lock's cards that people and programs ask for, as steps of their entries.
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { Lock } from '../locks/lock.ts';
import type { AskedSteps } from './asked-steps.ts';
import type { Card, CardId, Validity } from './card.ts';
import { cardWindow, emptyEntry, heldBefore, removal, wantedEntryWithId } from './card-rules.ts';
import { answered, type Entry, type Held } from './entry.ts';
import type { EntryChange } from './entry-changes.ts';
import { listedCard } from './listed-card.ts';
import type { EntriesChange, EntryLookUp } from './lock-entries.ts';

type ByteOrder = 'regular' | 'reverse';

/** How it gets to its lock. */
interface Sending {
  readonly lock: Lock;
  readonly steps: AskedSteps;
}

interface Added {
  readonly card: Card;
  /** In which order the number was given. */
  readonly byteOrder: ByteOrder;
}

/** Throws `card-exists` when the list of this lock has that number, or somebody has put it there. */
export function refuseKnown(current: EntryLookUp, number: string, byteOrder: ByteOrder, now: number): void {
  const known = current.byNumber('card', number);
  if (known !== undefined && (known.direct !== null || listedCard(known, now) !== undefined)) throw exists(known, byteOrder);
}

function exists({ entryId }: Entry, byteOrder: ByteOrder): DomainError {
  const reversed = byteOrder === 'reverse' ? ' after its bytes are reversed' : '';
  return new DomainError('card-exists', `card ${entryId} of this lock has that number already${reversed}`);
}

function open(window: Held['window'], before: Held['before'], since: number): Held {
  const held: Held = { window, sure: false, since, basis: 'reply', basisDate: since };
  return before === undefined ? held : { ...held, before };
}

/**
 * Adds a card. `before`: what the lock held under that number, when there is no entry of it; null: none; undefined: unknown, whatever an
 * entry says. Until the lock has said ok it belongs to nobody, and what was or may have been there before stays a stranger.
 */
export function addition({
  card,
  byteOrder,
  before,
  lock,
  steps,
}: Added & Sending & { readonly before: Validity | null | undefined }): EntryChange {
  const { cardNumber, name: cardName, createdAt } = card;
  const window = cardWindow(card);
  return {
    begin(current) {
      refuseKnown(current, cardNumber, byteOrder, createdAt);
      const there = current.byNumber('card', cardNumber);
      const last = there && before !== undefined ? heldBefore(there) : before && cardWindow(before);
      const held = open(window, last, createdAt);
      if (there !== undefined && there.credentialId !== null) return { ...there, held };
      const { name, createdBy } = last === null ? card : { name: '', createdBy: '' };
      const entry = { ...(there ?? newEntry(card)), name, createdBy, held, managed: true, missing: false };
      return last === null ? { ...entry, unanswered: true } : entry;
    },
    send: (request) => steps(lock, { kind: 'card', number: cardNumber, name: cardName, window }, request),
    complete(current, proof) {
      const there = current.byNumber('card', cardNumber);
      if (there !== undefined && there.direct !== null) throw exists(there, byteOrder);
      return { put: [{ ...owned(there, card), direct: window, held: { ...proof, window } }] };
    },
  };
}

/** A phone has added the card: the entry of it. */
export function noted(current: EntryLookUp, { card, byteOrder }: Added): Entry {
  const { cardNumber, createdAt } = card;
  refuseKnown(current, cardNumber, byteOrder, createdAt);
  const window = cardWindow(card);
  const held: Held = { window, sure: true, since: createdAt, basis: 'phone', basisDate: createdAt };
  return { ...owned(current.byNumber('card', cardNumber), card), direct: window, held, managed: false };
}

function newEntry({ cardId: entryId, lockId, cardNumber: number, name, createdAt, createdBy }: Card): Entry {
  return emptyEntry({ entryId, lockId, kind: 'card', number, name, createdAt, createdBy });
}

/** What is there under the number, or nothing, as an entry of this card. */
function owned(there: Entry | undefined, card: Card): Entry {
  const { cardNumber: number, name, createdAt, createdBy } = card;
  return there === undefined
    ? newEntry(card)
    : { ...answered(there), number, name, createdAt, createdBy, managed: true, missing: false, accepted: null };
}

interface OfCard extends Sending {
  readonly cardId: CardId;
  readonly number: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Gives a card other dates. */
export function revalidation({ cardId, number, validity, clock, lock, steps }: OfCard & { readonly validity: Validity }): EntryChange & {
  /** A phone has done it. */
  byPhone(current: EntryLookUp): EntriesChange;
} {
  const window = cardWindow(validity);
  return {
    begin(current) {
      const now = clock.now();
      const entry = wantedEntryWithId(current, cardId, now);
      return { ...entry, held: open(window, heldBefore(entry), now) };
    },
    // If the lock was reset, or somebody removed the card at the lock, it gets the card again: that is what the caller asked for.
    send: (request) => steps(lock, { kind: 'card', number, name: '', window, isThere: true }, request),
    complete(current, proof) {
      const entry = wantedEntryWithId(current, cardId, clock.now());
      return { put: [{ ...entry, direct: window, held: { ...proof, window }, missing: false, managed: true }] };
    },
    byPhone(current) {
      const now = clock.now();
      const held: Held = { window, sure: true, since: now, basis: 'phone', basisDate: now };
      return { put: [{ ...wantedEntryWithId(current, cardId, now), direct: window, held, missing: false }] };
    },
  };
}

/** Takes a card off the lock; it is no error that the lock no longer had it. */
export function removing({ cardId, number, clock, lock, steps }: OfCard): EntryChange {
  return {
    begin(current) {
      const now = clock.now();
      const entry = wantedEntryWithId(current, cardId, now);
      return { ...entry, held: open(null, heldBefore(entry), now) };
    },
    send: (request) => steps(lock, { kind: 'card', number, name: '', window: null }, request),
    complete(current) {
      const entry = current.byId(cardId);
      return entry === undefined ? {} : removal(current, entry, clock.now());
    },
  };
}

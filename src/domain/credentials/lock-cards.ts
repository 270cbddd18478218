// The cards of one lock, indexed by id and by number, with the open intents and the past holders of each number.

import { createSortedItems } from '../sorted.ts';
import { type Card, type CardId, type CardIntent, sameCard } from './card.ts';
import type { PastHolder } from './lock-entries.ts';

/** What a change of a lock's cards may read. Leading zeros of a number do not matter. */
export interface CardLookUp {
  byId(cardId: CardId): Card | undefined;
  byNumber(cardNumber: string): Card | undefined;
  /** The open intents, oldest first. */
  readonly intents: readonly CardIntent[];
  isOpen(intent: CardIntent): boolean;
  /** The past holders of this number, oldest first. */
  past(cardNumber: string): readonly PastHolder[];
}

/** All cards of one lock, with everything that is still open. It follows the changes on the disk. */
export interface LockCards extends CardLookUp {
  /** By cardId. The array never changes. */
  readonly cards: readonly Card[];
}

/** A change of a lock's cards, made completely or not at all. */
export interface CardsChange {
  /** New cards, or replacements for the cards with the same ids. */
  readonly put?: readonly Card[];
  readonly remove?: readonly CardId[];
  readonly open?: readonly CardIntent[];
  readonly close?: readonly CardIntent[];
  readonly past?: readonly PastHolder[];
}

export interface HeldCards extends LockCards {
  apply(change: CardsChange): void;
  /** Forgets a past holder. */
  forget(holder: PastHolder): void;
  /** All past holders, in the order in which they were added. */
  allPast(): Iterable<PastHolder>;
}

/** A name that distinguishes an intent from every other. */
export function nameOfIntent(intent: CardIntent): string {
  return `${intent.kind} ${cardIdOf(intent)}`;
}

/** Joins several changes into one. */
export function together(changes: readonly CardsChange[]): CardsChange {
  const all = <T>(of: (change: CardsChange) => readonly T[] | undefined) => changes.flatMap((change) => of(change) ?? []);
  return {
    put: all(({ put }) => put),
    remove: all(({ remove }) => remove),
    open: all(({ open }) => open),
    close: all(({ close }) => close),
    past: all(({ past }) => past),
  };
}

/** The id of the card that an intent is about. */
export function cardIdOf(intent: CardIntent): CardId {
  return intent.kind === 'add' ? intent.card.cardId : intent.cardId;
}

const none: readonly never[] = [];

/** A class, because there is one for each lock whose cards are in memory, and all share their methods. */
class CardsInMemory implements HeldCards {
  readonly #sorted = createSortedItems<Card>(({ cardId }) => cardId);
  readonly #byNumber = new Map<string, Card>();
  readonly #past = new Map<string, PastHolder[]>();
  readonly #open = new Map<string, CardIntent>();
  /** Made at the first use. */
  #intents: readonly CardIntent[] | undefined;

  get intents(): readonly CardIntent[] {
    this.#intents ??= [...this.#open.values()];
    return this.#intents;
  }
  isOpen(intent: CardIntent): boolean {
    return this.#open.has(nameOfIntent(intent));
  }
  get cards(): readonly Card[] {
    return this.#sorted.all();
  }
  byId(cardId: CardId): Card | undefined {
    return this.#sorted.get(cardId);
  }
  byNumber(cardNumber: string): Card | undefined {
    return this.#byNumber.get(sameCard(cardNumber));
  }
  past(cardNumber: string): readonly PastHolder[] {
    return (this.#past.size > 0 && this.#past.get(sameCard(cardNumber))) || none;
  }
  *allPast(): Iterable<PastHolder> {
    for (const holders of this.#past.values()) yield* holders;
  }
  apply({ put = none, remove = none, open = none, close = none, past = none }: CardsChange): void {
    for (const cardId of remove) this.#noLonger(this.#sorted.remove(cardId));
    for (const card of put) {
      this.#noLonger(this.#sorted.put(card));
      this.#byNumber.set(sameCard(card.cardNumber), card);
    }
    for (const intent of close) this.#open.delete(nameOfIntent(intent));
    for (const intent of open) this.#open.set(nameOfIntent(intent), intent);
    if (open.length + close.length > 0) this.#intents = undefined;
    for (const holder of past) {
      const number = sameCard(holder.cardNumber);
      const before = this.#past.get(number);
      if (before === undefined) this.#past.set(number, [holder]);
      else before.push(holder);
    }
  }
  forget({ cardNumber, cardId, from }: PastHolder): void {
    const number = sameCard(cardNumber);
    const left = this.past(number).filter((holder) => holder.cardId !== cardId || holder.from !== from);
    if (left.length > 0) this.#past.set(number, left);
    else this.#past.delete(number);
  }
  #noLonger(card: Card | undefined): void {
    if (card !== undefined) this.#byNumber.delete(sameCard(card.cardNumber));
  }
}

/** Without any card. */
export function createHeldCards(): HeldCards {
  return new CardsInMemory();
}

/** The cards `under` a few changes that are on their way to the disk. */
export function staged(under: CardLookUp, changes: readonly CardsChange[]): CardLookUp {
  const cards = new Map<CardId, Card | undefined>();
  const open = new Map(under.intents.map((intent) => [nameOfIntent(intent), intent]));
  for (const { put = [], remove = [], open: opened = [], close = [] } of changes) {
    for (const cardId of remove) cards.set(cardId, undefined);
    for (const card of put) cards.set(card.cardId, card);
    for (const intent of close) open.delete(nameOfIntent(intent));
    for (const intent of opened) open.set(nameOfIntent(intent), intent);
  }
  return {
    intents: [...open.values()],
    isOpen: (intent) => open.has(nameOfIntent(intent)),
    byId: (cardId) => (cards.has(cardId) ? cards.get(cardId) : under.byId(cardId)),
    byNumber(cardNumber) {
      const number = sameCard(cardNumber);
      for (const card of cards.values()) if (card !== undefined && sameCard(card.cardNumber) === number) return card;
      const there = under.byNumber(number);
      return there !== undefined && cards.has(there.cardId) ? undefined : there;
    },
    past(cardNumber) {
      const number = sameCard(cardNumber);
      const fresh = changes.flatMap(({ past = [] }) => past.filter((holder) => sameCard(holder.cardNumber) === number));
      return [...under.past(number), ...fresh];
    },
  };
}

/** What has changed about one card, with the card as it is now, or as it was before its removal. */
export interface CardEvent {
  readonly change: 'added' | 'changed' | 'removed';
  readonly card: Card;
}

/** The events of a change for subscribers, who see no intents. */
export function cardEventsOf(before: CardLookUp, { put = [], remove = [] }: CardsChange): readonly CardEvent[] {
  const removed = remove.flatMap((cardId) => before.byId(cardId) ?? []);
  return [
    ...put.map((card) => ({ change: before.byId(card.cardId) === undefined ? 'added' : 'changed', card }) as const),
    ...removed.map((card) => ({ change: 'removed', card }) as const),
  ];
}

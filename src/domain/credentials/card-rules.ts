// Rules about the cards of one lock: which card an intent is about, who held a number when, and the digest that the lock would report.

import { DomainError } from '../errors.ts';
import { type Card, type CardId, type CardIntent, sameCard } from './card.ts';
import type { CardLookUp, CardsChange } from './lock-cards.ts';
import type { PastHolder } from './lock-entries.ts';

/** The card with that id. Throws `card-not-found` when the lock has none. */
export function cardWithId(current: CardLookUp, cardId: CardId): Card {
  const card = current.byId(cardId);
  if (card === undefined) throw new DomainError('card-not-found', `there is no card ${cardId} on this lock`);
  return card;
}

/** The number, as the lock stores it, of the card that an intent is about; undefined when that card is gone. */
export function numberOf(current: CardLookUp, intent: CardIntent): string | undefined {
  const card = intent.kind === 'add' ? intent.card : current.byId(intent.cardId);
  return card === undefined ? undefined : sameCard(card.cardNumber);
}

/** Removes a card and remembers its holder, for events from before that the lock has not sent yet. */
export function removal(current: CardLookUp, { cardId, ...card }: Card, now: number): CardsChange {
  return { remove: [cardId], past: [holder(current, { cardId, ...card }, now)] };
}

/** Renames a card and remembers its earlier name. */
export function renaming(current: CardLookUp, card: Card, name: string, now: number): CardsChange {
  return name === card.name ? {} : { put: [{ ...card, name }], past: [holder(current, card, now)] };
}

function holder(current: CardLookUp, card: Card, to: number): PastHolder {
  const { cardId, cardNumber, name } = card;
  return { cardId, cardNumber, name, from: sinceOf(current, card), to };
}

/** Since when a card has had its number and name. */
function sinceOf(current: CardLookUp, { cardId, cardNumber, createdAt }: Card): number {
  return current.past(cardNumber).findLast((before) => before.cardId === cardId)?.to ?? createdAt;
}

/** How wrong the clock of a lock may be. */
const toleranceMs = 2_000;

/**
 * The name of the holder of a number at that date; undefined: no known holder. Where one holder follows another, the date alone decides.
 */
export function holderAt(current: CardLookUp, cardNumber: string, at: number): string | undefined {
  const card = current.byNumber(cardNumber);
  const past = current.past(cardNumber);
  if (card !== undefined && past.length === 0) return at >= card.createdAt - toleranceMs ? card.name : undefined;
  const now = card === undefined ? [] : [{ name: card.name, from: sinceOf(current, card), to: Number.POSITIVE_INFINITY }];
  const holders = [...past, ...now];
  const exact = holders.findLast(({ from, to }) => from <= at && at < to);
  return (exact ?? holders.findLast(({ from, to }) => from - toleranceMs <= at && at < to + toleranceMs))?.name;
}

/** The `cards.digest` that a lock with exactly these cards reports; `hash` is SHA-256 in hex digits. */
export function digestOf(cards: readonly Card[], hash: (text: string) => string): string {
  // Sorted by number as text; a comma comes before every digit, so whole lines sort alike.
  const lines = cards.map(({ cardNumber, startDate, endDate }) => `${sameCard(cardNumber)},${startDate},${endDate}\n`).sort();
  return hash(lines.join('')).slice(0, 16);
}

// Looking at the cards of one lock: by id, by number, and which card an intent is about.
import { type Card, type CardId, type CardIntent, type LockCards, sameCard } from './card.ts';
import { DomainError } from './errors.ts';

/** The card of that id; `card-not-found` when the lock has none. */
export function cardWithId(current: LockCards, cardId: CardId): Card {
  const card = current.cards.find((candidate) => candidate.cardId === cardId);
  if (card === undefined) throw new DomainError('card-not-found', `there is no card ${cardId} on this lock`);
  return card;
}

/** The card of that number, leading zeros or not; undefined when the gateway knows none. */
export function cardNumbered(current: LockCards, cardNumber: string): Card | undefined {
  return current.cards.find((card) => sameCard(card.cardNumber) === sameCard(cardNumber));
}

/** The number, as the lock has it, of the card an intent is about; undefined when that card is gone. */
export function numberOf(current: LockCards, intent: CardIntent): string | undefined {
  const card = intent.kind === 'add' ? intent.card : current.cards.find((candidate) => candidate.cardId === intent.cardId);
  return card === undefined ? undefined : sameCard(card.cardNumber);
}

/** The id of the card an intent is about. */
export function cardIdOf(intent: CardIntent): CardId {
  return intent.kind === 'add' ? intent.card.cardId : intent.cardId;
}

/** Whether this intent is still open. */
export function hasIntent(current: LockCards, intent: CardIntent): boolean {
  return current.intents.some((other) => sameIntent(other, intent));
}

/** The same cards with this intent closed. */
export function withoutIntent(current: LockCards, intent: CardIntent): LockCards {
  return { ...current, intents: current.intents.filter((other) => !sameIntent(other, intent)) };
}

function sameIntent(a: CardIntent, b: CardIntent): boolean {
  return a.kind === b.kind && cardIdOf(a) === cardIdOf(b);
}

/** What a lock that holds exactly these cards says as `cards.digest` (Protocol 4.1); `hash` is SHA-256 in hex digits. */
export function digestOf(cards: readonly Card[], hash: (text: string) => string): string {
  const lines = cards
    .map((card) => ({ ...card, cardNumber: sameCard(card.cardNumber) }))
    .sort((a, b) => (a.cardNumber < b.cardNumber ? -1 : 1))
    .map(({ cardNumber, startDate, endDate }) => `${cardNumber},${startDate},${endDate}\n`);
  return hash(lines.join('')).slice(0, 16);
}

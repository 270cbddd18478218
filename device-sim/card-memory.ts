// The cards in a lock's memory: pure functions over the list that the lock stores.
import { createHash } from 'node:crypto';
import type { CardOnLock, Validity } from '../src/domain/credentials/card.ts';

export type ByteOrder = 'regular' | 'reverse';

/**
 * The number under which a reader of this byte order sees a physical card. A reverse reader takes the bytes of the number
 * (4, 7 or 8 of them, the fewest that hold it) in reverse order: it sees 1325672378 (4F 04 27 BA) as 3123119183 (BA 27 04 4F).
 */
export function seenByReader(cardNumber: string, byteOrder: ByteOrder): string {
  const value = BigInt(cardNumber);
  if (byteOrder === 'regular') return value.toString();
  const size = [4, 7, 8].find((bytes) => value < 2n ** BigInt(8 * bytes));
  if (size === undefined) throw new Error(`card number ${cardNumber} does not fit into 8 bytes`);
  const bytes = Buffer.from(value.toString(16).padStart(size * 2, '0'), 'hex').reverse();
  return BigInt(`0x${bytes.toString('hex')}`).toString();
}

/** First 16 hex digits of SHA-256 over `cardNumber,startDate,endDate\n` of each card, sorted by cardNumber as text (Protocol 4.1). */
export function cardDigest(cards: readonly CardOnLock[]): string {
  const lines = sorted(cards).map((card) => `${card.cardNumber},${card.startDate},${card.endDate}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex').slice(0, 16);
}

/** The cards sorted by cardNumber as text, so that the pages of list-cards fit together. */
export function sorted<Card extends CardOnLock>(cards: readonly Card[]): Card[] {
  return [...cards].sort((a, b) => (a.cardNumber < b.cardNumber ? -1 : a.cardNumber > b.cardNumber ? 1 : 0));
}

export function findCard<Card extends CardOnLock>(cards: readonly Card[], cardNumber: string): Card | undefined {
  return cards.find((card) => card.cardNumber === cardNumber);
}

/** The list with this card in it, in place of an earlier one of the same number (Protocol 5.1, add-card). */
export function withCard<Card extends CardOnLock>(cards: readonly Card[], card: Card): Card[] {
  return [...withoutCard(cards, card.cardNumber), card];
}

export function withoutCard<Card extends CardOnLock>(cards: readonly Card[], cardNumber: string): Card[] {
  return cards.filter((card) => card.cardNumber !== cardNumber);
}

export function alwaysValid(validity: { readonly startDate: number; readonly endDate: number }): boolean {
  return validity.startDate === 0 && validity.endDate === 0;
}

/**
 * Whether this card opens now. Without a set clock only a card that is always valid opens (Protocol 5.3 rule 4). Both ends are included; an
 * end of 0 is open.
 */
export function admits(card: Validity & Partial<CardOnLock>, now: number | undefined): boolean {
  if (alwaysValid(card)) return true;
  return now !== undefined && card.startDate <= now && (card.endDate === 0 || now <= card.endDate);
}

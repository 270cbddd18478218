// Identity cards: their numbers and validity.
import { invalidParameter } from '../errors.ts';
import type { LockId } from '../locks/lock.ts';

declare const cardIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type CardId = number & { readonly [cardIdBrand]: true };

/** Both 0: always valid. Otherwise valid from startDate until and including endDate; an endDate of 0 is an open end. */
export interface Validity {
  readonly startDate: number;
  readonly endDate: number;
}

export interface Card extends Validity {
  readonly cardId: CardId;
  readonly lockId: LockId;
  /** Decimal digits as people see them; the lock gets `sameCard` of it. */
  readonly cardNumber: string;
  readonly name: string;
  readonly createdAt: number;
  /** Username of the account that created the card, as it was then. */
  readonly createdBy: string;
}

/** A card as a lock holds it in its memory. */
export interface CardOnLock extends Validity {
  readonly cardNumber: string;
}

/** How a change reaches the lock: a phone has already done it (1), or the gateway does it (2). */
export type Via = 'phone' | 'gateway';

/** `queue`: it is wanted from now on, and the lock is brought to it as soon as it can. */
export type CardVia = Via | 'queue';

/** Two numbers are the same card when they are equal in this form: no leading zeros. */
export function sameCard(cardNumber: string): string {
  // This runs for every swipe, and most numbers do not begin with a zero.
  return cardNumber.startsWith('0') ? cardNumber.replace(/^0+(?=\d)/, '') : cardNumber;
}

/** The greatest number in 8 bytes; no reader supports more. */
export const greatestCardNumber = (1n << 64n) - 1n;

/** Whether the validity does not end before it begins; an open end is valid. */
export function isInOrder({ startDate, endDate }: Validity): boolean {
  return endDate === 0 || endDate >= startDate;
}

/** Throws `invalid-parameter` when the validity ends before it begins. */
export function requireInOrder(validity: Validity): void {
  if (!isInOrder(validity)) throw invalidParameter('endDate', 'must not be before startDate');
}

/** Whether a card with this validity has ended for good. A card with an open end never ends. */
export function hasEnded({ endDate }: Pick<Validity, 'endDate'>, now: number): boolean {
  return endDate !== 0 && endDate < now;
}

/**
 * The number as it is stored for a reader's byte order (Specification 4.2 rules 2 and 3).
 * `reverse`: written as a big-endian unsigned integer of 4, 7 or 8 bytes (the smallest that fits), bytes reversed, in decimal.
 * @throws invalid-parameter when the number is beyond 2^64-1
 */
export function storedCardNumber(cardNumber: string, byteOrder: 'regular' | 'reverse'): string {
  const value = BigInt(cardNumber);
  const bytes = [4, 7, 8].find((size) => value < 1n << BigInt(size * 8));
  if (bytes === undefined) throw invalidParameter('cardNumber', `must not be above ${greatestCardNumber} (8 bytes)`);
  return byteOrder === 'regular' ? cardNumber : String(reversedBytes(value, bytes));
}

/** The number whose big-endian form in so many bytes is that of `value` backwards; they must hold the value. */
export function reversedBytes(value: bigint, bytes: number): bigint {
  let rest = value;
  let reversed = 0n;
  for (let byte = 0; byte < bytes; byte++) {
    reversed = (reversed << 8n) | (rest & 0xffn);
    rest >>= 8n;
  }
  return reversed;
}

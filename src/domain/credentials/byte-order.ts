// Readers differ in the order in which they give the bytes of a card, and in how many bytes they read. So one card may have several numbers.
import type { CardWidth } from '../people/person.ts';
import { greatestCardNumber, reversedBytes, sameCard } from './card.ts';

const cardWidths: readonly CardWidth[] = [4, 7, 8];
/** Digits of the greatest number; a longer text is no number of a card, and costs nothing. */
const mostDigits = String(greatestCardNumber).length;

/** A number of a card as a reader of the other byte order gives it. */
export interface Reversal {
  /** Without leading zeros. */
  readonly number: string;
  /** How many bytes were reversed. */
  readonly width: CardWidth;
}

/**
 * The number with its bytes reversed, in each width that holds it: a reversal loses the width, so the number alone does not say which one is
 * right. None for a number that reads the same in both orders, and for text that is no number of a card. Each reversal leads back.
 */
export function reversalsOf(cardNumber: string): readonly Reversal[] {
  const value = numericValue(cardNumber);
  if (value === undefined) return [];
  return widthsThatHold(value)
    .map((width) => ({ value: reversedBytes(value, width), width }))
    .filter((reversal) => reversal.value !== value)
    .map((reversal) => ({ number: String(reversal.value), width: reversal.width }));
}

/** Every number under which a reader may know this card: its own first, without leading zeros, each once. */
export function everyForm(cardNumber: string): readonly string[] {
  return [sameCard(cardNumber), ...reversalsOf(cardNumber).map(({ number }) => number)];
}

/**
 * The number of a card as a reader of this byte order sees it, without leading zeros.
 * `width` null: the smallest that holds the number.
 */
export function numberAtReader(card: { readonly number: string; readonly width: CardWidth | null }, order: 'regular' | 'reverse'): string {
  const value = order === 'reverse' ? numericValue(card.number) : undefined;
  if (value === undefined) return sameCard(card.number);
  const holding = widthsThatHold(value);
  const width = holding.find((one) => one === card.width) ?? holding[0];
  return width === undefined ? sameCard(card.number) : String(reversedBytes(value, width));
}

/** The smallest width that holds the number; undefined: it is no number of a card. */
export function widthOf(cardNumber: string): CardWidth | undefined {
  const value = numericValue(cardNumber);
  return value === undefined ? undefined : widthsThatHold(value)[0];
}

function widthsThatHold(value: bigint): readonly CardWidth[] {
  return cardWidths.filter((width) => value < 1n << BigInt(width * 8));
}

/** undefined: no number of a card. */
function numericValue(cardNumber: string): bigint | undefined {
  const canonical = sameCard(cardNumber);
  if (canonical.length > mostDigits || !/^\d+$/.test(canonical)) return undefined;
  const value = BigInt(canonical);
  return value > greatestCardNumber ? undefined : value;
}

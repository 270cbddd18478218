// The rows that store a lock's cards: cards, open intents, and past holders of card numbers.
import { z } from 'zod';
import type { Card, CardIntent } from '../../../domain/credentials/card.ts';
import { type CardsChange, cardIdOf, type HeldCards, nameOfIntent, type PastHolder } from '../../../domain/credentials/lock-cards.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import { cardId, lockId } from './id-schemas.ts';
import type { RowChange, RowFormat } from './row-reader.ts';

const millis = z.int();
const validity = { startDate: millis, endDate: millis };
const cardNumber = z.string().regex(/^[0-9]+$/);

const card = z.strictObject({
  cardId,
  lockId,
  cardNumber,
  name: z.string(),
  createdAt: millis,
  createdBy: z.string(),
  ...validity,
}) satisfies z.ZodType<Card>;

const intent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('add'), card, before: z.strictObject(validity).nullable().exactOptional() }),
  z.strictObject({ kind: z.literal('change-validity'), cardId, ...validity }),
  z.strictObject({ kind: z.literal('delete'), cardId }),
]) satisfies z.ZodType<CardIntent>;

const past = z.strictObject({ cardId, cardNumber, name: z.string(), from: millis, to: millis }) satisfies z.ZodType<PastHolder>;

/** The cards in a lock document of schema 1 or 2. */
export const cardsInDocument = { cards: z.array(card), intents: z.array(intent) };

export type CardRow = Card | CardIntent | PastHolder;

export const cardFormat: RowFormat<CardRow> = {
  of: 'cards',
  schemaVersion: 1,
  schema: z.union([card, past, intent]),
  idOf: (row) => ('kind' in row ? cardIdOf(row) : row.cardId),
};

export const cardFileName = /^([1-9]\d{0,15})\.jsonl$/;
/** The file of a lock's cards in the data directory. */
export const cardPath = (lockId: LockId): string => `cards/${lockId}.jsonl`;

const cardKey = (id: number): string => `card ${id}`;
const pastKey = ({ cardId: id, from }: PastHolder): string => `past ${id} ${from}`;

/** The rows that a change writes. */
export function rowsOf({ put = [], remove = [], open = [], close = [], past: holders = [] }: CardsChange): readonly RowChange<CardRow>[] {
  return [
    ...close.map((closed): RowChange<CardRow> => [nameOfIntent(closed), null]),
    ...remove.map((id): RowChange<CardRow> => [cardKey(id), null]),
    ...put.map((one): RowChange<CardRow> => [cardKey(one.cardId), one]),
    ...open.map((one): RowChange<CardRow> => [nameOfIntent(one), one]),
    ...holders.map((one): RowChange<CardRow> => [pastKey(one), one]),
  ];
}

/** The first rows of a new file. */
export function* firstRows(cards: readonly Card[], intents: readonly CardIntent[]): Iterable<readonly [key: string, row: CardRow]> {
  for (const one of cards) yield [cardKey(one.cardId), one];
  for (const open of intents) yield [nameOfIntent(open), open];
}

/** The changes that drop the rows of these past holders. */
export function rowsForgotten(holders: readonly PastHolder[]): readonly RowChange<CardRow>[] {
  return holders.map((one) => [pastKey(one), null]);
}

/** Updates the cards after a row has changed. */
export function follow(held: HeldCards, row: CardRow | undefined, before: CardRow | undefined): void {
  if (before !== undefined && row === undefined) {
    if ('kind' in before) held.apply({ close: [before] });
    else if ('to' in before) held.forget(before);
    else held.apply({ remove: [before.cardId] });
  } else if (row !== undefined) {
    if ('kind' in row) held.apply({ open: [row] });
    else if ('to' in row) {
      if (before === undefined) held.apply({ past: [row] });
    } else held.apply({ put: [row] });
  }
}

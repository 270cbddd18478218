// The cards and open changes that older programs stored of a lock, in a file of rows of schema 1 or in the lock's document, as entries.
import { z } from 'zod';
import { type Card, type CardId, sameCard, type Validity } from '../../../domain/credentials/card.ts';
import type { Entry, Held, ValidWindow } from '../../../domain/credentials/entry.ts';
import type { PastHolder } from '../../../domain/credentials/lock-entries.ts';
import { cardId, lockId } from './id-schemas.ts';

const millis = z.int();
const validity = { startDate: millis, endDate: millis };

const card = z.strictObject({
  cardId,
  lockId,
  cardNumber: z.string().regex(/^[0-9]+$/),
  name: z.string(),
  createdAt: millis,
  createdBy: z.string(),
  ...validity,
}) satisfies z.ZodType<Card>;

const digits = z.string().regex(/^[0-9]+$/);

export const pastHolder = z.strictObject({
  cardId,
  cardNumber: digits,
  name: z.string(),
  from: millis,
  to: millis,
}) satisfies z.ZodType<PastHolder>;

/** A change that was begun on the lock, and that the lock has neither confirmed nor refused. */
export type OlderIntent =
  | { readonly kind: 'add'; readonly card: Card; readonly before?: Validity | null }
  | ({ readonly kind: 'change-validity'; readonly cardId: CardId } & Validity)
  | { readonly kind: 'delete'; readonly cardId: CardId };

const intent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('add'), card, before: z.strictObject(validity).nullable().exactOptional() }),
  z.strictObject({ kind: z.literal('change-validity'), cardId, ...validity }),
  z.strictObject({ kind: z.literal('delete'), cardId }),
]) satisfies z.ZodType<OlderIntent>;

export type OlderRow = Card | OlderIntent | PastHolder;

/** A row of schema 1; lock documents of schema 1 and 2 had the cards and open changes among them. */
export const olderRow = z.union([card, pastHolder, intent]);

/**
 * Cards that phones have added look like all others in older data, and what a lock holds now is not known before it has said so. So each
 * counts as held by what people said: the gateway takes none away and restores none, not even after a reset, until the lock has shown it.
 * An open change becomes an open outcome, and the lock is asked.
 */
export function entriesOf(older: Iterable<OlderRow>): { readonly entries: readonly Entry[]; readonly past: readonly PastHolder[] } {
  const cards: Card[] = [];
  const intents: OlderIntent[] = [];
  const past: PastHolder[] = [];
  for (const row of older) {
    if ('kind' in row) intents.push(row);
    else if ('to' in row) past.push(row);
    else cards.push(row);
  }
  const entries = new Map<CardId, Entry>(
    cards.map((one) => [one.cardId, { ...wantedByNobody(one), direct: always(one), held: said(one) }]),
  );
  const numbers = new Set(cards.map(({ cardNumber }) => sameCard(cardNumber)));
  for (const open of intents) {
    if (open.kind === 'add') {
      const number = sameCard(open.card.cardNumber);
      if (numbers.has(number)) continue;
      numbers.add(number);
      const before = open.before && always(open.before);
      entries.set(open.card.cardId, { ...wantedByNobody(open.card), held: unsure(open.card, always(open.card), before) });
      continue;
    }
    const entry = entries.get(open.cardId);
    if (entry === undefined) continue;
    const before = entry.held?.before ?? entry.held?.window ?? null;
    entries.set(open.cardId, { ...entry, held: unsure(entry, open.kind === 'delete' ? null : always(open), before) });
  }
  return { entries: [...entries.values()], past };
}

function wantedByNobody({ cardId: entryId, lockId: of, cardNumber: number, name, createdAt, createdBy }: Card): Entry {
  return {
    ...{ entryId, lockId: of, kind: 'card', number, name, createdAt, createdBy, managed: true, direct: null, credentialId: null },
    ...{ held: null, missing: false, used: false, accepted: null, scheduleId: null },
  };
}

function always({ startDate, endDate }: Validity): ValidWindow {
  return { startDate, endDate, hours: '', once: false };
}

function said(one: Card): Held {
  return { window: always(one), sure: true, since: one.createdAt, basis: 'phone', basisDate: one.createdAt };
}

function unsure({ createdAt }: { readonly createdAt: number }, window: ValidWindow | null, before: ValidWindow | null | undefined): Held {
  const held: Held = { window, sure: false, since: createdAt, basis: 'phone', basisDate: createdAt };
  return before === undefined ? held : { ...held, before };
}

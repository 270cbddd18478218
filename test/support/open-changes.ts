// Cards and changes without an answer in short, for tests: what entries say about them at length.
import type { Card, CardId, Validity } from '../../src/domain/credentials/card.ts';
import type { Entry, Held, ValidWindow } from '../../src/domain/credentials/entry.ts';
import { listedCard } from '../../src/domain/credentials/listed-card.ts';
import type { LockEntries } from '../../src/domain/credentials/lock-entries.ts';

/** A change that was begun on the lock, and that the lock has neither confirmed nor refused. */
export type OpenChange =
  /** `before`: what the lock held under this number; null: none. Absent: unknown. */
  | { readonly kind: 'add'; readonly card: Card; readonly before?: Validity | null }
  | ({ readonly kind: 'change-validity'; readonly cardId: CardId } & Validity)
  | { readonly kind: 'delete'; readonly cardId: CardId };

const windowOf = ({ startDate, endDate }: Validity): ValidWindow => ({ startDate, endDate, hours: '', once: false });
const validityOf = ({ startDate, endDate }: Validity): Validity => ({ startDate, endDate });

/** A card that the gateway has put on its lock. */
export function entryOfCard({ cardId: entryId, lockId, cardNumber: number, name, createdAt, createdBy, ...validity }: Card): Entry {
  const direct = windowOf(validity);
  return {
    ...{ entryId, lockId, kind: 'card', number, name, createdAt, createdBy, managed: true, direct, credentialId: null },
    held: { window: direct, sure: true, since: createdAt, basis: 'reply', basisDate: createdAt },
    ...{ missing: false, used: false, accepted: null, scheduleId: null },
  };
}

/** The entries of these cards, with these changes open. */
export function entriesOfCards(cards: readonly Card[], open: readonly OpenChange[]): readonly Entry[] {
  const entries = new Map(cards.map((card) => [card.cardId, entryOfCard(card)]));
  for (const change of open) {
    if (change.kind === 'add') {
      const { card, before } = change;
      const { createdBy, name } = before === null ? card : { createdBy: '', name: '' };
      const held = unsure(windowOf(card), before && windowOf(before));
      entries.set(card.cardId, { ...entryOfCard(card), createdBy, name, direct: null, held });
    } else {
      const entry = entries.get(change.cardId) as Entry;
      entries.set(change.cardId, { ...entry, held: unsure(change.kind === 'delete' ? null : windowOf(change), entry.direct) });
    }
  }
  return [...entries.values()];
}

function unsure(window: ValidWindow | null, before: ValidWindow | null | undefined): Held {
  const held: Held = { window, sure: false, since: 1, basis: 'reply', basisDate: 1 };
  return before === undefined ? held : { ...held, before };
}

/** The same the other way round: the cards that are listed, and what is open. */
export function cardsAndOpen(
  there: LockEntries | undefined,
  now: number,
): { readonly cards: readonly Card[]; readonly open: readonly OpenChange[] } {
  const cards = there?.entries.flatMap((entry) => listedCard(entry, now) ?? []) ?? [];
  return { cards, open: there?.unsure.map(openOf) ?? [] };
}

function openOf({ entryId, lockId, number, name, createdAt, createdBy, direct, held }: Entry): OpenChange {
  const { window, before } = held as Held;
  if (window === null) return { kind: 'delete', cardId: entryId };
  if (direct !== null) return { kind: 'change-validity', cardId: entryId, ...validityOf(window) };
  const card = { cardId: entryId, lockId, cardNumber: number, name, createdAt, createdBy, ...validityOf(window) };
  return before === undefined ? { kind: 'add', card } : { kind: 'add', card, before: before && validityOf(before) };
}

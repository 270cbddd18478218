// The rows that a change of a lock's cards writes, computed from the stored rows and those of the same write.
import { type CardLookUp, type CardsChange, type HeldCards, staged } from '../../../domain/credentials/lock-cards.ts';
import { type CardRow, rowsForgotten, rowsOf } from './card-row.ts';
import type { CardsInMemory } from './cards-in-memory.ts';
import type { NewestRows } from './row-file.ts';
import type { RowChange } from './row-reader.ts';

/** Limit per lock; the oldest are dropped. */
const mostPast = 10_000;

/** The rows of a change, computed for the newest cards: those on the disk, overlaid with those in the same write. */
export function changedRows(
  one: CardsInMemory,
  newest: NewestRows<CardRow>,
  make: (newest: CardLookUp) => CardsChange,
): readonly RowChange<CardRow>[] {
  if (newest.staged.size === 0) one.staged = [];
  const made = make(one.staged.length === 0 ? one.held : staged(one.held, one.staged));
  const rows = rowsOf(made).filter(([key, row]) => row !== null || newest.get(key) !== undefined);
  if (rows.length > 0) one.staged.push(made);
  return made.past === undefined ? rows : [...rows, ...rowsForgotten(tooMany(one.held))];
}

/** The oldest past holders beyond the limit. */
function tooMany(held: HeldCards): ReturnType<HeldCards['past']> {
  const all = [...held.allPast()];
  if (all.length < mostPast) return [];
  return [all.reduce((oldest, one) => (one.to < oldest.to ? one : oldest))];
}

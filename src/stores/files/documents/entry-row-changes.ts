// The rows that a change of a lock's entries writes, computed from the stored rows and those of the same write.
import { type EntriesChange, type EntryLookUp, type HeldEntries, stagedEntries } from '../../../domain/credentials/lock-entries.ts';
import type { LockInMemory } from './entries-in-memory.ts';
import { type EntryRow, rowsForgotten, rowsOf } from './entry-row.ts';
import type { RowChange } from './row-reader.ts';
import type { NewestRows } from './rows.ts';

/** Limit per lock; the oldest are dropped. */
const mostPast = 10_000;

/** The rows of a change, computed for the newest entries: those on the disk, overlaid with those in the same write. */
export function changedRows(
  one: LockInMemory,
  newest: NewestRows<EntryRow>,
  make: (newest: EntryLookUp) => EntriesChange,
): readonly RowChange<EntryRow>[] {
  if (newest.staged.size === 0) one.staged = [];
  const made = make(one.staged.length === 0 ? one.held : stagedEntries(one.held, one.staged));
  const rows = rowsOf(made).filter(([key, row]) => row !== null || newest.get(key) !== undefined);
  if (rows.length > 0) one.staged.push(made);
  return made.past === undefined ? rows : [...rows, ...rowsForgotten(tooMany(one.held))];
}

/** The oldest past holders beyond the limit. */
function tooMany(held: HeldEntries): ReturnType<HeldEntries['past']> {
  const all = [...held.allPast()];
  if (all.length < mostPast) return [];
  return [all.reduce((oldest, one) => (one.to < oldest.to ? one : oldest))];
}

// What is wanted on locks beside what they hold, in four words.
import type { EntryStatus } from './entry.ts';

/** The four words of what is wanted beside what is held. */
export interface Comparison {
  readonly unchanged: number;
  readonly different: number;
  /** Wanted, and not on the lock. */
  readonly missing: number;
  /** On the lock, and wanted by nobody. */
  readonly extraneous: number;
}

export const noComparison: Comparison = { unchanged: 0, different: 0, missing: 0, extraneous: 0 };

const words: Readonly<Partial<Record<EntryStatus, keyof Comparison>>> = {
  'on-lock': 'unchanged',
  updating: 'different',
  unsure: 'different',
  failed: 'different',
  pending: 'missing',
  missing: 'missing',
  removing: 'extraneous',
  stranger: 'extraneous',
};

export function addedComparison(one: Comparison, other: Comparison): Comparison {
  return {
    unchanged: one.unchanged + other.unchanged,
    different: one.different + other.different,
    missing: one.missing + other.missing,
    extraneous: one.extraneous + other.extraneous,
  };
}

export function comparisonBy(counts: Iterable<readonly [EntryStatus, number]>): Comparison {
  const sum: Record<keyof Comparison, number> = { ...noComparison };
  for (const [status, count] of counts) {
    const word = words[status];
    if (word !== undefined) sum[word] += count;
  }
  return sum;
}

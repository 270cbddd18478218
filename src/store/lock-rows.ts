// The blocks of one lock in sealed days that follow each other, side by side. A page asks every day what it holds of the lock: of 180 days'
// indexes that is a thousand places in memory, of a row it is one.
import type { LockId } from '../domain/lock.ts';
import type { BlockColumns } from './sealed-index.ts';

/** One element of each column for each block, oldest first. */
export interface LockRow {
  /** Which of the days. */
  readonly days: Uint32Array;
  /** Which block of that day's index. */
  readonly blocks: Uint32Array;
  readonly counts: Uint32Array;
  /** Lowest and highest lockDate. */
  readonly lowest: Float64Array;
  readonly highest: Float64Array;
}

/** Of so many locks; 180 days of one are 5 kB. */
const mostRows = 2_000;

/** Made when it is first asked for, and kept. */
export function createLockRows(days: readonly BlockColumns[]): (lockId: LockId) => LockRow {
  const rows = new Map<LockId, LockRow>();
  return (lockId) => {
    const known = rows.get(lockId);
    if (known) return known;
    const row = rowOf(days, lockId);
    const [oldest] = rows.keys();
    if (rows.size >= mostRows && oldest !== undefined) rows.delete(oldest);
    rows.set(lockId, row);
    return row;
  };
}

function rowOf(days: readonly BlockColumns[], lockId: LockId): LockRow {
  const places: { readonly day: number; readonly block: number }[] = [];
  for (const [day, { lockIds }] of days.entries()) {
    for (let block = firstBlock(lockIds, lockId); lockIds[block] === lockId; block++) places.push({ day, block });
  }
  const of = (column: 'counts' | 'lowest' | 'highest') => (_: unknown, n: number) => {
    const { day, block } = places[n] as (typeof places)[number];
    return (days[day] as BlockColumns)[column][block] as number;
  };
  return {
    days: Uint32Array.from(places, ({ day }) => day),
    blocks: Uint32Array.from(places, ({ block }) => block),
    counts: Uint32Array.from(places, of('counts')),
    lowest: Float64Array.from(places, of('lowest')),
    highest: Float64Array.from(places, of('highest')),
  };
}

/** Index of the first block of a lock, or of the first behind where it would be. */
function firstBlock(lockIds: Float64Array, lockId: LockId): number {
  let low = 0;
  let high = lockIds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lockIds[middle] as number) < lockId) low = middle + 1;
    else high = middle;
  }
  return low;
}

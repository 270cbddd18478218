// The blocks of one lock in consecutive sealed days, side by side: each lock has one in-memory index over all of these days, so a page
// needs one look-up instead of one for each day.
import type { LockId } from '../../../domain/locks/lock.ts';
import type { BlockColumns } from './sealed-index.ts';

/** One element of each column per block, oldest first. */
export interface LockRow {
  /** The day of the block. */
  readonly days: Uint32Array;
  /** The number of the block in that day's index. */
  readonly blocks: Uint32Array;
  readonly counts: Uint32Array;
  /** Lowest and highest lockDate. */
  readonly lowest: Float64Array;
  readonly highest: Float64Array;
}

/** The cache holds the rows of this many locks. */
const mostRows = 2_000;

/** Makes a row when it is first requested, and caches it. */
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

/** Plain loops: a page may wait for this, and other forms allocate memory that must be collected. */
function rowOf(days: readonly BlockColumns[], lockId: LockId): LockRow {
  const firsts = new Uint32Array(days.length);
  let length = 0;
  for (let day = 0; day < days.length; day++) {
    const { lockIds } = days[day] as BlockColumns;
    const first = firstBlock(lockIds, lockId);
    firsts[day] = first;
    for (let block = first; lockIds[block] === lockId; block++) length += 1;
  }
  const row = emptyRow(length);
  let n = 0;
  for (let day = 0; day < days.length; day++) {
    const { lockIds, counts, lowest, highest } = days[day] as BlockColumns;
    for (let block = firsts[day] as number; lockIds[block] === lockId; block++) {
      row.days[n] = day;
      row.blocks[n] = block;
      row.counts[n] = counts[block] as number;
      row.lowest[n] = lowest[block] as number;
      row.highest[n] = highest[block] as number;
      n += 1;
    }
  }
  return row;
}

/** All columns share one buffer. */
function emptyRow(length: number): LockRow {
  const bytes = new ArrayBuffer(length * (2 * 8 + 3 * 4));
  return {
    lowest: new Float64Array(bytes, 0, length),
    highest: new Float64Array(bytes, 8 * length, length),
    days: new Uint32Array(bytes, 16 * length, length),
    blocks: new Uint32Array(bytes, 20 * length, length),
    counts: new Uint32Array(bytes, 24 * length, length),
  };
}

/** Index of the first block of a lock, or of the next one when the lock has none. */
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

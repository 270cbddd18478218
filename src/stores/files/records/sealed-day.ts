// A finished day: its file is sorted by lock, and only its index is in memory. Pages are read through its range (sealed-range.ts).
import type { LockId } from '../../../domain/locks/lock.ts';
import type { OpenFile } from '../files.ts';
import type { DayFile, DayName } from './day-file.ts';
import { type ByteRange, recordsToSort } from './records-after.ts';
import type { SealedIndex } from './sealed-index.ts';

export interface SealedDay extends DayFile {
  readonly index: SealedIndex;
}

export function isSealed(day: DayFile): day is SealedDay {
  return 'index' in day;
}

export function createSealedDay({
  name,
  index,
  file,
}: {
  readonly name: DayName;
  readonly index: SealedIndex;
  readonly file: OpenFile;
}): SealedDay {
  const { lockIds, positions } = index.blocks;

  /** The positions of these locks' lines. */
  function rangesOf(wants: (lockId: LockId) => boolean): ByteRange[] {
    const ranges: { from: number; to: number }[] = [];
    for (const [block, lockId] of lockIds.entries()) {
      if (!wants(lockId as LockId)) continue;
      const from = positions[block] as number;
      const to = positions[block + 1] ?? index.bytes;
      const last = ranges.at(-1);
      if (last?.to === from) last.to = to;
      else ranges.push({ from, to });
    }
    return ranges;
  }

  return {
    name,
    index,
    bytes: () => index.bytes,
    readAt: file.read,
    count: () => index.count,
    above: (wanted) => recordsToSort(file.read, rangesOf(wanted.wants), wanted),
    close: file.close,
  };
}

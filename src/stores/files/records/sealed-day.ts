// A finished day: its file is sorted by lock, and only its index is in memory. Pages are read through its range (sealed-range.ts).
import type { LockId } from '../../../domain/locks/lock.ts';
import type { Log } from '../../../domain/part.ts';
import type { NewestFirst } from '../../../domain/records/record-ports.ts';
import type { FileLayer, OpenFile } from '../files.ts';
import { type DayFile, type DayName, orderFileName } from './day-file.ts';
import { createDayOrder } from './day-order.ts';
import { fewLines, fromLines, fromOrder, linesInRanges, type Steps } from './newest-first.ts';
import { type ByteRange, recordsToSort } from './records-after.ts';
import type { SealedIndex } from './sealed-index.ts';

export interface SealedDay extends DayFile {
  readonly index: SealedIndex;
}

export function isSealed(day: DayFile): day is SealedDay {
  return 'index' in day;
}

export function createSealedDay(options: {
  readonly files: FileLayer;
  readonly folder: string;
  readonly log: Log;
  readonly name: DayName;
  readonly index: SealedIndex;
  readonly file: OpenFile;
}): SealedDay {
  const { files, folder, log, name, index, file } = options;
  const { firstRecordId } = name;
  const { lockIds, positions, counts, lowest, highest } = index.blocks;
  const day = { firstRecordId, lastRecordId: index.lastRecordId, bytes: index.bytes, readAt: file.read };
  const order = createDayOrder({ files, path: `${folder}/${orderFileName(name)}`, day, log });

  /** The positions of the blocks of these locks, or of those among them for which `isWanted` holds. */
  function rangesOf(wants: (lockId: LockId) => boolean, isWanted: (block: number) => boolean = () => true): ByteRange[] {
    const ranges: { from: number; to: number }[] = [];
    for (const [block, lockId] of lockIds.entries()) {
      if (!wants(lockId as LockId) || !isWanted(block)) continue;
      const from = positions[block] as number;
      const to = positions[block + 1] ?? index.bytes;
      const last = ranges.at(-1);
      if (last?.to === from) last.to = to;
      else ranges.push({ from, to });
    }
    return ranges;
  }

  async function* newestFirst(query: NewestFirst): Steps {
    let lines = 0;
    const ranges = rangesOf(
      (lockId) => query.locks.has(lockId),
      (block) => {
        const isWithin = (highest[block] as number) >= query.from && (lowest[block] as number) <= query.to;
        if (isWithin) lines += counts[block] as number;
        return isWithin;
      },
    );
    if (lines === 0) return;
    if (lines <= fewLines) return yield* fromLines(linesInRanges(file.read, ranges), query);
    for (let before: number | undefined = query.before; before !== undefined; ) {
      before = yield* fromOrder(file.read, await order.get(), firstRecordId, { ...query, before });
      if (before !== undefined) order.damaged();
    }
  }

  return {
    name,
    index,
    bytes: () => index.bytes,
    readAt: file.read,
    count: () => index.count,
    above: (wanted) => recordsToSort(file.read, rangesOf(wanted.wants), wanted),
    newestFirst,
    async close() {
      await order.close();
      await file.close();
    },
  };
}

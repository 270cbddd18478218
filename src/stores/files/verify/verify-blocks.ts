// Compares the blocks of an index with the lines of its file, one line after the other.
import type { LockRecord } from '../../../domain/records/record.ts';
import type { BlockColumns } from '../records/sealed-index.ts';

export interface BlockCheck {
  /** In the order of the file. */
  line(record: LockRecord, position: number): void;
  /** After the last line. */
  problems(): readonly string[];
}

export function createBlockCheck({ lockIds, positions, counts, lowest, highest }: BlockColumns): BlockCheck {
  const problems: string[] = [];
  let block = 0;
  /** What was seen of it. */
  let seen = freshBlock();

  function endBlock(): void {
    const isRight = seen.isRight && seen.count === counts[block] && seen.lowest === lowest[block] && seen.highest === highest[block];
    if (!isRight) problems.push(`has a block ${block + 1}, of lock ${lockIds[block]}, that is not what lies there`);
    if (block > 0 && (lockIds[block] as number) < (lockIds[block - 1] as number)) problems.push(`has block ${block + 1} out of order`);
    block += 1;
    seen = freshBlock();
  }

  return {
    line({ lockId, recordId, lockDate }, position) {
      while (block < lockIds.length && position >= (positions[block + 1] ?? Number.POSITIVE_INFINITY)) endBlock();
      if (seen.count === 0) seen.isRight = position === positions[block];
      if (lockId !== lockIds[block] || recordId <= seen.recordId) seen.isRight = false;
      seen.count += 1;
      seen.recordId = recordId;
      seen.lowest = Math.min(seen.lowest, lockDate);
      seen.highest = Math.max(seen.highest, lockDate);
    },
    problems() {
      while (block < lockIds.length) endBlock();
      return problems;
    },
  };
}

const freshBlock = () => ({
  isRight: false,
  count: 0,
  recordId: 0,
  lowest: Number.POSITIVE_INFINITY,
  highest: Number.NEGATIVE_INFINITY,
});

// recordIds: taken from a block that was reserved on the disk before, so that none is given twice, whatever happens to
// the record files. A crash leaps to the end of the block; a clean stop gives the rest of it back.
import type { CounterFile } from '../documents/counter-file.ts';

/** Each costs a flush of counters.json, beside those of the journal. */
const blockSize = 100_000;

export interface RecordIds {
  /** Whether `count` ids can be taken at once. */
  has(count: number): boolean;
  /** The next one; only after `has`. */
  take(): number;
  /** The id that `take` would give. */
  peek(): number;
  /** Makes room for `count` more. `storage-unavailable`. */
  reserve(count: number): Promise<void>;
  /** Before a clean stop: gives back what was not taken. */
  settle(): Promise<void>;
}

/** `highestSeen`: the highest recordId in the record files. */
export function createRecordIds(counters: CounterFile, highestSeen: number): RecordIds {
  let last = Math.max(highestSeen, counters.floorOf('recordId'));
  let reserved = last;
  let reserving: Promise<void> | undefined;

  function reserve(count: number): Promise<void> {
    reserving ??= (async () => {
      const upTo = last + Math.max(count, blockSize);
      await counters.raise({ recordId: upTo });
      reserved = upTo;
    })().finally(() => {
      reserving = undefined;
    });
    return reserving;
  }
  return {
    has: (count) => last + count <= reserved,
    take() {
      last += 1;
      // Half a block ahead, so that appends seldom wait; a failure shows when the block is really used up.
      if (reserved - last < blockSize / 2) reserve(1).catch(() => undefined);
      return last;
    },
    peek: () => last + 1,
    reserve,
    async settle() {
      await reserving?.catch(() => undefined);
      await counters.document.update((now) => ({ ...now, recordId: last }));
      reserved = last;
    },
  };
}

// Records of an open day that were asked for lately, decoded: the newest page of a lock is what programs ask for again and again.
import type { LockRecord } from '../domain/record.ts';

export interface RecentRecords {
  /** The record whose line begins at this position; undefined when it is not kept. */
  at(position: number): LockRecord | undefined;
  keep(position: number, record: LockRecord): void;
}

/** As large as they are, some 8 MB. */
const recordsAtMost = 40_000;

/**
 * A flushed line never changes, so neither does what was read from it, and the same line is the same object each time. Checksum, decoding
 * and, by the identity of the object, its JSON are done once. When they are too many, those that nobody has asked for since half of them
 * came are forgotten.
 */
export function createRecentRecords(atMost = recordsAtMost): RecentRecords {
  let newer = new Map<number, LockRecord>();
  let older = new Map<number, LockRecord>();

  function keep(position: number, record: LockRecord): void {
    if (newer.size >= atMost / 2) {
      older = newer;
      newer = new Map();
    }
    newer.set(position, record);
  }

  return {
    keep,
    at(position) {
      const recent = newer.get(position);
      if (recent !== undefined) return recent;
      const record = older.get(position);
      if (record !== undefined) keep(position, record);
      return record;
    },
  };
}

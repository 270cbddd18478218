// The newest records, in memory: those who listen read them again and again.
import type { LockRecord } from '../../domain/records/record.ts';
import type { StoredEvents } from '../../domain/records/record-ports.ts';

/** Some seconds of a large building that comes back. */
const mostRecords = 20_000;
const atOnce = 1_000;

export interface RecentRecords {
  /** In the order of the ids. */
  add(stored: StoredEvents): void;
  /** Some of those above `recordId`, the next ones first; undefined: the next one is not in memory any more, or there is none. */
  above(recordId: number): readonly LockRecord[] | undefined;
}

export function createRecentRecords(): RecentRecords {
  let all: StoredEvents[] = [];
  let records = 0;
  /** The first element that still counts. */
  let first = 0;

  function dropOldest(): void {
    while (records > mostRecords && first < all.length - 1) {
      records -= (all[first] as StoredEvents).drafts.length;
      first += 1;
    }
    if (first * 2 < all.length) return;
    all = all.slice(first);
    first = 0;
  }
  /** The last element that begins at or below this recordId. */
  function placeOf(recordId: number): number {
    let [low, high] = [first, all.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((all[middle] as StoredEvents).firstRecordId <= recordId) low = middle;
      else high = middle;
    }
    return low;
  }

  return {
    add(stored) {
      const last = all.at(-1);
      // After a leap of the ids nobody finds the way over from here.
      if (last !== undefined && last.firstRecordId + last.drafts.length !== stored.firstRecordId) [all, records, first] = [[], 0, 0];
      all.push(stored);
      records += stored.drafts.length;
      dropOldest();
    },
    above(recordId) {
      if (all.length === 0 || recordId + 1 < (all[first] as StoredEvents).firstRecordId) return undefined;
      const found: LockRecord[] = [];
      for (let n = placeOf(recordId + 1); n < all.length && found.length < atOnce; n++) {
        const { lockId, epoch, drafts, firstRecordId } = all[n] as StoredEvents;
        for (const [place, draft] of drafts.entries())
          if (firstRecordId + place > recordId) found.push({ ...draft, recordId: firstRecordId + place, lockId, epoch });
      }
      return found.length === 0 ? undefined : found;
    },
  };
}

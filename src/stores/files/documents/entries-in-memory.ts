// The in-memory entries of the locks that were used last. Beyond a limit, the least recently used are evicted, but never those with a
// running change or a command with an open outcome.
import { getHeapStatistics } from 'node:v8';
import type { EntriesChange, HeldEntries } from '../../../domain/credentials/lock-entries.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import type { EntryRow } from './entry-row.ts';
import type { RowFile } from './rows.ts';

export interface LockInMemory {
  readonly rows: RowFile<EntryRow>;
  /** The entries that the rows contain; they follow every change of a row. */
  readonly held: HeldEntries;
  /** The changes in the next write. */
  staged: EntriesChange[];
  /** The number of rows at the last count. */
  counted: number;
}

/** Memory of one row with its look-ups. */
const rowBytes = 600;
/**
 * A quarter of the memory that this process may use. If more cards than this are swiped in turn, each swipe reads all entries of its
 * lock again.
 */
const mostRows = Math.floor(getHeapStatistics().heap_size_limit / 4 / rowBytes);

export interface EntriesInMemoryOfLocks {
  get(lockId: LockId): LockInMemory | undefined;
  add(lockId: LockId, one: LockInMemory): void;
  remove(lockId: LockId): void;
  /** Evicts the entries of this lock, if they are not in use. */
  evict(lockId: LockId): void;
  /** Keeps the entries in memory at least until `work` has ended and their file is no longer being written. */
  using<T>(lockId: LockId, one: LockInMemory, work: () => Promise<T>): Promise<T>;
  idle(): Promise<void>;
}

export function createEntriesInMemory(atMost = mostRows): EntriesInMemoryOfLocks {
  /** Ordered by use: the most recently used lock comes last. */
  const all = new Map<LockId, LockInMemory>();
  const uses = new Map<LockInMemory, number>();
  let last: LockId | undefined;
  let total = 0;

  function leave(lockId: LockId): void {
    const one = all.get(lockId);
    if (one === undefined) return;
    all.delete(lockId);
    total -= one.counted;
    one.counted = 0;
  }
  function count(one: LockInMemory): void {
    total += one.rows.size - one.counted;
    one.counted = one.rows.size;
    makeRoom();
  }
  function endUse(lockId: LockId, one: LockInMemory): void {
    const left = (uses.get(one) ?? 1) - 1;
    if (left === 0) uses.delete(one);
    else uses.set(one, left);
    if (all.get(lockId) === one) count(one);
  }
  function makeRoom(): void {
    for (const [lockId, one] of all) {
      if (total <= atMost) return;
      if (lockId !== last && !uses.has(one) && one.held.unsure.length === 0) leave(lockId);
    }
  }
  return {
    get(lockId) {
      const one = all.get(lockId);
      if (one === undefined || lockId === last) return one;
      all.delete(lockId);
      all.set(lockId, one);
      last = lockId;
      return one;
    },
    add(lockId, one) {
      all.set(lockId, one);
      last = lockId;
      count(one);
    },
    remove: leave,
    evict(lockId) {
      const one = all.get(lockId);
      if (one !== undefined && !uses.has(one) && one.held.unsure.length === 0) leave(lockId);
    },
    async using(lockId, one, work) {
      uses.set(one, (uses.get(one) ?? 0) + 1);
      try {
        return await work();
      } finally {
        // The file may still be rewritten; a second reader must not load it before that has ended.
        void one.rows.idle().then(() => endUse(lockId, one));
      }
    },
    async idle() {
      await Promise.all([...all.values()].map(({ rows }) => rows.idle()));
    },
  };
}

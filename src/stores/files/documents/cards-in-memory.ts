// The in-memory cards of the locks that were used last. Beyond a limit, the least recently used are evicted, but never those with a running
// change or an open intent.
import { getHeapStatistics } from 'node:v8';
import type { CardsChange, HeldCards } from '../../../domain/credentials/lock-cards.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import type { CardRow } from './card-row.ts';
import type { RowFile } from './row-file.ts';

export interface CardsInMemory {
  readonly rows: RowFile<CardRow>;
  /** The cards that the rows contain; they follow every change of a row. */
  readonly held: HeldCards;
  /** The changes in the next write. */
  staged: CardsChange[];
  /** The number of rows at the last count. */
  counted: number;
}

/** Memory of one row with its look-ups. */
const rowBytes = 320;
/**
 * A quarter of the memory that this process may use. If more cards than this are swiped in turn, each swipe reads all cards of its lock
 * again.
 */
const mostRows = Math.floor(getHeapStatistics().heap_size_limit / 4 / rowBytes);

export interface CardsInMemoryOfLocks {
  get(lockId: LockId): CardsInMemory | undefined;
  add(lockId: LockId, one: CardsInMemory): void;
  remove(lockId: LockId): void;
  /** Evicts the cards of this lock, if they are not in use. */
  evict(lockId: LockId): void;
  /** Keeps the cards in memory at least until `work` has ended and their file is no longer being written. */
  using<T>(lockId: LockId, one: CardsInMemory, work: () => Promise<T>): Promise<T>;
  idle(): Promise<void>;
}

export function createCardsInMemory(atMost = mostRows): CardsInMemoryOfLocks {
  /** Ordered by use: the most recently used lock comes last. */
  const all = new Map<LockId, CardsInMemory>();
  const uses = new Map<CardsInMemory, number>();
  let last: LockId | undefined;
  let total = 0;

  function leave(lockId: LockId): void {
    const one = all.get(lockId);
    if (one === undefined) return;
    all.delete(lockId);
    total -= one.counted;
    one.counted = 0;
  }
  function count(one: CardsInMemory): void {
    total += one.rows.size - one.counted;
    one.counted = one.rows.size;
    makeRoom();
  }
  function endUse(lockId: LockId, one: CardsInMemory): void {
    const left = (uses.get(one) ?? 1) - 1;
    if (left === 0) uses.delete(one);
    else uses.set(one, left);
    if (all.get(lockId) === one) count(one);
  }
  function makeRoom(): void {
    for (const [lockId, one] of all) {
      if (total <= atMost) return;
      if (lockId !== last && !uses.has(one) && one.held.intents.length === 0) leave(lockId);
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
      if (one !== undefined && !uses.has(one) && one.held.intents.length === 0) leave(lockId);
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

// The cards of the locks that were asked for last. Beyond a bound, those that nobody asked for longest give way; never one with a change
// under way or open.
import { getHeapStatistics } from 'node:v8';
import type { CardsChange, HeldCards } from '../../../domain/credentials/lock-cards.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import type { CardRow } from './card-row.ts';
import type { RowFile } from './row-file.ts';

export interface CardsInMemory {
  readonly rows: RowFile<CardRow>;
  /** What the rows say; it follows them. */
  readonly held: HeldCards;
  /** What goes out with the next write. */
  staged: CardsChange[];
  /** Rows, as they were counted last. */
  counted: number;
}

/** Of a row with its look-ups. */
const rowBytes = 320;
/**
 * A quarter of the memory that this process may have: where more cards than these are swiped in turn, each swipe reads all cards of its lock anew.
 */
const mostRows = Math.floor(getHeapStatistics().heap_size_limit / 4 / rowBytes);

export interface CardsInMemoryOfLocks {
  get(lockId: LockId): CardsInMemory | undefined;
  add(lockId: LockId, one: CardsInMemory): void;
  remove(lockId: LockId): void;
  /** It is the first to give way. */
  giveWay(lockId: LockId): void;
  /** One that is in memory stays there at least until `work` has ended, and its file is written no more. */
  using<T>(lockId: LockId, one: CardsInMemory, work: () => Promise<T>): Promise<T>;
  idle(): Promise<void>;
}

export function createCardsInMemory(atMost = mostRows): CardsInMemoryOfLocks {
  /** Whoever was asked for last is the last. */
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
    giveWay(lockId) {
      const one = all.get(lockId);
      if (one !== undefined && !uses.has(one) && one.held.intents.length === 0) leave(lockId);
    },
    async using(lockId, one, work) {
      uses.set(one, (uses.get(one) ?? 0) + 1);
      try {
        return await work();
      } finally {
        // Its file may still be written anew, under whoever would read it again.
        void one.rows.idle().then(() => endUse(lockId, one));
      }
    },
    async idle() {
      await Promise.all([...all.values()].map(({ rows }) => rows.idle()));
    },
  };
}

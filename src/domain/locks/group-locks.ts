// An index of the locks in each group. It follows each change of a lock.
import type { Lock, LockId } from './lock.ts';
import type { LockStore } from './lock-ports.ts';

export interface GroupLocks {
  /** None for 0. */
  of(groupId: number): ReadonlySet<LockId>;
  /** A lock was registered (`before` is undefined), changed or removed (`after` is undefined). */
  changed(before: Lock | undefined, after: Lock | undefined): void;
}

const none: ReadonlySet<LockId> = new Set();

export function createGroupLocks(locks: Pick<LockStore, 'all'>): GroupLocks {
  /** Built at the first use, because the store is empty until it is open. */
  let groups: Map<number, Set<LockId>> | undefined;

  function built(): Map<number, Set<LockId>> {
    if (groups === undefined) {
      groups = new Map();
      for (const lock of locks.all()) enter(groups, lock);
    }
    return groups;
  }
  function enter(into: Map<number, Set<LockId>>, { lockId, groupId }: Lock): void {
    const group = into.get(groupId);
    if (group === undefined) into.set(groupId, new Set([lockId]));
    else group.add(lockId);
  }

  return {
    of: (groupId) => (groupId === 0 ? none : (built().get(groupId) ?? none)),
    changed(before, after) {
      if (groups === undefined || before?.groupId === after?.groupId) return;
      const left = before && groups.get(before.groupId);
      if (before !== undefined && left?.delete(before.lockId) && left.size === 0) groups.delete(before.groupId);
      if (after !== undefined) enter(groups, after);
    },
  };
}

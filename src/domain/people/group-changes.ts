// Another group of a lock gives and takes doors, when grants name the old or the new group. So whoever changes it must be a manager of the lock.
import { type Caller, localAdministrator } from '../accounts/account.ts';
import { requireRole } from '../accounts/permissions.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { LocalPeopleView } from './people-ports.ts';
import type { Person, PersonId } from './person.ts';

/** How many people grants open the lock to that they did not before, and the other way round. */
export interface AccessChange {
  readonly gained: number;
  readonly lost: number;
}

export interface GroupChanges {
  /** Throws `forbidden`. To be called in the very turn in which the lock is changed. */
  requireAllowed(caller: Caller, lock: Lock, groupId: number): void;
  /** What a group change did; undefined: nothing. */
  between(before: Lock, after: Lock): AccessChange | undefined;
}

export function createGroupChanges({
  people,
  locks,
}: {
  readonly people: Pick<LocalPeopleView, 'reaching'>;
  readonly locks: LockStore;
}): GroupChanges {
  function reachedBy(lockId: LockId, groupId: number): ReadonlySet<PersonId> {
    const isHeld = ({ suspended, removed, grants }: Person) =>
      !suspended &&
      !removed &&
      grants.some((grant) => grant.lockIds.includes(lockId) || (groupId !== 0 && grant.groupIds.includes(groupId)));
    return new Set(
      people
        .reaching(lockId, groupId)
        .filter(isHeld)
        .map(({ personId }) => personId),
    );
  }
  function change(lockId: LockId, from: number, to: number): AccessChange {
    const [before, after] = [reachedBy(lockId, from), reachedBy(lockId, to)];
    const without = (some: ReadonlySet<PersonId>, others: ReadonlySet<PersonId>) => [...some].filter((one) => !others.has(one)).length;
    return { gained: without(after, before), lost: without(before, after) };
  }
  /** Also grants of people who are suspended count: their end would open the door. */
  function isNamed(groupId: number): boolean {
    return groupId !== 0 && people.reaching(noLock, groupId).some(({ removed }) => !removed);
  }

  return {
    requireAllowed(caller, lock, groupId) {
      if (lock.groupId === groupId || caller.accountId === localAdministrator.accountId) return;
      if (isNamed(lock.groupId) || isNamed(groupId)) requireRole(locks, caller, lock.lockId, 'manager');
    },
    between: (before, after) => (before.groupId === after.groupId ? undefined : change(after.lockId, before.groupId, after.groupId)),
  };
}

/** No lock has this id. */
const noLock = 0 as LockId;

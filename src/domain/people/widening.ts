// Whether a change of a person opens doors that were shut to that person, and which. Whoever opens a door to somebody must be a manager of
// its lock; whoever shuts one need not.
import { type Caller, localAdministrator } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { requireAccessRights, requireRole, requireUnended } from '../accounts/permissions.ts';
import { hasEnded } from '../credentials/card.ts';
import { DomainError } from '../errors.ts';
import type { GroupLocks } from '../locks/group-locks.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { Credential, Grant, Person } from './person.ts';
import { sharedDates } from './pieces.ts';

type Dates = Pick<Grant, 'startDate' | 'endDate'>;

export interface Widening {
  /** Throws `forbidden` unless the caller is a manager on each of these locks; the administrator of the machine need not be. */
  requireManaged(caller: Caller, lockIds: Iterable<LockId>): void;
  /** The locks that a grant reaches now; locks that are gone are none. */
  locksOf(grant: Pick<Grant, 'lockIds' | 'groupIds'>): ReadonlySet<LockId>;
  /** The locks that are open to the person `after` in a way in which they were not `before`; undefined: there was no such person. */
  locksWidened(before: Person | undefined, after: Person, now: number): ReadonlySet<LockId>;
  /**
   * Throws `forbidden` unless the caller is an access manager still, and a manager on every lock that is widened; `token-invalid` when the token
   * was revoked meanwhile. The administrator of the machine may do all of it. To be called in the very turn in which the change is made.
   */
  requireAllowed(caller: Caller, before: Person | undefined, after: Person, now: number): void;
}

export function createWidening(options: {
  readonly locks: LockStore;
  readonly groups: Pick<GroupLocks, 'of'>;
  readonly accounts: Pick<AccountStore, 'get' | 'token'>;
}): Widening {
  const { locks, groups, accounts } = options;

  function locksOf({ lockIds, groupIds }: Pick<Grant, 'lockIds' | 'groupIds'>): ReadonlySet<LockId> {
    const reached = new Set(lockIds.filter((lockId) => locks.get(lockId) !== undefined));
    for (const groupId of groupIds) for (const lockId of groups.of(groupId)) reached.add(lockId);
    return reached;
  }
  function byLock(grants: readonly Grant[]): ReadonlyMap<LockId, readonly Grant[]> {
    const found = new Map<LockId, Grant[]>();
    for (const grant of grants) for (const lockId of locksOf(grant)) found.set(lockId, [...(found.get(lockId) ?? []), grant]);
    return found;
  }

  function locksWidened(before: Person | undefined, after: Person, now: number): ReadonlySet<LockId> {
    const widened = new Set<LockId>();
    const grants = changedGrants(before, after).filter((grant) => !hasEnded(grant, now));
    if (grants.length === 0) return widened;
    const earlier = byLock(before?.grants ?? []);
    const earlierCredentials = new Map(isActive(before) ? before.credentials.map((one) => [one.credentialId, one]) : []);
    for (const grant of grants) {
      for (const lockId of locksOf(grant)) {
        const there = earlier.get(lockId) ?? [];
        const isWider =
          !there.some((one) => isNoLess(one, one, grant, grant)) ||
          (isActive(after) &&
            after.credentials.some((one) => opensMore(one, earlierCredentials.get(one.credentialId), grant, there, lockId, now)));
        if (isWider) widened.add(lockId);
      }
    }
    return widened;
  }

  function requireStill(caller: Caller): void {
    const { accountId, username } = caller;
    if (accounts.get(accountId)?.accessManager !== true) throw new DomainError('forbidden', `${username} manages no people any more`);
    requireUnended(accounts, caller);
  }

  function requireManaged(caller: Caller, lockIds: Iterable<LockId>): void {
    // The administrator of the machine has no account: whoever may change the files may do this, too.
    if (caller.accountId === localAdministrator.accountId) return;
    for (const lockId of lockIds) requireRole(locks, caller, lockId, 'manager');
  }

  return {
    locksOf,
    locksWidened,
    requireAllowed(caller, before, after, now) {
      requireAccessRights(caller);
      if (caller.accountId !== localAdministrator.accountId) requireStill(caller);
      requireManaged(caller, locksWidened(before, after, now));
    },
    requireManaged,
  };
}

/** Those that may open more than before: a grant that is the same object, for the same credentials, does not. A group may have thousands of locks. */
function changedGrants(before: Person | undefined, after: Person): readonly Grant[] {
  if (after.removed) return [];
  if (before?.credentials !== after.credentials || isActive(before) !== isActive(after)) return after.grants;
  return after.grants.filter((grant) => !before.grants.includes(grant));
}

function isActive(person: Person | undefined): person is Person {
  return person !== undefined && !person.suspended && !person.removed;
}

/** Whether this credential opens the lock by this grant at times at which it did not `earlier` by those `there`. */
function opensMore(
  credential: Credential,
  earlier: Credential | undefined,
  grant: Grant,
  there: readonly Grant[],
  lockId: LockId,
  now: number,
): boolean {
  const isExcluded = ({ excluded }: Grant) => excluded.some((one) => one.lockId === lockId && one.credentialId === credential.credentialId);
  const dates = sharedDates(credential, grant);
  if (credential.lost !== null || isExcluded(grant) || dates === undefined || hasEnded(dates, now)) return false;
  if (earlier === undefined || earlier.lost !== null || earlier.number !== credential.number || earlier.width !== credential.width)
    return true;
  return !there.some((one) => {
    const before = isExcluded(one) ? undefined : sharedDates(earlier, one);
    return before !== undefined && isNoLess(before, one, dates, grant);
  });
}

/** Whether `wide` with the hours of one grant admits whenever `narrow` with the hours of another does. */
function isNoLess(wide: Dates, { scheduleId }: Grant, narrow: Dates, other: Grant): boolean {
  if (scheduleId !== null && scheduleId !== other.scheduleId) return false;
  return wide.startDate <= narrow.startDate && (wide.endDate === 0 || (narrow.endDate !== 0 && narrow.endDate <= wide.endDate));
}

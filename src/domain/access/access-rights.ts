// Who may ask what of the access log: the managers of a lock, and the administrators of this machine, who could read its files.
import { type Caller, localAdministrator, roleSuffices } from '../accounts/account.ts';
import { requireLock, requireRole } from '../accounts/permissions.ts';
import { invalidParameter } from '../errors.ts';
import { type Lock, type LockId, roleOn } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';

/** The lock. Throws `lock-not-found` or `forbidden`. */
export function requireAsked(locks: LockStore, caller: Caller, lockId: LockId): Lock {
  return isLocal(caller) ? requireLock(locks, lockId) : requireRole(locks, caller, lockId, 'manager');
}

/** Divides locks into those about which the caller may ask, and the number of the others; locks that were removed are neither. */
export function askedLocks(
  locks: LockStore,
  caller: Caller,
  lockIds: Iterable<LockId>,
): { readonly shown: readonly LockId[]; readonly hiddenLocks: number } {
  const there = [...new Set(lockIds)].flatMap((lockId) => locks.get(lockId) ?? []);
  const shown = there.filter((lock) => isLocal(caller) || roleSuffices(roleOn(lock, caller), 'manager'));
  return { shown: shown.map(({ lockId }) => lockId), hiddenLocks: there.length - shown.length };
}

/** Throws `invalid-parameter` for a date in the future: nobody knows who will be able to open. */
export function requirePast(name: string, date: number, now: number): void {
  if (date > now) throw invalidParameter(name, 'must not be in the future');
}

function isLocal(caller: Caller): boolean {
  return caller.accountId === localAdministrator.accountId && caller.gatewayAdministrator;
}

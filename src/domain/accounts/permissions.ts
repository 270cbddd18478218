// Finds the lock that a caller means and checks the caller's role: existence first (404), then rights (403) (HTTP API 1.4 and 3).

import { DomainError } from '../errors.ts';
import { type Lock, type LockId, roleOn } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { RemovedLock } from '../locks/removed-lock.ts';
import { type Caller, type LockRole, roleSuffices } from './account.ts';
import type { AccountStore } from './account-ports.ts';

/** The lock. Throws `lock-not-found` when there is none. */
export function requireLock(locks: LockStore, lockId: LockId): Lock {
  const lock = locks.get(lockId);
  if (lock === undefined) throw new DomainError('lock-not-found', `there is no lock ${lockId}`);
  return lock;
}

/** The lock, if the caller has at least this role on it. Otherwise throws `lock-not-found` or `forbidden`. */
export function requireRole(locks: LockStore, caller: Caller, lockId: LockId, needed: LockRole): Lock {
  const lock = requireLock(locks, lockId);
  if (!roleSuffices(roleOn(lock, caller), needed)) {
    throw new DomainError('forbidden', `this needs the role ${needed} on lock ${lockId}`);
  }
  return lock;
}

/**
 * As `requireRole`, for work that has waited. Meanwhile the account can have been removed, while the lock still lists its roles; or the
 * token can have been revoked, or the session ended (`token-invalid`).
 */
export function requireRoleStill(
  { locks, accounts }: { readonly locks: LockStore; readonly accounts: Pick<AccountStore, 'get' | 'token'> },
  caller: Caller,
  lockId: LockId,
  needed: LockRole,
): void {
  requireRole(locks, caller, lockId, needed);
  if (accounts.get(caller.accountId) === undefined) throw new DomainError('forbidden', `the account ${caller.username} was removed`);
  requireUnended(accounts, caller);
}

/** Throws `token-invalid` when the token or the session of a request that has waited is over: it is in the wrong hands. */
export function requireUnended(accounts: Pick<AccountStore, 'token'>, { tokenId, session }: Caller): void {
  if (tokenId !== undefined && accounts.token(tokenId) === undefined)
    throw new DomainError('token-invalid', 'the access token was revoked');
  if (session?.isEnded() === true) throw new DomainError('token-invalid', 'this sign-in has ended');
}

/** Whether the caller may read the records of a removed lock: nobody must be able to hide what happened there by removing the lock. */
export function mayReadRemoved(removed: RemovedLock | undefined, caller: Caller): boolean {
  return removed !== undefined && (caller.gatewayAdministrator || removed.administrator === caller.accountId);
}

/** Throws `forbidden` for all but gateway administrators. */
export function requireGatewayAdministrator(caller: Caller): void {
  if (!caller.gatewayAdministrator) throw new DomainError('forbidden', 'this is for gateway administrators');
}

/** For gateway administrators: `lock-not-found` before `forbidden`. */
export function requireManagedLock(locks: LockStore, caller: Caller, lockId: LockId): void {
  requireLock(locks, lockId);
  requireGatewayAdministrator(caller);
}

/** Throws `forbidden` for all but access managers. */
export function requireAccessRights(caller: Caller): void {
  if (!caller.accessManager) throw new DomainError('forbidden', 'this is for access managers');
}

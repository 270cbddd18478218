// What is done with cards and passcodes on a lock that nobody wants there. It changes what opens the lock, so only its managers decide it.
import { type Caller, localAdministrator } from '../accounts/account.ts';
import { requireRole } from '../accounts/permissions.ts';
import type { Lock } from './lock.ts';
import type { LockStore } from './lock-ports.ts';

/** `remove`: taken off, but never many at once; `keep`: they stay until a person decides about each. */
export type Strangers = 'keep' | 'remove';

export function strangersOf({ strangers }: Pick<Lock, 'strangers'>): Strangers {
  return strangers ?? 'keep';
}

/** Throws `forbidden` when it is another decision and the caller is no manager of the lock. Call it in the very turn in which the lock is changed. */
export function withStrangers(locks: LockStore, caller: Caller, lock: Lock, decided: Strangers): Lock {
  if (strangersOf(lock) === decided) return lock;
  if (caller.accountId !== localAdministrator.accountId) requireRole(locks, caller, lock.lockId, 'manager');
  const { strangers: _, ...others } = lock;
  return decided === 'keep' ? others : { ...others, strangers: decided };
}

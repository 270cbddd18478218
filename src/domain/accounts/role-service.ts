// Who may do what on a lock: its administrator, and the roles of other accounts on it (HTTP API 3 and 8.1).

import { DomainError } from '../errors.ts';
import { type Lock, type LockId, roleOn } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { Mutex } from '../mutex.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { AccountId, Caller, LockRole } from './account.ts';
import type { AccountStore } from './account-ports.ts';
import { accountNamed } from './account-service.ts';
import { requireGatewayAdministrator, requireLock } from './permissions.ts';

/** An account with its role on a lock. */
export interface RoleView {
  readonly username: string;
  readonly role: LockRole;
}

/** For gateway administrators and, except `appoint`, for the administrator of the lock. */
export interface RoleService {
  /** Replaces the administrator of a lock. Rejects with `not-found` when there is no such account. */
  appoint(caller: Caller, lockId: LockId, username: string): Promise<void>;
  /** Its administrator first, then by username. */
  list(caller: Caller, lockId: LockId, page: PageRequest): Page<RoleView>;
  /**
   * Gives a role, in place of the one that the account has. Rejects with `not-found` for an unknown account, `conflict` for the
   * administrator.
   */
  grant(caller: Caller, lockId: LockId, username: string, role: Exclude<LockRole, 'administrator'>): Promise<void>;
  /** Takes a role away. Rejects with `not-found` when the account has none. */
  revoke(caller: Caller, lockId: LockId, username: string): Promise<void>;
}

export function createRoleService(options: {
  readonly locks: LockStore;
  readonly accounts: Pick<AccountStore, 'get' | 'byName' | 'removedNamed' | 'removals'>;
  /** Shared with the account service, so that an account gets no role while it is being removed. */
  readonly administration: Mutex;
  /** Resolves when the log of who may what has the changes of before on the disk. */
  readonly changeStored: () => Promise<void>;
}): RoleService {
  const { locks, accounts, administration, changeStored } = options;
  const cached = new WeakMap<Lock['roles'], { administrator: AccountId; removals: number; views: readonly RoleView[] }>();

  function requireRoleGiver(caller: Caller, lock: Lock): void {
    if (roleOn(lock, caller) !== 'administrator') requireGatewayAdministrator(caller);
  }

  const accountIdOf = (username: string): AccountId => accountNamed(accounts, username).accountId;

  /** The account of that name, else the removed accounts of that name: the rest of their roles can be taken away, too. */
  function accountIdsOf(username: string): readonly AccountId[] {
    const account = accounts.byName(username);
    const removed = account === undefined ? accounts.removedNamed(username) : [];
    return removed.length > 0 ? removed.map(({ accountId }) => accountId) : [accountIdOf(username)];
  }

  /** The administrator first, then by username; cached until the roles change, or an account with one of them may be removed. */
  function viewsOf({ administrator, roles }: Lock): readonly RoleView[] {
    const known = cached.get(roles);
    const removals = accounts.removals();
    if (known?.administrator === administrator && known.removals === removals) return known.views;
    const granted = roles
      .flatMap(({ accountId, role }) => {
        // The roles of a removed account are removed a little later.
        const username = accounts.get(accountId)?.username;
        return username === undefined ? [] : [{ username, role }];
      })
      .sort((one, other) => (one.username < other.username ? -1 : 1));
    const views: RoleView[] = [{ username: accounts.get(administrator)?.username ?? '', role: 'administrator' }, ...granted];
    cached.set(roles, { administrator, removals, views });
    return views;
  }

  return {
    async appoint(caller, lockId, username) {
      requireLock(locks, lockId);
      requireGatewayAdministrator(caller);
      await administration(async () => {
        const administrator = accountIdOf(username);
        await locks.update(lockId, (lock) => ({ ...lock, administrator, roles: without(lock, administrator) }));
      });
      await changeStored();
    },

    list(caller, lockId, page) {
      const lock = requireLock(locks, lockId);
      requireRoleGiver(caller, lock);
      return paginate(viewsOf(lock), page);
    },

    async grant(caller, lockId, username, role) {
      requireRoleGiver(caller, requireLock(locks, lockId));
      await administration(async () => {
        const accountId = accountIdOf(username);
        await locks.update(lockId, (lock) => {
          // Check again: another administrator can have been appointed while this waited.
          requireRoleGiver(caller, lock);
          if (lock.administrator === accountId) throw new DomainError('conflict', `${username} is the administrator of lock ${lockId}`);
          return { ...lock, roles: [...without(lock, accountId), { accountId, role }] };
        });
      });
      await changeStored();
    },

    async revoke(caller, lockId, username) {
      requireRoleGiver(caller, requireLock(locks, lockId));
      await administration(async () => {
        const accountIds = accountIdsOf(username);
        await locks.update(lockId, (lock) => {
          requireRoleGiver(caller, lock);
          const roles = lock.roles.filter(({ accountId }) => !accountIds.includes(accountId));
          if (roles.length < lock.roles.length) return { ...lock, roles };
          throw new DomainError('not-found', `${username} has no role on lock ${lockId} to take away`);
        });
      });
      await changeStored();
    },
  };
}

function without(lock: Lock, accountId: AccountId): Lock['roles'] {
  return lock.roles.filter((granted) => granted.accountId !== accountId);
}

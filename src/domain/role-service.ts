// Who may do what on a lock: its administrator, and the roles that are given on it (HTTP API 5 and 6).
import type { AccountId, Caller, LockRole } from './account.ts';
import { accountNamed } from './account-service.ts';
import { DomainError } from './errors.ts';
import { type Lock, type LockId, roleOn } from './lock.ts';
import { type Page, type PageRequest, paginate } from './page.ts';
import { requireGatewayAdministrator, requireLock } from './permissions.ts';
import type { AccountStore, LockStore } from './ports.ts';
import type { Sequence } from './sequence.ts';

/** Somebody who may do something on a lock. */
export interface RoleView {
  readonly username: string;
  readonly role: LockRole;
}

/** For gateway administrators and, but for `appoint`, for the administrator of the lock. */
export interface RoleService {
  /** In place of the administrator that it has. `not-found` when there is no such account. */
  appoint(caller: Caller, lockId: LockId, username: string): Promise<void>;
  /** Its administrator first, then by username. */
  list(caller: Caller, lockId: LockId, page: PageRequest): Page<RoleView>;
  /** In place of the role that the account has. `not-found` when there is no such account; `conflict` for the administrator. */
  grant(caller: Caller, lockId: LockId, username: string, role: Exclude<LockRole, 'administrator'>): Promise<void>;
  /** `not-found` when there is nothing to take away. */
  revoke(caller: Caller, lockId: LockId, username: string): Promise<void>;
}

export function createRoleService(options: {
  readonly locks: LockStore;
  readonly accounts: AccountStore;
  /** Shared with the account service: no role is given to an account while that is removed. */
  readonly administration: Sequence;
}): RoleService {
  const { locks, accounts, administration } = options;

  function requireRoleGiver(caller: Caller, lock: Lock): void {
    if (roleOn(lock, caller) !== 'administrator') requireGatewayAdministrator(caller);
  }

  const accountIdOf = (username: string): AccountId => accountNamed(accounts.current(), username).accountId;

  return {
    async appoint(caller, lockId, username) {
      requireLock(locks, lockId);
      requireGatewayAdministrator(caller);
      await administration(async () => {
        const administrator = accountIdOf(username);
        await locks.update(lockId, (lock) => ({ ...lock, administrator, roles: without(lock, administrator) }));
      });
    },

    list(caller, lockId, page) {
      const lock = requireLock(locks, lockId);
      requireRoleGiver(caller, lock);
      const names = new Map(accounts.current().accounts.map(({ accountId, username }) => [accountId, username]));
      const granted = lock.roles
        .flatMap(({ accountId, role }) => {
          // Roles stay with the lock when their account is removed.
          const username = names.get(accountId);
          return username === undefined ? [] : [{ username, role }];
        })
        .sort((one, other) => (one.username < other.username ? -1 : 1));
      return paginate([{ username: names.get(lock.administrator) ?? '', role: 'administrator' }, ...granted], page);
    },

    async grant(caller, lockId, username, role) {
      requireRoleGiver(caller, requireLock(locks, lockId));
      await administration(async () => {
        const accountId = accountIdOf(username);
        await locks.update(lockId, (lock) => {
          // Asked again: another administrator can have been appointed while this waited.
          requireRoleGiver(caller, lock);
          if (lock.administrator === accountId) throw new DomainError('conflict', `${username} is the administrator of lock ${lockId}`);
          return { ...lock, roles: [...without(lock, accountId), { accountId, role }] };
        });
      });
    },

    async revoke(caller, lockId, username) {
      requireRoleGiver(caller, requireLock(locks, lockId));
      await administration(async () => {
        const accountId = accountIdOf(username);
        await locks.update(lockId, (lock) => {
          requireRoleGiver(caller, lock);
          const roles = without(lock, accountId);
          if (roles.length < lock.roles.length) return { ...lock, roles };
          throw new DomainError('not-found', `${username} has no role on lock ${lockId} to take away`);
        });
      });
    },
  };
}

function without(lock: Lock, accountId: AccountId): Lock['roles'] {
  return lock.roles.filter((granted) => granted.accountId !== accountId);
}

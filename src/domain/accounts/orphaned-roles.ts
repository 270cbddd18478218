// Removes the roles of removed accounts. Such roles have no effect, because no id is given twice; so the account is removed first, and then
// its roles, one lock after the other. The next start removes those that a stop or a full disk has left.

import type { EventBus } from '../event-bus.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createMutex } from '../mutex.ts';
import type { Part } from '../part.ts';
import type { AccountId } from './account.ts';
import type { AccountStore } from './account-ports.ts';

export interface LeftRoles extends Part {
  /** Resolves when all roles that can be removed are removed. Never rejects. */
  idle(): Promise<void>;
}

export function createLeftRoles(options: {
  readonly locks: LockStore;
  readonly accounts: Pick<AccountStore, 'get'>;
  readonly events: Pick<EventBus, 'subscribe'>;
}): LeftRoles {
  const { locks, accounts, events } = options;
  let isStopped = false;
  const oneByOne = createMutex();
  const idle = (): Promise<void> => oneByOne(async () => undefined);

  async function dropFrom(lockIds: readonly LockId[], isLeft: (accountId: AccountId) => boolean): Promise<void> {
    for (const lockId of lockIds) {
      if (isStopped) return;
      await locks.update(lockId, (lock) => ({ ...lock, roles: lock.roles.filter(({ accountId }) => !isLeft(accountId)) }));
    }
  }
  /** Looks for the locks only when earlier removals are done. */
  function dropAll(isLeft: (accountId: AccountId) => boolean): void {
    void oneByOne(async () => dropFrom(locksWithRoles(locks.all(), isLeft), isLeft)).catch(() => undefined);
  }
  events.subscribe('account-changed', ({ before: gone, after }) => {
    if (gone !== undefined && after === undefined) dropAll((accountId) => accountId === gone.accountId);
  });

  return {
    name: 'left-roles',
    // The start does not wait for it.
    async start() {
      dropAll((accountId) => accounts.get(accountId) === undefined);
    },
    async stop() {
      isStopped = true;
      await idle();
    },
    idle,
  };
}

/** The locks on which an account that matches `isOf` has a role. */
export function locksWithRoles(locks: readonly Lock[], isOf: (accountId: AccountId) => boolean): LockId[] {
  return locks.filter(({ roles }) => roles.some(({ accountId }) => isOf(accountId))).map(({ lockId }) => lockId);
}

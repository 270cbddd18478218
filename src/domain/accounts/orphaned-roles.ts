// Roles of accounts that are gone. They count for nobody, because no id is given twice; so an account goes first, and they are taken off the
// locks behind it, one lock after the other, however many those are. What a stop or a full disk leaves goes after the next start.

import type { Lock, LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createMutex } from '../mutex.ts';
import type { Part } from '../part.ts';
import type { AccountId } from './account.ts';
import type { AccountStore } from './account-ports.ts';

export interface LeftRoles extends Part {
  /** Those of an account that has just been removed. Waits for nothing. */
  drop(accountId: AccountId): void;
  /** Resolves when all have been dropped that can be. Never rejects. */
  idle(): Promise<void>;
}

export function createLeftRoles({
  locks,
  accounts,
}: {
  readonly locks: LockStore;
  readonly accounts: Pick<AccountStore, 'get'>;
}): LeftRoles {
  let isStopped = false;
  const oneByOne = createMutex();
  const idle = (): Promise<void> => oneByOne(async () => undefined);

  async function dropFrom(lockIds: readonly LockId[], isLeft: (accountId: AccountId) => boolean): Promise<void> {
    for (const lockId of lockIds) {
      if (isStopped) return;
      await locks.update(lockId, (lock) => ({ ...lock, roles: lock.roles.filter(({ accountId }) => !isLeft(accountId)) }));
    }
  }
  /** Asks for the locks only when it is its turn. */
  function dropAll(isLeft: (accountId: AccountId) => boolean): void {
    void oneByOne(async () => dropFrom(locksWithRoles(locks.all(), isLeft), isLeft)).catch(() => undefined);
  }

  return {
    name: 'left-roles',
    // Doors do not wait for it.
    async start() {
      dropAll((accountId) => accounts.get(accountId) === undefined);
    },
    async stop() {
      isStopped = true;
      await idle();
    },
    drop: (gone) => dropAll((accountId) => accountId === gone),
    idle,
  };
}

/** The locks on which such an account has a role. */
export function locksWithRoles(locks: readonly Lock[], isOf: (accountId: AccountId) => boolean): LockId[] {
  return locks.filter(({ roles }) => roles.some(({ accountId }) => isOf(accountId))).map(({ lockId }) => lockId);
}

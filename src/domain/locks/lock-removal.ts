// The removal of a lock: what is removed with it, what stays stored, and in which order both are written (HTTP API 8.1).
import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { usernameOf } from '../accounts/account-service.ts';
import { requireGatewayAdministrator, requireLock, requireManagedLock } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import { cardsOnLock } from '../credentials/card-count.ts';
import type { CardService } from '../credentials/card-service.ts';
import type { Clearing } from '../credentials/entry-changes.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import { type Page, type PageRequest, paginateBackwards } from '../page.ts';
import type { Drivers } from './driver.ts';
import type { LockId } from './lock.ts';
import type { LockStore, RemovedLockStore, StatusStore } from './lock-ports.ts';
import type { RemovedLock } from './removed-lock.ts';

/** The result of a removal, with the number of cards that may still open the lock; null: the lock has never reported it. */
export interface Removal {
  readonly removed: RemovedLock;
  readonly cardsOnLock: number | null;
}

/** A removed lock, as a gateway administrator sees it; the name of a removed account is empty. */
export interface RemovedLockView {
  readonly removed: RemovedLock;
  readonly administrator: string;
  readonly removedBy: string;
}

/** For gateway administrators, as `RegistrationService`. */
export interface LockRemoval {
  /**
   * Removes a lock with its cards, roles and status, and closes its connection; its records stay until they expire. With `clear` the
   * gateway first removes all cards from the lock; when that fails, for example with `lock-offline`, the lock stays registered. The
   * sentence of `storage-unavailable` says whether the lock is removed all the same.
   */
  remove(caller: Caller, lockId: LockId, clear?: Pick<Clearing, 'gone'>): Promise<Removal>;
  /** The removed locks whose records may still exist, the newest removal first. */
  removed(caller: Caller, page: PageRequest): Page<RemovedLockView>;
}

export interface LockRemovalOptions {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly removedLocks: RemovedLockStore;
  readonly entries: Pick<EntryStore, 'of'>;
  readonly cardService: Pick<CardService, 'beforeRemoval'>;
  readonly statuses: StatusStore;
  readonly accounts: Pick<AccountStore, 'get'>;
  readonly drivers: Pick<Drivers, 'disconnect'>;
}

export function createLockRemoval(options: LockRemovalOptions): LockRemoval {
  const { clock, locks, removedLocks, entries, cardService, statuses, accounts, drivers } = options;

  async function removeNow(caller: Caller, lockId: LockId): Promise<Removal> {
    const { deviceId, name, alias, administrator } = requireLock(locks, lockId);
    const removed = { lockId, deviceId, name, alias, administrator, removedAt: clock.now(), removedBy: caller.accountId };
    const left = await cardsOnLock({ entries, statuses }, lockId);
    await removedLocks.add(removed);
    const notCleaned = await locks.remove(lockId).catch(async (error: unknown) => {
      // If this fails, too, the next start deletes the entry.
      if (locks.get(lockId) !== undefined) await removedLocks.forget(lockId).catch(() => undefined);
      throw error;
    });
    drivers.disconnect(lockId, 'the lock was removed');
    await statuses.remove(lockId);
    if (notCleaned !== undefined) throw notCleaned;
    return { removed, cardsOnLock: left };
  }

  return {
    async remove(caller, lockId, clear) {
      requireManagedLock(locks, caller, lockId);
      const clearing = clear && { accountId: caller.accountId, gone: clear.gone };
      return cardService.beforeRemoval(lockId, clearing, () => removeNow(caller, lockId));
    },

    removed(caller, page) {
      requireGatewayAdministrator(caller);
      const { list, ...envelope } = paginateBackwards(removedLocks.all(), page);
      const view = (removed: RemovedLock) => ({
        removed,
        administrator: usernameOf(accounts, removed.administrator),
        removedBy: usernameOf(accounts, removed.removedBy),
      });
      return { list: list.map(view), ...envelope };
    },
  };
}

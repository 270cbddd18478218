// The locks of the building as gateway administrators list them (HTTP API 8.1).
import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { usernameOf } from '../accounts/account-service.ts';
import { requireGatewayAdministrator } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { ListAsked, LongLists } from '../long-lists.ts';
import type { Page } from '../page.ts';
import type { AccessChange } from '../people/group-changes.ts';
import type { Capabilities } from './capabilities.ts';
import type { Drivers } from './driver.ts';
import { type Lock, type LockStatus, macOf } from './lock.ts';
import { everyLock, type LockLists, type WantedLocks } from './lock-lists.ts';
import type { StatusStore } from './lock-ports.ts';

/** A lock as a gateway administrator sees it. */
export interface ManagedLock {
  readonly lock: Lock;
  readonly status: LockStatus;
  readonly online: boolean;
  readonly capabilities: Capabilities;
  /** Username. */
  readonly administrator: string;
  /** What a change of its group did; absent: its group was not changed. */
  readonly access?: AccessChange;
}

export const managedLockColumns = ['lockName', 'online', 'groupName', 'administrator', 'driver'] as const;

export interface ManagedLocksAsked extends ListAsked<(typeof managedLockColumns)[number]>, Omit<WantedLocks, 'administered'> {
  /** Absent: both. */
  readonly online?: boolean | undefined;
}

export interface ManagedLocks {
  one(lock: Lock): ManagedLock;
  /**
   * By lockId ascending, unless it is asked otherwise; a search looks in name, alias, group, MAC address, administrator and make. For gateway
   * administrators. Rejects with `rate-limited` as `LongLists.page`.
   */
  page(caller: Caller, wanted: ManagedLocksAsked, gone?: CancelSignal): Promise<Page<ManagedLock>>;
}

export function createManagedLocks(options: {
  readonly lists: Pick<LockLists, 'page'>;
  readonly statuses: Pick<StatusStore, 'get'>;
  readonly accounts: Pick<AccountStore, 'get'>;
  readonly drivers: Pick<Drivers, 'session' | 'capabilities'>;
  readonly longLists: LongLists;
}): ManagedLocks {
  const { lists, statuses, accounts, drivers, longLists } = options;

  const isOnline = ({ lockId }: Lock): boolean => drivers.session(lockId) !== undefined;
  const administratorOf = ({ administrator }: Lock): string => usernameOf(accounts, administrator);
  const columns = {
    lockName: ({ name }: Lock) => name,
    online: (lock: Lock) => Number(!isOnline(lock)),
    groupName: ({ groupName }: Lock) => groupName,
    administrator: administratorOf,
    driver: ({ driver }: Lock) => driver.kind,
  };
  function textsOf(lock: Lock): readonly string[] {
    return [lock.name, lock.alias, lock.groupName, macOf(lock.deviceId), administratorOf(lock), lock.driver.kind];
  }
  function one(lock: Lock): ManagedLock {
    return {
      lock,
      status: statuses.get(lock.lockId),
      online: isOnline(lock),
      capabilities: drivers.capabilities(lock),
      administrator: administratorOf(lock),
    };
  }

  return {
    one,
    async page(caller, { alias, groupId, online, ...asked }, gone) {
      requireGatewayAdministrator(caller);
      const isWanted = online === undefined ? undefined : (lock: Lock) => isOnline(lock) === online;
      const all = (request: Parameters<typeof lists.page>[2]) => lists.page(everyLock, { alias, groupId }, request);
      const { list, ...envelope } = await longLists.page(caller, all, { asked, textsOf, columns, isWanted }, gone);
      return { list: list.map(one), ...envelope };
    },
  };
}

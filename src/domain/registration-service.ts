// The locks of the building as gateway administrators see them: registration, keys, and who may do what (HTTP API 6).
import type { AccountId, Caller, LockRole } from './account.ts';
import { accountNamed } from './account-service.ts';
import { DomainError } from './errors.ts';
import { type DeviceId, type Lock, type LockId, type LockStatus, macOf, roleOn, unknownSettings } from './lock.ts';
import { type Page, type PageRequest, paginate } from './page.ts';
import { requireGatewayAdministrator, requireLock } from './permissions.ts';
import type { AccountStore, Clock, CounterStore, LockLink, LockStore, Secrets, StatusStore } from './ports.ts';
import type { Sequence } from './sequence.ts';

export interface NewLock {
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly alias?: string;
  readonly groupName?: string;
  readonly superPasscode?: string;
  readonly timezoneOffsetMs?: number;
  readonly lockData?: string;
  /** Username; the caller when absent. */
  readonly administrator?: string;
}

export interface LockChanges {
  readonly name?: string;
  readonly alias?: string;
  readonly groupName?: string;
  readonly superPasscode?: string;
  readonly timezoneOffsetMs?: number;
  readonly lockData?: string;
}

/** A lock as a gateway administrator sees it. */
export interface ManagedLock {
  readonly lock: Lock;
  readonly status: LockStatus;
  readonly online: boolean;
  /** Username. */
  readonly administrator: string;
}

/** `deviceKey` is shown this once. */
export interface IssuedKey {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  readonly deviceKey: string;
}

export interface RegistrationService {
  /** `conflict` when the MAC is registered already. */
  register(caller: Caller, lock: NewLock): Promise<IssuedKey>;
  managed(caller: Caller, page: PageRequest): Page<ManagedLock>;
  change(caller: Caller, lockId: LockId, changes: LockChanges): Promise<ManagedLock>;
  remove(caller: Caller, lockId: LockId): Promise<void>;
  /** A new device key; the old one and its connection end at once. */
  renewKey(caller: Caller, lockId: LockId): Promise<IssuedKey>;
  appoint(caller: Caller, lockId: LockId, username: string): Promise<void>;
  /** Also for the lock's administrator. */
  grant(caller: Caller, lockId: LockId, username: string, role: Exclude<LockRole, 'administrator'>): Promise<void>;
  /** Also for the lock's administrator; revoking what is not there is `not-found`. */
  revoke(caller: Caller, lockId: LockId, username: string): Promise<void>;
}

export function createRegistrationService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly statuses: StatusStore;
  readonly accounts: AccountStore;
  readonly counters: CounterStore;
  readonly secrets: Secrets;
  readonly link: LockLink;
  readonly administration: Sequence;
}): RegistrationService {
  const { clock, locks, statuses, accounts, counters, secrets, link, administration } = options;

  function managed(lock: Lock): ManagedLock {
    const administrator = accounts.current().accounts.find((account) => account.accountId === lock.administrator);
    return {
      lock,
      status: statuses.get(lock.lockId),
      online: link.session(lock.lockId) !== undefined,
      administrator: administrator?.username ?? '',
    };
  }

  /** For gateway administrators: existence first, then rights. */
  function requireManaged(caller: Caller, lockId: LockId): void {
    requireLock(locks, lockId);
    requireGatewayAdministrator(caller);
  }

  /** Roles are given by gateway administrators and by the lock's own. */
  function requireRoleGiver(caller: Caller, lock: Lock): void {
    if (roleOn(lock, caller) !== 'administrator') requireGatewayAdministrator(caller);
  }

  const accountIdOf = (username: string): AccountId => accountNamed(accounts.current(), username).accountId;

  return {
    async register(caller, { deviceId, name, administrator, ...given }) {
      requireGatewayAdministrator(caller);
      return administration(async () => {
        const taken = locks.byDevice(deviceId);
        if (taken !== undefined) throw new DomainError('conflict', `${macOf(deviceId)} is registered already, as lock ${taken.lockId}`);
        // Looked up for the caller, too: the account can have been removed while this waited, and every lock has an administrator.
        const administratorId = accountIdOf(administrator ?? caller.username);
        const groupName = given.groupName ?? '';
        const deviceKey = secrets.newDeviceKey();
        const lockId = (await counters.next('lockId')) as LockId;
        await locks.add({
          lockId,
          deviceId,
          name,
          alias: given.alias ?? name,
          superPasscode: given.superPasscode ?? '',
          lockData: given.lockData ?? '',
          groupId: await counters.groupId(groupName),
          groupName,
          timezoneOffsetMs: given.timezoneOffsetMs ?? 0,
          featureValue: '',
          modelNum: '',
          hardwareRevision: '',
          firmwareRevision: '',
          autoLockSeconds: 0,
          settings: unknownSettings,
          initialisedAt: clock.now(),
          administrator: administratorId,
          roles: [],
          keyHash: secrets.hash(deviceKey),
        });
        return { lockId, deviceId, deviceKey };
      });
    },

    managed(caller, page) {
      requireGatewayAdministrator(caller);
      const { list, ...envelope } = paginate(locks.all(), page);
      return { list: list.map(managed), ...envelope };
    },

    async change(caller, lockId, { groupName, ...changes }) {
      requireManaged(caller, lockId);
      const group = groupName === undefined ? {} : { groupName, groupId: await counters.groupId(groupName) };
      return managed(await locks.update(lockId, (lock) => ({ ...lock, ...changes, ...group })));
    },

    async remove(caller, lockId) {
      requireManaged(caller, lockId);
      await locks.remove(lockId);
      link.disconnect(lockId, 'the lock was removed');
      statuses.remove(lockId);
    },

    async renewKey(caller, lockId) {
      requireManaged(caller, lockId);
      const deviceKey = secrets.newDeviceKey();
      const { deviceId } = await locks.update(lockId, (lock) => ({ ...lock, keyHash: secrets.hash(deviceKey) }));
      link.disconnect(lockId, 'its device key was renewed');
      return { lockId, deviceId, deviceKey };
    },

    async appoint(caller, lockId, username) {
      requireManaged(caller, lockId);
      await administration(async () => {
        const administrator = accountIdOf(username);
        await locks.update(lockId, (lock) => ({ ...lock, administrator, roles: without(lock, administrator) }));
      });
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

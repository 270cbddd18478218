// The locks of the building as gateway administrators see them: registration, keys, and which hub speaks for them (HTTP API 8.1).
import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { accountNamed } from '../accounts/account-service.ts';
import { requireGatewayAdministrator, requireLock, requireManagedLock } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError } from '../errors.ts';
import type { LongLists } from '../long-lists.ts';
import type { Mutex } from '../mutex.ts';
import type { GroupChanges } from '../people/group-changes.ts';
import type { Secrets } from '../secrets.ts';
import type { Drivers } from './driver.ts';
import { hubOf, nativeDriver } from './hub.ts';
import { type DeviceId, type Lock, type LockId, nativeKind, unknownSettings } from './lock.ts';
import type { LockLists } from './lock-lists.ts';
import type { LockNames } from './lock-names.ts';
import type { LockStore, StatusStore } from './lock-ports.ts';
import { createLockRemoval, type LockRemoval, type LockRemovalOptions } from './lock-removal.ts';
import { createManagedLocks, type ManagedLock, type ManagedLocks } from './managed-locks.ts';
import {
  changedDriver,
  type GivenDriver,
  type IssuedKey,
  type LockDescription,
  type NewDevice,
  type NewDriverLock,
  type NewLock,
  newDevice,
  renewedKey,
  requireFreeDevice,
} from './new-lock.ts';
import { type Strangers, withStrangers } from './strangers.ts';

/** An absent member stays unchanged. */
export interface LockChanges extends Partial<Omit<LockDescription, 'administrator'>> {
  /** Binds the lock to a hub, or with null to none; its session, its own or over the old hub, ends at once. */
  readonly hubId?: DeviceId | null;
  /** Whole; kind and address stay what they are. When anything of it changes, the session of the lock ends at once. */
  readonly driver?: GivenDriver;
  readonly strangers?: Strangers;
}

/** For gateway administrators. Each method throws `lock-not-found` for an unknown lock, then `forbidden` for other callers. */
export interface RegistrationService extends LockRemoval {
  /**
   * Registers a lock. Rejects with `conflict` when a lock or a hub has this MAC address, a lock this address of its kind, nothing listens for
   * locks of its kind, or another lock's name differs only in case; with `invalid-parameter` for a name with direction marks, for a kind
   * without a driver, and for a member that does not fit the kind; with `not-found` when there is no such administrator or hub. The key is
   * valid while the lock is bound to no hub.
   */
  register(caller: Caller, lock: NewLock | NewDriverLock): Promise<IssuedKey>;
  /** As `register`, with a key that the lock made itself. */
  adopt(caller: Caller, lock: NewLock, keyHash: string): Promise<LockId>;
  /**
   * A registered lock has made a new key itself: the old key and its connection end at once. Rejects with `conflict` for a lock behind a
   * hub.
   */
  replaceKey(caller: Caller, deviceId: DeviceId, keyHash: string): Promise<LockId>;
  managed: ManagedLocks['page'];
  /**
   * Rejects with `not-found` when there is no such hub, with `conflict` or `invalid-parameter` for a new name that people could mistake for
   * another; with `forbidden` for another group when grants name the old or the new one, or another
   * decision about strangers, when the caller is no manager of the lock.
   */
  change(caller: Caller, lockId: LockId, changes: LockChanges): Promise<ManagedLock>;
  /**
   * Makes a new key or password; the old one and its connection end at once. The key of a lock behind a hub is valid once it is bound to no
   * hub. Rejects with `conflict` for a lock over a bridge.
   */
  renewKey(caller: Caller, lockId: LockId): Promise<IssuedKey>;
}

interface RegistrationOptions extends LockRemovalOptions {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly lists: Pick<LockLists, 'page'>;
  readonly statuses: StatusStore;
  readonly accounts: Pick<AccountStore, 'get' | 'byName'>;
  readonly counters: CounterStore;
  readonly secrets: Secrets;
  readonly drivers: Drivers;
  readonly administration: Mutex;
  readonly names: Pick<LockNames, 'give'>;
  readonly groupChanges: GroupChanges;
  readonly longLists: LongLists;
}

export function createRegistrationService(options: RegistrationOptions): RegistrationService {
  const { clock, locks, accounts, counters, secrets, drivers, administration, groupChanges } = options;
  const managed = createManagedLocks(options);

  /** Call it within the administration mutex. */
  async function add(caller: Caller, { name, administrator, ...given }: LockDescription, device: NewDevice): Promise<LockId> {
    const { deviceId, driver } = device;
    requireFreeDevice(locks, deviceId);
    drivers.accept(device);
    // This looks up the caller's account, too: it can have been removed while this call waited, and every lock needs an administrator.
    const administratorId = accountNamed(accounts, administrator ?? caller.username).accountId;
    const alias = given.alias ?? name;
    return options.names.give(undefined, { name, alias }, async () => {
      const groupName = given.groupName ?? '';
      const lockId = (await counters.next('lockId')) as LockId;
      await locks.add({
        lockId,
        deviceId,
        name,
        alias,
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
        driver,
      });
      return lockId;
    });
  }

  async function bind(lockId: LockId, hubId: DeviceId | null, update: () => Promise<Lock>): Promise<Lock> {
    return administration(async () => {
      const before = requireLock(locks, lockId);
      const { deviceId, driver } = before;
      if (driver.kind === nativeKind) drivers.accept({ deviceId, driver: { ...driver, options: { hubId } } });
      else if (hubId !== null) throw new DomainError('conflict', `a hub cannot speak for a lock of the kind ${driver.kind}`);
      const lock = await update();
      if (hubOf(before) !== hubId) drivers.disconnect(lockId, hubId === null ? 'it was unbound from its hub' : 'it was bound to a hub');
      return lock;
    });
  }
  /** With what of the changes belongs to the driver. */
  function withDriver(lock: Lock, { hubId, driver }: Pick<LockChanges, 'hubId' | 'driver'>): Lock {
    const isBound = hubId !== undefined && lock.driver.kind === nativeKind;
    if (isBound) return { ...lock, driver: { ...lock.driver, options: { hubId } } };
    return driver === undefined ? lock : { ...lock, driver: changedDriver(drivers, lock.driver, driver) };
  }

  return {
    ...createLockRemoval(options),

    async register(caller, lock) {
      requireGatewayAdministrator(caller);
      return administration(async () => {
        const { issued, ...device } = newDevice({ drivers, secrets }, lock);
        const lockId = await add(caller, lock, device);
        return { lockId, deviceId: device.deviceId, ...issued };
      });
    },

    async adopt(caller, lock, keyHash) {
      requireGatewayAdministrator(caller);
      const { deviceId, hubId = null } = lock;
      return administration(() => add(caller, lock, { deviceId, driver: nativeDriver(deviceId, hubId, keyHash) }));
    },

    async replaceKey(caller, deviceId, keyHash) {
      requireGatewayAdministrator(caller);
      return administration(async () => {
        const lock = locks.byDevice(deviceId);
        if (lock === undefined) throw new DomainError('lock-not-found', `there is no lock ${deviceId}`);
        await locks.update(lock.lockId, (current) => {
          const { driver } = current;
          if (driver.kind !== nativeKind) throw new DomainError('conflict', `lock ${lock.lockId} is of the kind ${driver.kind}`);
          if (hubOf(current) !== null) throw new DomainError('conflict', `lock ${lock.lockId} is behind a hub and has no login of its own`);
          return { ...current, driver: { ...driver, keyHash } };
        });
        drivers.disconnect(lock.lockId, 'its device key was replaced');
        return lock.lockId;
      });
    },

    managed: managed.page,

    async change(caller, lockId, { groupName, hubId, driver, strangers, ...changes }) {
      requireManagedLock(locks, caller, lockId);
      const { options: before } = requireLock(locks, lockId).driver;
      let replaced: Lock | undefined;
      const update = () =>
        options.names.give(lockId, changes, async () => {
          const group = groupName === undefined ? undefined : { groupName, groupId: await counters.groupId(groupName) };
          const ofDriver = { ...(hubId !== undefined && { hubId }), ...(driver && { driver }) };
          return locks.update(lockId, (lock) => {
            if (group !== undefined) groupChanges.requireAllowed(caller, lock, group.groupId);
            replaced = lock;
            const decided = strangers === undefined ? lock : withStrangers(locks, caller, lock, strangers);
            return withDriver({ ...decided, ...changes, ...group }, ofDriver);
          });
        });
      const changed = hubId === undefined ? await update() : await bind(lockId, hubId, update);
      if (driver !== undefined && JSON.stringify(changed.driver.options) !== JSON.stringify(before))
        drivers.disconnect(lockId, 'its driver was given other settings');
      if (changes.timezoneOffsetMs !== undefined) drivers.timezoneChanged(lockId);
      const access = replaced && groupChanges.between(replaced, changed);
      return { ...managed.one(changed), ...(access && { access }) };
    },

    async renewKey(caller, lockId) {
      requireManagedLock(locks, caller, lockId);
      const { keyHash, issued } = renewedKey({ drivers, secrets }, requireLock(locks, lockId));
      const lock = await locks.update(lockId, (current) => ({ ...current, driver: { ...current.driver, keyHash } }));
      if (hubOf(lock) === null) drivers.disconnect(lockId, 'its device key was renewed');
      return { lockId, deviceId: lock.deviceId, ...issued };
    },
  };
}

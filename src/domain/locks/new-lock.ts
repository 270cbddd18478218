// The members with which a gateway administrator registers a lock, and what follows from them: its deviceId, its driver, its key.
import { DomainError, invalidParameter } from '../errors.ts';
import type { Secrets } from '../secrets.ts';
import type { DescribedDevice, DeviceLogin, Driver, Drivers } from './driver.ts';
import { nativeDriver } from './hub.ts';
import { type DeviceId, type DriverOptions, type LockDriver, type LockId, macOf, nativeKind } from './lock.ts';
import type { LockStore } from './lock-ports.ts';

/** The members of a registration that are the same for all kinds of lock. */
export interface LockDescription {
  readonly name: string;
  readonly alias?: string;
  readonly groupName?: string;
  readonly superPasscode?: string;
  readonly timezoneOffsetMs?: number;
  readonly lockData?: string;
  /** Username; absent: the caller. */
  readonly administrator?: string;
}

/** A lock that speaks the native protocol. */
export interface NewLock extends LockDescription {
  readonly deviceId: DeviceId;
  /** The hub that speaks for it; absent or null: none. */
  readonly hubId?: DeviceId | null;
}

/** The member `driver` of a lock of another kind, as people write it. */
export type GivenDriver = { readonly kind: string } & DriverOptions;

/** A lock of another kind: its deviceId follows from its address. */
export interface NewDriverLock extends LockDescription {
  readonly driver: GivenDriver;
}

/** What a person gets of a lock that was registered, or given a new key, and sees only once. */
export interface IssuedKey {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  /** Of a native lock. */
  readonly deviceKey?: string;
  /** Of a device that logs in to our broker under a user name. A lock over a bridge has neither. */
  readonly mqtt?: DeviceLogin & { readonly password: string };
}

export type KeyToShow = Pick<IssuedKey, 'deviceKey' | 'mqtt'>;

/** What is stored of a new lock besides its description. */
export interface NewDevice {
  readonly deviceId: DeviceId;
  readonly driver: LockDriver;
}

interface Surroundings {
  readonly drivers: Pick<Drivers, 'ofKind'>;
  readonly secrets: Pick<Secrets, 'newDeviceKey' | 'newDevicePassword' | 'hash'>;
}

/**
 * The device behind a registration, with a new key. Throws `invalid-parameter` when this gateway has no driver for its kind, or a member does
 * not fit the kind, and `conflict` while nothing listens for such devices.
 */
export function newDevice(surroundings: Surroundings, lock: NewLock | NewDriverLock): NewDevice & { readonly issued: KeyToShow } {
  const { drivers, secrets } = surroundings;
  if (!('driver' in lock)) {
    const deviceKey = secrets.newDeviceKey();
    const { deviceId, hubId = null } = lock;
    return { deviceId, driver: nativeDriver(deviceId, hubId, secrets.hash(deviceKey)), issued: { deviceKey } };
  }
  const { kind, device } = describedDevice(drivers, lock.driver);
  const { deviceId, address, options } = device;
  const { keyHash, issued } = newLogin(surroundings, kind, device);
  return { deviceId, driver: { kind, address, options, keyHash }, issued };
}

/** A new password for a device that logs in, and where it does; null and nothing for others. Throws as `Driver.login`. */
function newLogin({ drivers, secrets }: Surroundings, kind: string, device: DescribedDevice) {
  const login = drivers.ofKind(kind)?.login?.(device);
  if (login === undefined) return { keyHash: null, issued: {} };
  const password = secrets.newDevicePassword();
  return { keyHash: secrets.hash(password), issued: { mqtt: { ...login, password } } };
}

/** A new key or password for a registered lock. Throws `conflict` for one that never logs in, and as `Driver.login`. */
export function renewedKey(surroundings: Surroundings, { deviceId, driver }: NewDevice): { keyHash: string; issued: KeyToShow } {
  if (driver.keyHash === null) throw new DomainError('conflict', 'a bridge speaks for this lock: it has no key of its own');
  const { keyHash, issued } = newLogin(surroundings, driver.kind, { ...driver, deviceId });
  if (keyHash !== null) return { keyHash, issued };
  if (driver.kind !== nativeKind)
    throw new DomainError('conflict', `the running gateway makes the password of a lock of the kind ${driver.kind}`);
  const deviceKey = surroundings.secrets.newDeviceKey();
  return { keyHash: surroundings.secrets.hash(deviceKey), issued: { deviceKey } };
}

/** The driver of a lock with other options. Throws as `newDevice`, and `invalid-parameter` when they are those of another device. */
export function changedDriver(drivers: Pick<Drivers, 'ofKind'>, before: LockDriver, given: GivenDriver): LockDriver {
  const { kind, device } = describedDevice(drivers, given);
  if (kind !== before.kind || device.address !== before.address)
    throw invalidParameter('driver', `must keep its kind and address: ${before.kind} ${before.address}`);
  return { ...before, options: device.options };
}

function describedDevice(drivers: Pick<Drivers, 'ofKind'>, { kind, ...given }: GivenDriver): { kind: string; device: DescribedDevice } {
  const driver: Driver | undefined = drivers.ofKind(kind);
  if (driver?.describe === undefined) throw invalidParameter('driver.kind', 'must be a kind that this gateway has a driver for');
  return { kind, device: driver.describe(given) };
}

/** Throws `conflict` when a lock has this deviceId. */
export function requireFreeDevice(locks: Pick<LockStore, 'byDevice' | 'isDisabled'>, deviceId: DeviceId): void {
  const lock = locks.byDevice(deviceId);
  if (lock !== undefined) throw new DomainError('conflict', `${macOf(deviceId)} is registered already, as lock ${lock.lockId}`);
  if (locks.isDisabled(deviceId))
    throw new DomainError(
      'conflict',
      `${macOf(deviceId)} is registered already, as a lock whose document is damaged: the log names the file`,
    );
}

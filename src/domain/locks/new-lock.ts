// The members with which a gateway administrator registers a lock, and the deviceId that follows from them.
import { DomainError, invalidParameter } from '../errors.ts';
import type { Drivers } from './driver.ts';
import { nativeKind } from './driver-table.ts';
import { type DeviceId, type LockDriver, macOf } from './lock.ts';
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

/** A lock of another kind: its deviceId follows from its address. */
export interface NewDriverLock extends LockDescription {
  readonly driver: LockDriver;
}

/**
 * The deviceId of a new lock. Throws `invalid-parameter` when this gateway has no driver for its kind, or the address does not fit the
 * kind.
 */
export function newDeviceId(drivers: Pick<Drivers, 'ofKind'>, lock: NewLock | NewDriverLock): DeviceId {
  if (!('driver' in lock)) return lock.deviceId;
  const { kind, address } = lock.driver;
  const driver = kind === nativeKind ? undefined : drivers.ofKind(kind);
  if (driver === undefined) throw invalidParameter('driver.kind', 'must be a kind that this gateway has a driver for');
  const deviceId = driver.deviceIdOf(address);
  if (deviceId === undefined) throw invalidParameter('driver.address', `must be an address of the kind ${kind}`);
  return deviceId;
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

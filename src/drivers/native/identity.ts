// Who is behind a deviceId. A MAC address is unique over locks and hubs, and a lock behind a hub has no login of its own.
import { DomainError } from '../../domain/errors.ts';
import { hubOf } from '../../domain/locks/hub.ts';
import type { LocalHubView } from '../../domain/locks/hub-ports.ts';
import { type DeviceId, type Lock, type LockId, macOf, nativeKind } from '../../domain/locks/lock.ts';
import type { LockStore } from '../../domain/locks/lock-ports.ts';
import { requireFreeDevice } from '../../domain/locks/new-lock.ts';

/** Who may log in, with the SHA-256 of the key it must show. */
export type Identity =
  | { readonly kind: 'lock'; readonly deviceId: DeviceId; readonly keyHash: string; readonly lockId: LockId }
  | { readonly kind: 'hub'; readonly deviceId: DeviceId; readonly keyHash: string };

export interface Registered {
  readonly locks: Pick<LockStore, 'byDevice'>;
  readonly hubs: Pick<LocalHubView, 'get'>;
}

/** Protocol 2 and 8: a lock with a login of its own, or a hub. Undefined for all others, locks behind a hub among them. */
export function identityOf({ locks, hubs }: Registered, deviceId: DeviceId): Identity | undefined {
  const lock = locks.byDevice(deviceId);
  if (lock !== undefined) {
    const { lockId, driver } = lock;
    const { kind, keyHash } = driver;
    // With the deviceId and the key of a lock of another kind, nobody is a native lock.
    if (kind !== nativeKind || keyHash === null || hubOf(lock) !== null) return undefined;
    return { kind: 'lock', deviceId, lockId, keyHash };
  }
  const hub = hubs.get(deviceId);
  return hub && { kind: 'hub', deviceId, keyHash: hub.keyHash };
}

/** Protocol 8: the lock with this deviceId, when it is bound to this hub now. */
export function lockBehind(locks: Registered['locks'], hubId: DeviceId, deviceId: DeviceId): Lock | undefined {
  const lock = locks.byDevice(deviceId);
  return lock !== undefined && hubOf(lock) === hubId ? lock : undefined;
}

/** `conflict` when a lock or a hub has this MAC address. To be asked within the administration mutex. */
export function requireFreeMac(
  { locks, hubs }: { readonly locks: Pick<LockStore, 'byDevice' | 'isDisabled'>; readonly hubs: Registered['hubs'] },
  deviceId: DeviceId,
): void {
  requireFreeDevice(locks, deviceId);
  requireNoHub(hubs, deviceId);
}

/** As `Driver.accept`. */
export function acceptLock(hubs: Registered['hubs'], { deviceId, driver }: Pick<Lock, 'deviceId' | 'driver'>): void {
  requireNoHub(hubs, deviceId);
  const hubId = hubOf({ driver });
  if (hubId !== null && hubs.get(hubId) === undefined) throw noHub(hubId);
}

function requireNoHub(hubs: Registered['hubs'], deviceId: DeviceId): void {
  if (hubs.get(deviceId) !== undefined) throw new DomainError('conflict', `${macOf(deviceId)} is registered already, as a hub`);
}

/** `not-found`, for a hub that is not registered. */
export function noHub(deviceId: DeviceId): DomainError {
  return new DomainError('not-found', `there is no hub ${deviceId}`);
}

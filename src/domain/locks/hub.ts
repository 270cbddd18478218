// A hub: one device that speaks for the locks bound to it. Its driver handles its connection.
import type { Caller } from '../accounts/account.ts';
import type { Page, PageRequest } from '../page.ts';
import { type DeviceId, type Lock, type LockDriver, nativeKind } from './lock.ts';

export interface Hub {
  /** Its MQTT identity, to which the `hubId` of its locks refers. */
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly createdAt: number;
  /** SHA-256 of the device key, 64 hex digits. */
  readonly keyHash: string;
}

/** The driver of a native lock: a hub speaks for it, or with null it logs in with its own key, which is refused while a hub speaks. */
export function nativeDriver(deviceId: DeviceId, hubId: DeviceId | null, keyHash: string): LockDriver & { readonly keyHash: string } {
  return { kind: nativeKind, address: deviceId, options: { hubId }, keyHash };
}

/** The hub that speaks for a lock; null: none, as for every lock of another kind. */
export function hubOf({ driver }: Pick<Lock, 'driver'>): DeviceId | null {
  const { hubId = null } = driver.options as { readonly hubId?: DeviceId | null };
  return driver.kind === nativeKind ? hubId : null;
}

export interface NewHub {
  readonly deviceId: DeviceId;
  readonly name: string;
}

export interface ManagedHub {
  readonly hub: Hub;
  readonly online: boolean;
  /** How many locks are bound to it. */
  readonly locks: number;
}

/** A new key; `deviceKey` is shown only once. */
export interface IssuedHubKey {
  readonly deviceId: DeviceId;
  readonly deviceKey: string;
}

/** For gateway administrators: `forbidden` for others. */
export interface HubService {
  /** For whoever may see a lock for which it speaks; undefined: there is no such hub. */
  find(deviceId: DeviceId): { readonly name: string; readonly online: boolean } | undefined;
  /** Rejects with `conflict` when a lock or a hub has this MAC address. */
  register(caller: Caller, hub: NewHub): Promise<IssuedHubKey>;
  /** In the order of registration. */
  list(caller: Caller, page: PageRequest): Page<ManagedHub>;
  /** Removes the hub and closes its connection. Rejects with `not-found`, or with `conflict` while locks are bound to it. */
  remove(caller: Caller, deviceId: DeviceId): Promise<void>;
  /** Makes a new device key; the old key, the hub's connection and the sessions of its locks end at once. Rejects with `not-found`. */
  renewKey(caller: Caller, deviceId: DeviceId): Promise<IssuedHubKey>;
}

// A hub: one device that speaks for the locks bound to it; what becomes of its connection is its driver's.
import type { Caller } from '../accounts/account.ts';
import type { Page, PageRequest } from '../page.ts';
import type { DeviceId } from './lock.ts';

export interface Hub {
  /** Its MQTT identity, and what the `hubId` of its locks refers to. */
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly createdAt: number;
  /** SHA-256 of the device key, 64 hex digits. */
  readonly keyHash: string;
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

/** `deviceKey` is shown this once. */
export interface IssuedHubKey {
  readonly deviceId: DeviceId;
  readonly deviceKey: string;
}

/** For gateway administrators: `forbidden` for others. */
export interface HubService {
  /** `conflict` when a lock or a hub has this MAC address. */
  register(caller: Caller, hub: NewHub): Promise<IssuedHubKey>;
  /** In the order of registration. */
  list(caller: Caller, page: PageRequest): Page<ManagedHub>;
  /** Ends its connection. `not-found`; `conflict` while locks are bound to it. */
  remove(caller: Caller, deviceId: DeviceId): Promise<void>;
  /** A new device key; the old one and its connection, and with it the sessions of its locks, end at once. `not-found`. */
  renewKey(caller: Caller, deviceId: DeviceId): Promise<IssuedHubKey>;
}

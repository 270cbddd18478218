// The ports for hubs.
import type { Hub } from './hub.ts';
import type { DeviceId } from './lock.ts';

/** A local view of all hubs, which follows every change: each login of a lock asks it. */
export interface LocalHubView {
  /** In the order of registration. The same array until something changes. */
  all(): readonly Hub[];
  get(deviceId: DeviceId): Hub | undefined;
}

export interface HubStore extends LocalHubView {
  /** `conflict` when there is a hub with this deviceId. */
  add(hub: Hub): Promise<void>;
  /** As LockStore.update; `not-found` when it is gone. */
  update(deviceId: DeviceId, change: (hub: Hub) => Hub): Promise<Hub>;
  /** `not-found`. */
  remove(deviceId: DeviceId): Promise<void>;
}

export interface HubLink {
  /** It is connected, and has not said that it is offline. */
  online(deviceId: DeviceId): boolean;
  /** Ends the hub's connection, if any, and with it the sessions of its locks. */
  disconnect(deviceId: DeviceId, reason: string): void;
}

// The ports for hubs.
import type { Hub } from './hub.ts';
import type { DeviceId } from './lock.ts';

/** A local view of all hubs, which follows every change, because each login of a lock reads it. */
export interface LocalHubView {
  /** In the order of registration. The same array until something changes. */
  all(): readonly Hub[];
  get(deviceId: DeviceId): Hub | undefined;
}

export interface HubStore extends LocalHubView {
  /** Rejects with `conflict` when there is a hub with this deviceId. */
  add(hub: Hub): Promise<void>;
  /** As LockStore.update; rejects with `not-found` when there is no such hub. */
  update(deviceId: DeviceId, change: (hub: Hub) => Hub): Promise<Hub>;
  /** `not-found`. */
  remove(deviceId: DeviceId): Promise<void>;
}

export interface HubLink {
  /** Whether the hub is connected and has not said that it is offline. */
  online(deviceId: DeviceId): boolean;
  /** Ends the hub's connection, if any, and with it the sessions of its locks. */
  disconnect(deviceId: DeviceId, reason: string): void;
}

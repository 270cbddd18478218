// Hubs as gateway administrators manage them (HTTP API 8.2).
import type { Caller } from '../accounts/account.ts';
import { requireGatewayAdministrator } from '../accounts/permissions.ts';
import { DomainError } from '../errors.ts';
import type { Mutex } from '../mutex.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { Clock, HubLink, HubStore, LockStore, Secrets } from '../ports.ts';
import type { Hub } from './hub.ts';
import { findHub, requireFreeMac } from './identity.ts';
import type { DeviceId } from './lock.ts';

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

export function createHubService(options: {
  readonly clock: Clock;
  readonly hubs: HubStore;
  readonly locks: LockStore;
  readonly secrets: Secrets;
  readonly link: HubLink;
  /** Shared with the registration of locks: no lock is bound to a hub while that is removed. */
  readonly administration: Mutex;
}): HubService {
  const { clock, hubs, locks, secrets, link, administration } = options;

  const locksOf = (deviceId: DeviceId): number => locks.all().filter((lock) => lock.hubId === deviceId).length;

  return {
    async register(caller, { deviceId, name }) {
      requireGatewayAdministrator(caller);
      return administration(async () => {
        requireFreeMac({ locks, hubs }, deviceId);
        const deviceKey = secrets.newDeviceKey();
        const hub: Hub = { deviceId, name, createdAt: clock.now(), keyHash: secrets.hash(deviceKey) };
        await hubs.update((current) => ({ hubs: [...current.hubs, hub] }));
        return { deviceId, deviceKey };
      });
    },

    list(caller, page) {
      requireGatewayAdministrator(caller);
      const { list, ...envelope } = paginate(hubs.current().hubs, page);
      // One look at the locks for all of the page.
      const bound = new Map<DeviceId | null, number>();
      for (const { hubId } of list.length === 0 ? [] : locks.all()) bound.set(hubId, (bound.get(hubId) ?? 0) + 1);
      const managed = list.map((hub) => ({ hub, online: link.online(hub.deviceId), locks: bound.get(hub.deviceId) ?? 0 }));
      return { list: managed, ...envelope };
    },

    async remove(caller, deviceId) {
      requireGatewayAdministrator(caller);
      await administration(async () => {
        requireHub(hubs, deviceId);
        const bound = locksOf(deviceId);
        if (bound > 0)
          throw new DomainError('conflict', `there are locks bound to this hub (${bound}); bind them to another one, or to none, first`);
        await hubs.update((current) => ({ hubs: current.hubs.filter((hub) => hub.deviceId !== deviceId) }));
      });
      link.disconnect(deviceId, 'the hub was removed');
    },

    async renewKey(caller, deviceId) {
      requireGatewayAdministrator(caller);
      const deviceKey = secrets.newDeviceKey();
      const keyHash = secrets.hash(deviceKey);
      await hubs.update((current) => {
        if (!current.hubs.some((hub) => hub.deviceId === deviceId)) throw noHub(deviceId);
        return { hubs: current.hubs.map((hub) => (hub.deviceId === deviceId ? { ...hub, keyHash } : hub)) };
      });
      link.disconnect(deviceId, 'its device key was renewed');
      return { deviceId, deviceKey };
    },
  };
}

/** `not-found` when there is no such hub. */
export function requireHub(hubs: Pick<HubStore, 'current'>, deviceId: DeviceId): void {
  if (findHub(hubs, deviceId) === undefined) throw noHub(deviceId);
}

function noHub(deviceId: DeviceId): DomainError {
  return new DomainError('not-found', `there is no hub ${deviceId}`);
}

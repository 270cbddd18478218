// Hubs as gateway administrators manage them (HTTP API 8.2).

import { requireGatewayAdministrator } from '../../domain/accounts/permissions.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Hub, type HubService, hubOf } from '../../domain/locks/hub.ts';
import type { HubLink, HubStore } from '../../domain/locks/hub-ports.ts';
import type { DeviceId } from '../../domain/locks/lock.ts';
import type { LockStore } from '../../domain/locks/lock-ports.ts';
import type { Mutex } from '../../domain/mutex.ts';
import { paginate } from '../../domain/page.ts';
import type { Secrets } from '../../domain/secrets.ts';
import { noHub, requireFreeMac } from './identity.ts';

/** Registers, lists and removes hubs and makes new keys for them; for gateway administrators alone. */
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

  const locksOf = (deviceId: DeviceId): number => locks.all().filter((lock) => hubOf(lock) === deviceId).length;

  return {
    find(deviceId) {
      const hub = hubs.get(deviceId);
      return hub && { name: hub.name, online: link.online(deviceId) };
    },

    async register(caller, { deviceId, name }) {
      requireGatewayAdministrator(caller);
      return administration(async () => {
        requireFreeMac({ locks, hubs }, deviceId);
        const deviceKey = secrets.newDeviceKey();
        const hub: Hub = { deviceId, name, createdAt: clock.now(), keyHash: secrets.hash(deviceKey) };
        await hubs.add(hub);
        return { deviceId, deviceKey };
      });
    },

    list(caller, page) {
      requireGatewayAdministrator(caller);
      const { list, ...envelope } = paginate(hubs.all(), page);
      // One look at the locks for all of the page.
      const bound = new Map<DeviceId | null, number>();
      for (const lock of list.length === 0 ? [] : locks.all()) bound.set(hubOf(lock), (bound.get(hubOf(lock)) ?? 0) + 1);
      const managed = list.map((hub) => ({ hub, online: link.online(hub.deviceId), locks: bound.get(hub.deviceId) ?? 0 }));
      return { list: managed, ...envelope };
    },

    async remove(caller, deviceId) {
      requireGatewayAdministrator(caller);
      await administration(async () => {
        if (hubs.get(deviceId) === undefined) throw noHub(deviceId);
        const bound = locksOf(deviceId);
        if (bound > 0)
          throw new DomainError('conflict', `there are locks bound to this hub (${bound}); bind them to another one, or to none, first`);
        await hubs.remove(deviceId);
      });
      link.disconnect(deviceId, 'the hub was removed');
    },

    async renewKey(caller, deviceId) {
      requireGatewayAdministrator(caller);
      const deviceKey = secrets.newDeviceKey();
      const keyHash = secrets.hash(deviceKey);
      await hubs.update(deviceId, (hub) => ({ ...hub, keyHash }));
      link.disconnect(deviceId, 'its device key was renewed');
      return { deviceId, deviceKey };
    },
  };
}

// TTLock's endpoints of gateways: latchd itself, and the hubs that speak for locks.
import type { Caller } from '../../domain/accounts/account.ts';
import { invalidParameter } from '../../domain/errors.ts';
import { type HubService, hubOf } from '../../domain/locks/hub.ts';
import { type DeviceId, macOf } from '../../domain/locks/lock.ts';
import type { LockService, LockView } from '../../domain/locks/lock-service.ts';
import { paginate } from '../../domain/page.ts';
import { pageView } from '../api/views.ts';
import type { FacadeRoute } from '../pipeline/route.ts';
import type { TtlockEndpoints } from './endpoint.ts';
import { ttlockGateway, ttlockLockOnly, ttlockPage } from './parameters.ts';

/** latchd, of which the locks are that log in themselves or come over a bridge. Its MAC is its number, as that of a hub. */
const ownId = 1;
const gatewayVersion = 2;
/** No radio is known: what a good one would have. */
const rssi = -50;
/** Locks that are looked through at once; doors go between. */
const slice = 500;

/** Where the locks are that a caller may see. */
interface Speaker {
  readonly deviceId: DeviceId | null;
  readonly lockNum: number;
}

export function ttlockGatewayRoutes({ endpoint }: TtlockEndpoints, locks: LockService, hubs: HubService): readonly FacadeRoute[] {
  /** The locks on which the caller has any role, slice by slice, each in a tick of its own. */
  async function* slices(caller: Caller): AsyncIterable<readonly LockView[]> {
    for (let pageNo = 1; ; pageNo++) {
      const { list, pages } = locks.list(caller, { pageNo, pageSize: slice });
      yield list;
      if (pageNo >= pages) return;
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }
  }
  async function lockCounts(caller: Caller): Promise<ReadonlyMap<DeviceId | null, number>> {
    const counts = new Map<DeviceId | null, number>();
    for await (const list of slices(caller)) {
      for (const { lock } of list) counts.set(hubOf(lock), (counts.get(hubOf(lock)) ?? 0) + 1);
    }
    return counts;
  }
  /** latchd, then the hubs that speak for locks of the caller; for a gateway administrator all hubs. */
  async function speakers(caller: Caller): Promise<readonly Speaker[]> {
    const counts = await lockCounts(caller);
    const { gatewayAdministrator } = caller;
    const all = gatewayAdministrator ? hubs.list(caller, { pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER }).list : [];
    const hubIds = gatewayAdministrator ? all.map(({ hub }) => hub.deviceId) : [...counts.keys()].filter((hubId) => hubId !== null).sort();
    return [null, ...hubIds].map((deviceId) => ({ deviceId, lockNum: counts.get(deviceId) ?? 0 }));
  }
  function nameOf(deviceId: DeviceId | null): string {
    return deviceId === null ? 'latchd' : (hubs.find(deviceId)?.name ?? '');
  }
  function gateway({ deviceId, lockNum }: Speaker) {
    const isOnline = deviceId === null || hubs.find(deviceId)?.online === true;
    return {
      gatewayId: idOf(deviceId),
      gatewayMac: macOfGateway(deviceId),
      gatewayName: nameOf(deviceId),
      gatewayVersion,
      networkName: '',
      lockNum,
      isOnline: isOnline ? 1 : 0,
    };
  }
  async function* lockPieces(caller: Caller, deviceId: DeviceId | null): AsyncIterable<string> {
    yield '{"list":[';
    let separator = '';
    for await (const list of slices(caller)) {
      const found = list.filter(({ lock }) => hubOf(lock) === deviceId);
      if (found.length === 0) continue;
      yield separator + found.map((view) => JSON.stringify(lockOfGateway(view))).join(',');
      separator = ',';
    }
    yield ']}';
  }

  return [
    ...endpoint('/v3/gateway/list', 'read', ttlockPage, async ({ caller, parameters: page }) =>
      pageView(paginate(await speakers(caller), page), gateway),
    ),
    ...endpoint('/v3/gateway/listLock', 'read', ttlockGateway, async ({ caller, parameters: { gatewayId } }) => {
      const found = (await speakers(caller)).find(({ deviceId }) => idOf(deviceId) === gatewayId);
      if (found === undefined) throw invalidParameter('gatewayId', 'must be the id of a gateway in gateway/list');
      return lockPieces(caller, found.deviceId);
    }),
    ...endpoint('/v3/gateway/listByLock', 'read', ttlockLockOnly, ({ caller, parameters: { lockId } }) => {
      const { lock, status, online } = locks.get(caller, lockId);
      const deviceId = hubOf(lock);
      const gatewayOf = { gatewayId: idOf(deviceId), gatewayMac: macOfGateway(deviceId), gatewayName: nameOf(deviceId) };
      return { list: online ? [{ ...gatewayOf, rssi, rssiUpdateDate: status.lastSeenAt ?? lock.initialisedAt }] : [] };
    }),
  ];
}

function lockOfGateway({ lock, status }: LockView): object {
  const { lockId, deviceId, name, alias, initialisedAt } = lock;
  const updateDate = status.lastSeenAt ?? initialisedAt;
  return { lockId, lockMac: macOf(deviceId), lockName: name, lockAlias: alias, rssi, updateDate };
}

/** A MAC address as a number. */
function idOf(deviceId: DeviceId | null): number {
  return deviceId === null ? ownId : Number.parseInt(deviceId, 16);
}

function macOfGateway(deviceId: DeviceId | null): string {
  return macOf(deviceId ?? (ownId.toString(16).padStart(12, '0') as DeviceId));
}

import { describe, expect, it } from '@jest/globals';
import type { DeviceId } from '../../../src/domain/locks/lock.ts';
import { identityOf } from '../../../src/drivers/native/identity.ts';
import { callers, codeOf, createDomain, lockId, otherLockId, someLock } from '../../support/domain.ts';

const { admin, administrator } = callers;
const hub = { deviceId: '0123456789f0' as DeviceId, name: 'Stairwell' };
const other = { deviceId: '0123456789f1' as DeviceId, name: 'Yard' };
const page = { pageNo: 1, pageSize: 10 };
const lockDevice = someLock().deviceId;

async function createBuilding() {
  const domain = await createDomain();
  const { deviceKey } = await domain.hubService.register(admin, hub);
  await domain.hubService.register(admin, other);
  return { ...domain, deviceKey, identity: (deviceId: DeviceId) => identityOf(domain, deviceId) };
}

describe('hubs (HTTP API 8.2)', () => {
  it('are registered with a key that is kept as a hash only, and listed in that order', async () => {
    const { hubService, hubs, secrets, deviceKey, clock } = await createBuilding();
    expect(hubs.all()[0]).toEqual({ ...hub, createdAt: clock.now(), keyHash: secrets.hash(deviceKey) });
    expect(JSON.stringify(hubs.all())).not.toContain(deviceKey);
    expect(hubService.list(admin, page).list).toMatchObject([
      { hub, online: false, locks: 0 },
      { hub: other, online: false, locks: 0 },
    ]);
  });

  it('and locks share the MAC addresses: one that is taken is a conflict, also at the same moment', async () => {
    const { hubService, registrationService } = await createBuilding();
    expect(await codeOf(() => hubService.register(admin, hub))).toBe('conflict');
    expect(await codeOf(() => hubService.register(admin, { ...hub, deviceId: lockDevice }))).toBe('conflict');
    expect(await codeOf(() => registrationService.register(admin, hub))).toBe('conflict');
    const free = { deviceId: '0123456789f9' as DeviceId, name: 'x' };
    const both = [codeOf(() => registrationService.register(admin, free)), codeOf(() => hubService.register(admin, free))];
    expect(await Promise.all(both)).toEqual(['done', 'conflict']);
  });

  it('are not registered under the MAC address of a lock whose document is damaged, and no lock is', async () => {
    const { hubService, registrationService, damagedLocks, hubs } = await createBuilding();
    const before = hubs.all();
    const free = { deviceId: '0123456789f9' as DeviceId, name: 'x' };
    damagedLocks.add(free.deviceId);
    expect(await codeOf(() => hubService.register(admin, free))).toBe('conflict');
    expect(await codeOf(() => registrationService.register(admin, free))).toBe('conflict');
    expect(hubs.all()).toEqual(before);
  });

  it('are not deleted while locks are bound to them, also when one is bound at the same moment', async () => {
    const { hubService, registrationService, hubLink } = await createBuilding();
    const bound = registrationService.change(admin, lockId, { hubId: hub.deviceId });
    expect(await codeOf(() => hubService.remove(admin, hub.deviceId))).toBe('conflict');
    await bound;
    const freed = registrationService.change(admin, lockId, { hubId: null });
    await hubService.remove(admin, hub.deviceId);
    await freed;
    expect(hubLink.ended).toEqual([[hub.deviceId, 'the hub was removed']]);
    expect(await codeOf(() => hubService.remove(admin, hub.deviceId))).toBe('not-found');
  });

  it('lose the old key and its connection with a new one', async () => {
    const { hubService, hubs, hubLink, secrets } = await createBuilding();
    const { deviceKey } = await hubService.renewKey(admin, hub.deviceId);
    expect(hubs.all().map(({ keyHash }) => keyHash === secrets.hash(deviceKey))).toEqual([true, false]);
    expect(hubLink.ended).toEqual([[hub.deviceId, 'its device key was renewed']]);
    expect(await codeOf(() => hubService.renewKey(admin, lockDevice))).toBe('not-found');
  });

  it('are for gateway administrators', async () => {
    const { hubService } = await createBuilding();
    const asked = [
      () => hubService.register(administrator, { ...hub, deviceId: '0123456789f9' as DeviceId }),
      () => hubService.list(administrator, page),
      () => hubService.remove(administrator, hub.deviceId),
      () => hubService.renewKey(administrator, hub.deviceId),
    ];
    expect(await Promise.all(asked.map(codeOf))).toEqual(['forbidden', 'forbidden', 'forbidden', 'forbidden']);
  });

  it('are kept only when they could be written', async () => {
    const { hubService, storage, hubLink } = await createBuilding();
    storage.fails = (write) => write.startsWith('hubs.');
    expect(await codeOf(() => hubService.remove(admin, hub.deviceId))).toBe('storage-unavailable');
    expect(await codeOf(() => hubService.renewKey(admin, hub.deviceId))).toBe('storage-unavailable');
    expect([hubService.list(admin, page).total, hubLink.ended]).toEqual([2, []]);
  });
});

describe('a lock bound to a hub (Protocol 8, HTTP API 8.1 and 8.2)', () => {
  it('has no login of its own, and its session ends the moment it is bound', async () => {
    const { registrationService, link, identity } = await createBuilding();
    expect(identity(lockDevice)).toMatchObject({ kind: 'lock', lockId });
    await registrationService.change(admin, lockId, { hubId: hub.deviceId });
    expect([identity(lockDevice), link.session(lockId)]).toEqual([undefined, undefined]);
    expect(link.disconnects).toEqual([{ lockId, reason: 'it was bound to a hub' }]);
  });

  it('ends its session over the old hub when it goes to another one, and over any when it is unbound', async () => {
    const { registrationService, link, identity } = await createBuilding();
    for (const hubId of [hub.deviceId, hub.deviceId, other.deviceId, null, null]) {
      await registrationService.change(admin, lockId, { hubId });
      link.connect(lockId);
    }
    expect(link.disconnects).toHaveLength(3);
    expect(identity(lockDevice)).toMatchObject({ kind: 'lock', lockId, keyHash: someLock().driver.keyHash });
  });

  it('gets a new key for later without losing its session over the hub', async () => {
    const { registrationService, link, identity, secrets } = await createBuilding();
    await registrationService.change(admin, lockId, { hubId: hub.deviceId });
    const session = link.connect(lockId);
    const { deviceKey } = await registrationService.renewKey(admin, lockId);
    expect([identity(lockDevice), link.session(lockId)]).toEqual([undefined, session]);
    await registrationService.change(admin, lockId, { hubId: null });
    expect(identity(lockDevice)).toMatchObject({ keyHash: secrets.hash(deviceKey ?? '') });
  });

  it('may be registered behind one at once, and a hub that is not there is not-found', async () => {
    const { registrationService, locks, identity } = await createBuilding();
    const lock = { deviceId: '0123456789ab' as DeviceId, name: 'Cellar' };
    expect(await codeOf(() => registrationService.register(admin, { ...lock, hubId: lockDevice }))).toBe('not-found');
    expect(await codeOf(() => registrationService.change(admin, lockId, { hubId: lock.deviceId }))).toBe('not-found');
    expect([locks.all().length, locks.get(lockId)?.driver.options]).toEqual([2, { hubId: null }]);
    const { lockId: id } = await registrationService.register(admin, { ...lock, hubId: hub.deviceId });
    expect([locks.get(id)?.driver.options, identity(lock.deviceId)]).toEqual([{ hubId: hub.deviceId }, undefined]);
  });

  it('stays where it is when the change could not be written', async () => {
    const { registrationService, link, storage, locks } = await createBuilding();
    storage.fails = (write) => write === 'locks.update';
    expect(await codeOf(() => registrationService.change(admin, lockId, { hubId: hub.deviceId }))).toBe('storage-unavailable');
    expect([locks.get(lockId)?.driver.options, link.disconnects]).toEqual([{ hubId: null }, []]);
    expect(await codeOf(() => registrationService.change(admin, otherLockId, { hubId: null }))).toBe('storage-unavailable');
  });
});

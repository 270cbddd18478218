// What is there and not registered: devices that wait, and those that bridges announce (HTTP API 8.3).
import { describe, expect, it } from '@jest/globals';
import type { AnnouncedDevice } from '../../../src/domain/locks/bridges.ts';
import { createFoundDevices } from '../../../src/domain/locks/found-devices.ts';
import type { DeviceId } from '../../../src/domain/locks/lock.ts';
import { callers, codeOf, createDomain } from '../../support/domain.ts';
import { createFakeDriver } from '../../support/fake-driver.ts';
import { announcedDevice } from '../../support/fake-services.ts';

const { admin, manager } = callers;
const page = { pageNo: 1, pageSize: 10 };
const plain = (address: string, more: Partial<AnnouncedDevice> = {}): AnnouncedDevice => ({
  ...announcedDevice,
  deviceId: `02000000${address}` as DeviceId,
  driver: { kind: 'plain', bridge: 'house', address },
  ...more,
});
const [announced, odd] = [plain('0007'), plain('0008', { refused: 'val_tpl: {{ value | int }}' })];
const lock = { name: 'Attic' };

async function prepare() {
  const domain = await createDomain();
  domain.drivers.add(createFakeDriver(domain));
  const list = [announced, odd];
  const bridges = { announced: () => list, announcedAs: (deviceId: DeviceId) => list.find((device) => device.deviceId === deviceId) };
  const found = createFoundDevices({ pairing: domain.pairing, bridges, registrations: domain.registrationService, emit: domain.emit });
  const arrive = (deviceId: DeviceId) =>
    domain.pairing.arrive({ deviceId, address: '10.0.0.9', keyHash: 'ab'.repeat(32) }, () => undefined);
  return { ...domain, found, arrive };
}

describe('the devices that are there', () => {
  it('are those that wait, then those that are announced, whether pairing is open or not, for gateway administrators', async () => {
    const { found, arrive } = await prepare();
    const ids = () => found.devices(admin, page).list.map(({ deviceId }) => deviceId);
    expect(ids()).toEqual([announced.deviceId, odd.deviceId]);
    await found.open(admin, 300);
    arrive('0123456789ab' as DeviceId);
    expect(ids()).toEqual(['0123456789ab', announced.deviceId, odd.deviceId]);
    expect(found.devices(admin, { pageNo: 2, pageSize: 2 })).toMatchObject({ list: [odd], pages: 2, total: 3 });
    expect(() => found.devices(manager, page)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});

describe('an announced device', () => {
  it('is registered by what is announced of it and by what the person says, and without a key', async () => {
    const { found, locks, notices } = await prepare();
    const { lockId, replaced } = await found.confirm(admin, announced.deviceId, {
      lock: { ...lock, groupName: 'East', administrator: 'ada' },
    });
    expect(replaced).toBe(false);
    expect(locks.get(lockId)).toMatchObject({ deviceId: announced.deviceId, name: 'Attic', groupName: 'East', driver: { kind: 'plain' } });
    expect(notices).toContainEqual({ kind: 'device-confirmed', deviceId: announced.deviceId, lockId, by: admin.username });
  });

  it('is not confirmed by others than gateway administrators, without a name, with a fingerprint, or when it is not understood', async () => {
    const { found, locks } = await prepare();
    const before = locks.all().length;
    const confirm = (...[deviceId, confirmation]: [DeviceId, object]) => codeOf(() => found.confirm(admin, deviceId, confirmation));
    expect(await codeOf(() => found.confirm(manager, announced.deviceId, { lock }))).toBe('forbidden');
    expect(await confirm(announced.deviceId, {})).toBe('invalid-parameter');
    expect(await confirm(announced.deviceId, { lock, keyFingerprint: '9f86-d081-884c-7d65' })).toBe('invalid-parameter');
    expect(await confirm(odd.deviceId, { lock })).toBe('conflict');
    expect(await confirm('02000000ffff' as DeviceId, { lock })).toBe('not-found');
    expect(locks.all().length).toBe(before);
  });

  it('is not taken by a device that waits under its deviceId, nor is that one confirmed in its place', async () => {
    const { found, arrive, locks } = await prepare();
    await found.open(admin, 300);
    arrive(announced.deviceId);
    const [waiting] = found.devices(admin, page).list;
    const keyFingerprint = waiting !== undefined && 'keyFingerprint' in waiting ? waiting.keyFingerprint : '';
    const { lockId } = await found.confirm(admin, announced.deviceId, { lock });
    expect(locks.get(lockId)?.driver.kind).toBe('plain');
    expect(await codeOf(() => found.confirm(admin, announced.deviceId, { keyFingerprint, lock: { name: 'Cellar' } }))).toBe(
      'invalid-parameter',
    );
  });
});

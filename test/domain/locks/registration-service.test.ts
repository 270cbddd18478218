import { describe, expect, it } from '@jest/globals';
import { DomainError } from '../../../src/domain/errors.ts';
import type { DeviceId } from '../../../src/domain/locks/lock.ts';
import { callers, codeOf, createDomain, lockId, otherLockId, someLock, stays } from '../../support/domain.ts';
import { createFakeDriver } from '../../support/fake-driver.ts';
import { settled } from '../../support/settable-clock.ts';

const { admin } = callers;
const newLock = { deviceId: '0123456789ab' as DeviceId, name: 'Cellar' };
const page = { pageNo: 1, pageSize: 10 };

describe('registering a lock', () => {
  it('gives an id and a key that is kept as a hash only (HTTP API 8.1)', async () => {
    const { registrationService, locks, secrets } = await createDomain();
    const issued = await registrationService.register(admin, newLock);
    expect(issued.deviceId).toBe(newLock.deviceId);
    expect(locks.get(issued.lockId)).toMatchObject({ driver: { keyHash: secrets.hash(issued.deviceKey ?? '') }, lockId: issued.lockId });
    expect(JSON.stringify(locks.all())).not.toContain(issued.deviceKey);
  });

  it('defaults to the name as alias, no group, and the account that registers as administrator (HTTP API 8.1)', async () => {
    const { registrationService, locks, clock } = await createDomain();
    const { lockId: id } = await registrationService.register(admin, newLock);
    expect(locks.get(id)).toMatchObject({
      name: 'Cellar',
      alias: 'Cellar',
      groupId: 0,
      groupName: '',
      superPasscode: '',
      lockData: '',
      timezoneOffsetMs: 0,
      administrator: admin.accountId,
      roles: [],
      initialisedAt: clock.now(),
    });
  });

  it('gives a group name the same id for ever (Decision 7)', async () => {
    const { registrationService, locks } = await createDomain();
    const first = await registrationService.register(admin, { ...newLock, groupName: 'North' });
    const second = await registrationService.register(admin, { ...newLock, deviceId: '0123456789ac' as DeviceId, groupName: 'North' });
    await registrationService.change(admin, first.lockId, { groupName: '' });
    await registrationService.change(admin, first.lockId, { groupName: 'North' });
    const groups = [first, second].map(({ lockId: id }) => locks.get(id)?.groupId);
    expect(groups).toEqual([groups[1], groups[0]]);
    expect(groups[0]).toBeGreaterThan(0);
  });

  it('is a conflict for a MAC that is registered, also at the same moment (HTTP API 4)', async () => {
    const { registrationService } = await createDomain();
    const register = () => codeOf(() => registrationService.register(admin, newLock));
    expect(await Promise.all([register(), register()])).toEqual(['done', 'conflict']);
  });

  it('is not-found for an administrator who is not there, and nothing is registered (HTTP API 4)', async () => {
    const { registrationService, locks } = await createDomain();
    expect(await codeOf(() => registrationService.register(admin, { ...newLock, administrator: 'nobody' }))).toBe('not-found');
    expect(locks.all()).toHaveLength(2);
  });

  it('by an account that is removed at the same moment leaves no lock without an administrator (HTTP API 8.4)', async () => {
    const { registrationService, accountService, locks } = await createDomain();
    const second = await accountService.createAccount(admin, 'second', { gatewayAdministrator: true, accessManager: false });
    const removed = accountService.removeAccount(admin, 'second');
    const registered = codeOf(() => registrationService.register(second, newLock));
    await removed;
    expect(await registered).toBe('not-found');
    expect(locks.all()).toHaveLength(2);
  });

  it('never gives an id twice, not even when the lock could not be kept (Decision 7)', async () => {
    const { registrationService, storage, locks } = await createDomain();
    storage.fails = (write) => write === 'locks.add';
    expect(await codeOf(() => registrationService.register(admin, newLock))).toBe('storage-unavailable');
    storage.fails = () => false;
    const { lockId: id } = await registrationService.register(admin, newLock);
    expect(id).toBe(1_002);
    expect(locks.all()).toHaveLength(3);
  });
});

describe('a registered lock', () => {
  it('is listed with whether it is online and its administrator (HTTP API 8.1)', async () => {
    const { registrationService } = await createDomain();
    expect((await registrationService.managed(admin, page)).list).toMatchObject([
      { lock: { lockId }, online: true, administrator: 'ada' },
      { lock: { lockId: otherLockId }, online: false, administrator: 'ada' },
    ]);
  });

  it('changes only in what was given (HTTP API 8.1)', async () => {
    const { registrationService, locks } = await createDomain();
    await registrationService.change(admin, lockId, { name: 'new', superPasscode: '' });
    expect(locks.get(lockId)).toEqual(someLock({ name: 'new', superPasscode: '' }));
  });

  it('is disconnected when its key is renewed, once the new key is kept (HTTP API 8.1)', async () => {
    const { registrationService, storage, link, locks, secrets } = await createDomain();
    const release = storage.hold();
    const renewed = registrationService.renewKey(admin, lockId);
    await settled();
    expect(link.disconnects).toEqual([]);
    release();
    const { deviceKey } = await renewed;
    expect(locks.get(lockId)?.driver.keyHash).toBe(secrets.hash(deviceKey ?? ''));
    expect(link.disconnects).toMatchObject([{ lockId }]);
  });
});

describe('a changed time zone', () => {
  it('is sent to a lock that is online at once, and to none that is offline (Protocol 5.1 set-clock)', async () => {
    const { registrationService, link, clock } = await createDomain();
    await registrationService.change(admin, lockId, { alias: 'Cellar' });
    expect(link.sent).toEqual([]);
    await registrationService.change(admin, lockId, { timezoneOffsetMs: 7_200_000 });
    expect(link.sent.map(({ command }) => command)).toEqual([{ op: 'set-clock', now: clock.now(), timezoneRawOffset: 7_200_000 }]);
    link.lose(lockId);
    await registrationService.change(admin, lockId, { timezoneOffsetMs: 0 });
    expect(link.sent).toHaveLength(1);
  });
});

describe('a lock of another kind', () => {
  const plain = (address: string) => ({ driver: { kind: 'plain', address }, name: 'Garage' });

  async function withPlainDriver() {
    const domain = await createDomain();
    const driver = createFakeDriver(domain);
    domain.drivers.add(driver);
    return { ...domain, driver };
  }

  it('is registered at its address, with the deviceId that its driver gives it', async () => {
    const { registrationService, locks } = await withPlainDriver();
    const { lockId: id, deviceId } = await registrationService.register(admin, plain('0007'));
    expect(deviceId).toBe('020000000007');
    expect(locks.get(id)).toMatchObject({ deviceId, driver: { kind: 'plain', address: '0007', options: { pulse: 1 }, keyHash: null } });
    expect(await codeOf(() => registrationService.register(admin, plain('0007')))).toBe('conflict');
  });

  it.each([
    ['a kind without a driver', { kind: 'wooden', address: '0007' }, 'driver.kind'],
    ['the native kind, whose locks have a MAC address', { kind: 'native', address: 'a4c1387f02e9' }, 'driver.kind'],
    ['an address that is none of its kind', { kind: 'plain', address: 'seven' }, 'driver.address'],
  ])('is an invalid parameter with %s, and nothing is registered', async (_what, driver, parameter) => {
    const { registrationService, locks } = await withPlainDriver();
    const before = locks.all();
    await expect(registrationService.register(admin, { driver, name: 'Garage' })).rejects.toMatchObject({
      code: 'invalid-parameter',
      parameters: [{ parameter }],
    });
    expect(locks.all()).toBe(before);
  });

  it('that logs in gets a password, of which only the hash is stored, and another one that ends its session at once', async () => {
    const { registrationService, locks, secrets, driver } = await withPlainDriver();
    const login = { host: '192.168.20.1', port: 1883, tlsPort: null, username: 'plain-0007' };
    Object.assign(driver, { login: () => login });
    const issued = await registrationService.register(admin, plain('0007'));
    const { lockId: id, deviceId, mqtt } = issued;
    expect(issued).toEqual({ lockId: id, deviceId, mqtt: { ...login, password: expect.any(String) } });
    expect(locks.get(id)?.driver.keyHash).toBe(secrets.hash(mqtt?.password ?? ''));
    expect(JSON.stringify(locks.all())).not.toContain(mqtt?.password);
    const renewed = await registrationService.renewKey(admin, id);
    expect(renewed).toEqual({ lockId: id, deviceId, mqtt: { ...login, password: expect.any(String) } });
    expect(locks.get(id)?.driver.keyHash).toBe(secrets.hash(renewed.mqtt?.password ?? ''));
    expect(driver.link.disconnects).toEqual([{ lockId: id, reason: 'its device key was renewed' }]);
  });

  it('is not registered while nothing listens for its kind, and keeps its password then', async () => {
    const { registrationService, locks, driver } = await withPlainDriver();
    const { lockId: id } = await registrationService.register(admin, plain('0007'));
    await locks.update(id, (lock) => ({ ...lock, driver: { ...lock.driver, keyHash: '1'.repeat(64) } }));
    const before = locks.all();
    Object.assign(driver, {
      login() {
        throw new DomainError('conflict', 'the listener devices is off');
      },
    });
    expect(await codeOf(() => registrationService.register(admin, plain('0008')))).toBe('conflict');
    expect(await codeOf(() => registrationService.renewKey(admin, id))).toBe('conflict');
    expect(locks.all()).toBe(before);
  });

  it('over a bridge has no key: none is issued, and none can be renewed', async () => {
    const { registrationService, locks } = await withPlainDriver();
    const issued = await registrationService.register(admin, plain('0007'));
    expect(issued).toEqual({ lockId: issued.lockId, deviceId: '020000000007' });
    const before = locks.all();
    expect(await codeOf(() => registrationService.renewKey(admin, issued.lockId))).toBe('conflict');
    expect(locks.all()).toBe(before);
  });

  it('may be given other settings, which end its session; its kind and its address stay', async () => {
    const { registrationService, locks, driver } = await withPlainDriver();
    const { lockId: id } = await registrationService.register(admin, plain('0007'));
    const change = (given: { readonly kind: string; readonly [member: string]: unknown }, lock = id) =>
      registrationService.change(admin, lock, { driver: given, name: 'Gate' });
    await change({ kind: 'plain', address: '0007', pulse: 1 });
    expect([locks.get(id)?.name, driver.link.disconnects]).toEqual(['Gate', []]);
    const { lock } = await change({ kind: 'plain', address: '0007', pulse: 5 });
    expect(lock.driver).toEqual({ kind: 'plain', address: '0007', options: { address: '0007', pulse: 5 }, keyHash: null });
    expect(driver.link.disconnects).toEqual([{ lockId: id, reason: 'its driver was given other settings' }]);
    for (const other of [
      { kind: 'plain', address: '0008' },
      { kind: 'wooden', address: '0007' },
      { kind: 'plain', address: 'seven' },
    ])
      expect(await codeOf(() => change(other))).toBe('invalid-parameter');
    expect(await codeOf(() => change({ kind: 'plain', address: '0007' }, lockId))).toBe('invalid-parameter');
    expect(locks.get(id)).toBe(lock);
  });

  it('is never behind a hub, and no native device can take its place', async () => {
    const { registrationService, hubService, locks } = await withPlainDriver();
    const { lockId: id, deviceId } = await registrationService.register(admin, plain('0007'));
    const hub = await hubService.register(admin, { deviceId: 'b00000000001' as DeviceId, name: 'Hub' });
    const before = locks.get(id);
    expect(await codeOf(() => registrationService.change(admin, id, { hubId: hub.deviceId }))).toBe('conflict');
    expect(await codeOf(() => registrationService.replaceKey(admin, deviceId, '1'.repeat(64)))).toBe('conflict');
    expect(locks.get(id)).toBe(before);
  });

  it('is refused what it cannot do, online or not, before anything is stored or waits, and is locked and unlocked as any other', async () => {
    const { registrationService, lockService, cardService, driver, storage } = await withPlainDriver();
    const { lockId: id } = await registrationService.register(admin, { ...plain('0007'), administrator: 'ada' });
    const { administrator } = callers;
    const card = { cardNumber: '99', byteOrder: 'regular', name: 'fob', startDate: 0, endDate: 0 } as const;
    const writes = storage.writes.length;
    const changes = [
      () => cardService.add(administrator, id, card, 'gateway', stays()),
      () => cardService.onLock(administrator, id, page, stays()),
      () => lockService.setAutoLock(administrator, id, 30, stays()),
      () => lockService.changeSettings(administrator, id, { passageMode: 1 }, stays()),
    ];
    for (const change of changes) expect(await codeOf(change)).toBe('not-supported');
    driver.link.connect(id, () => ({ kind: 'ok' }));
    for (const change of changes) expect(await codeOf(change)).toBe('not-supported');
    expect(driver.link.ops()).toEqual([]);
    expect(storage.writes.length).toBe(writes);
    expect(await lockService.setBolt(administrator, id, 'unlocked', stays())).toEqual({ success: true });
    expect(driver.link.ops()).toEqual(['unlock']);
  });

  it('that cannot be asked for its state is not disconnected by the gateway when an answer is missing: its driver sees to that', async () => {
    const { registrationService, lockService, driver, clock } = await withPlainDriver();
    const { lockId: id } = await registrationService.register(admin, { ...plain('0007'), administrator: 'ada' });
    driver.link.connect(id);
    const unlocked = codeOf(() => lockService.setBolt(callers.administrator, id, 'unlocked', stays()));
    await clock.advance(30_000);
    expect(await unlocked).toBe('lock-timeout');
    expect(driver.link.ops()).toEqual(['unlock']);
    expect(driver.link.disconnects).toEqual([]);
  });
});

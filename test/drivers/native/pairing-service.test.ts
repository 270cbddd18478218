import { describe, expect, it } from '@jest/globals';
import { nativeDriver } from '../../../src/domain/locks/hub.ts';
import type { DeviceId } from '../../../src/domain/locks/lock.ts';
import { type ArrivingDevice, keyFingerprint, type NativePairing } from '../../../src/drivers/native/pairing-service.ts';
import { callers, codeOf, createDomain, lockId, someCard, someLock } from '../../support/domain.ts';

const { admin, administrator } = callers;
const page = { pageNo: 1, pageSize: 100 };
const cellar = { lock: { name: 'Cellar' } };

function newcomer(number: number, changes: Partial<ArrivingDevice> = {}): ArrivingDevice {
  const deviceId = `0123456789${number.toString(16).padStart(2, '0')}` as DeviceId;
  return { deviceId, address: `10.0.0.${number}`, keyHash: `${number}`.repeat(64).slice(0, 64), ...changes };
}

async function createOpen(seconds = 300) {
  const domain = await createDomain({ cards: [someCard()] });
  const left: string[] = [];
  const arrive = (who: ArrivingDevice) => domain.pairing.arrive(who, (reason) => void left.push(`${who.deviceId}: ${reason}`));
  await domain.pairing.open(admin, seconds);
  return { ...domain, left, arrive, waiting: () => domain.pairing.devices(admin, page).list };
}

/** A visit, or a failure of the test. */
function visit(arrived: ReturnType<NativePairing['arrive']>) {
  if (typeof arrived === 'string') throw new Error(`refused: ${arrived}`);
  return arrived;
}

describe('the pairing window (Protocol 7)', () => {
  it('is closed until a person opens it, and while it is nobody is let in', async () => {
    const { pairing } = await createDomain();
    expect([pairing.isOpen(), pairing.arrive(newcomer(1), () => {})]).toEqual([false, 'pairing-closed']);
  });

  it('closes by itself: who was not confirmed is disconnected and forgotten', async () => {
    const { clock, pairing, left, arrive, waiting, notices } = await createOpen(30);
    arrive(newcomer(1));
    await clock.advance(29_999);
    expect([pairing.isOpen(), waiting().length, left]).toEqual([true, 1, []]);
    await clock.advance(1);
    expect([pairing.isOpen(), waiting(), left]).toEqual([false, [], ['012345678901: the pairing time is over']]);
    expect(notices.at(-1)).toEqual({ kind: 'pairing-closed', forgotten: 1 });
    expect(await codeOf(() => pairing.confirm(admin, newcomer(1).deviceId, cellar))).toBe('not-found');
    expect(clock.timers()).toBe(0);
  });

  it('is over when its time is, even when the process was held up and the timer could not fire', async () => {
    const { clock, pairing, arrive, waiting } = await createOpen(30);
    arrive(newcomer(1));
    clock.block(30_000);
    expect([pairing.isOpen(), arrive(newcomer(2)), waiting()]).toEqual([false, 'pairing-closed', []]);
    expect(await codeOf(() => pairing.confirm(admin, newcomer(1).deviceId, cellar))).toBe('not-found');
  });

  it('does not follow the wall clock', async () => {
    const { clock, pairing } = await createOpen(30);
    clock.setNow(0);
    expect(pairing.isOpen()).toBe(true);
    clock.setNow(clock.now() + 10 * 365 * 86_400_000);
    expect(pairing.isOpen()).toBe(true);
  });

  it('opened again has a new end, and who waits goes on waiting', async () => {
    const { clock, pairing, arrive, waiting } = await createOpen(30);
    arrive(newcomer(1));
    await clock.advance(20_000);
    expect(await pairing.open(admin, 60)).toBe(clock.now() + 60_000);
    await clock.advance(59_999);
    expect(waiting()).toHaveLength(1);
    await clock.advance(1);
    expect([pairing.isOpen(), clock.timers()]).toEqual([false, 0]);
  });

  it('is closed by a person, once or twice, and by the end of the gateway for good', async () => {
    const { pairing, arrive, left, clock } = await createOpen();
    arrive(newcomer(1));
    await pairing.close(admin);
    await pairing.close(admin);
    expect(left).toEqual(['012345678901: pairing was closed']);
    await pairing.open(admin, 30);
    pairing.stop();
    expect([pairing.isOpen(), clock.timers()]).toEqual([false, 0]);
    expect(await codeOf(() => pairing.open(admin, 30))).toBe('conflict');
  });

  it('is for gateway administrators', async () => {
    const { pairing, arrive } = await createOpen();
    arrive(newcomer(1));
    const asked = [
      () => pairing.open(administrator, 30),
      () => pairing.close(administrator),
      () => pairing.devices(administrator, page),
      () => pairing.confirm(administrator, newcomer(1).deviceId, cellar),
    ];
    expect(await Promise.all(asked.map(codeOf))).toEqual(['forbidden', 'forbidden', 'forbidden', 'forbidden']);
    expect(pairing.isOpen()).toBe(true);
  });
});

describe('a device that waits (Protocol 7)', () => {
  it('is shown with address, fingerprint, hello and since when', async () => {
    const { clock, arrive, waiting } = await createOpen();
    visit(arrive(newcomer(1))).hello({ modelNum: 'SN-9' });
    const shown = { deviceId: '012345678901', address: '10.0.0.1', keyFingerprint: '1111-1111-1111-1111', since: clock.now() };
    expect(waiting()).toEqual([{ ...shown, connected: true, contested: false, hello: { modelNum: 'SN-9' }, replaces: undefined }]);
  });

  it('is one of 32 at most, 4 from one address; those that have left give way, and come back to a place of their own', async () => {
    const { arrive, waiting, left } = await createOpen();
    for (let number = 1; number <= 4; number++) visit(arrive(newcomer(number, { address: 'here' })));
    expect(arrive(newcomer(5, { address: 'here' }))).toBe('pairing-full');
    for (let number = 5; number <= 32; number++) visit(arrive(newcomer(number)));
    expect(arrive(newcomer(33))).toBe('pairing-full');
    const seventh = visit(arrive(newcomer(7)));
    expect([waiting().length, left]).toEqual([32, [expect.stringContaining('it came again')]]);
    seventh.ended();
    visit(arrive(newcomer(33)));
    expect(waiting().map(({ deviceId }) => deviceId)).not.toContain(newcomer(7).deviceId);
    expect(waiting()).toHaveLength(32);
  });

  it('has a place beside a crowd: whoever has nine addresses, there or here, keeps no lock out', async () => {
    for (const strangerAt of ['172.16.5', '10.0.0']) {
      const { arrive, waiting, left } = await createOpen();
      for (let count = 0; count < 32; count++)
        visit(arrive(newcomer(100 + count, { address: `${strangerAt}.${100 + Math.floor(count / 4)}` })));
      visit(arrive(newcomer(1)));
      expect(left).toEqual([expect.stringContaining('somebody else needs its place')]);
      expect(waiting().at(-1)).toMatchObject({ deviceId: newcomer(1).deviceId, connected: true });
      // Not to be pushed out by whoever lost a place.
      expect(arrive(newcomer(100, { address: `${strangerAt}.100` }))).toBe('pairing-full');
    }
  });

  it('is contested by a second key: each waits beside the other, also when one has left', async () => {
    const { arrive, waiting, left, notices } = await createOpen();
    const first = visit(arrive(newcomer(1)));
    first.ended();
    for (const keyHash of ['2', '3']) visit(arrive(newcomer(1, { keyHash: keyHash.repeat(64), address: '10.0.0.66' })));
    expect(waiting()).toMatchObject([
      { connected: false, contested: true, keyFingerprint: '1111-1111-1111-1111' },
      { connected: true, contested: true, keyFingerprint: '2222-2222-2222-2222' },
      { connected: true, contested: true, keyFingerprint: '3333-3333-3333-3333' },
    ]);
    expect([left, notices.filter(({ kind }) => kind === 'device-contested').length]).toEqual([[], 1]);
  });

  it('is in the log 200 times in a window at most: strangers come and go', async () => {
    const { pairing, arrive, notices } = await createOpen();
    const told = () => notices.filter(({ kind }) => kind === 'device-pending' || kind === 'device-contested').length;
    for (let count = 0; count < 500; count++) visit(arrive(newcomer(count % 256, { keyHash: `${count}`.padStart(64, '0') }))).ended();
    expect(told()).toBe(200);
    await pairing.open(admin, 300);
    visit(arrive(newcomer(1)));
    expect(told()).toBe(201);
  });

  it('keeps its place when it comes again with the same key; what its old connection says counts no more', async () => {
    const { arrive, waiting, left } = await createOpen();
    const first = visit(arrive(newcomer(1)));
    const second = visit(arrive(newcomer(1)));
    expect(left).toEqual(['012345678901: it came again']);
    second.hello({ modelNum: 'new' });
    first.hello({ modelNum: 'old' });
    first.ended();
    expect(waiting()).toMatchObject([{ connected: true, hello: { modelNum: 'new' } }]);
    second.ended();
    expect(waiting()).toMatchObject([{ connected: false }]);
  });

  it('learns nothing of who is registered by trying: it waits as a hub or a lock behind one, and cannot be confirmed as such', async () => {
    const { pairing, arrive, hubService, registrationService, locks } = await createOpen();
    await hubService.register(admin, { deviceId: newcomer(1).deviceId, name: 'hub' });
    await registrationService.change(admin, lockId, { hubId: newcomer(1).deviceId });
    const before = locks.all();
    visit(arrive(newcomer(1)));
    visit(arrive(newcomer(2, { deviceId: someLock().deviceId })));
    expect(await codeOf(() => pairing.confirm(admin, newcomer(1).deviceId, cellar))).toBe('conflict');
    expect(await codeOf(() => pairing.confirm(admin, someLock().deviceId, {}))).toBe('conflict');
    expect(locks.all()).toEqual(before);
  });
});

describe('a confirmation (Protocol 7)', () => {
  it('registers the device with its own key, and sends it away so that it comes back with full rights', async () => {
    const { pairing, arrive, waiting, left, locks, notices } = await createOpen();
    arrive(newcomer(1));
    const { lockId: id, replaced } = await pairing.confirm(admin, newcomer(1).deviceId, cellar);
    expect(locks.get(id)).toMatchObject({ ...newcomerLock, name: 'Cellar', administrator: admin.accountId });
    expect([replaced, waiting(), left]).toEqual([false, [], ['012345678901: it was confirmed: it comes back as a lock']]);
    expect(notices.at(-1)).toEqual({ kind: 'device-confirmed', deviceId: '012345678901', lockId: id, by: 'admin' });
  });
  const newcomerLock = { deviceId: newcomer(1).deviceId, driver: nativeDriver(newcomer(1).deviceId, null, newcomer(1).keyHash) };

  it('is refused for a key that the person has not seen', async () => {
    const { pairing, arrive } = await createOpen();
    arrive(newcomer(1));
    const confirm = (fingerprint: string) => () => pairing.confirm(admin, newcomer(1).deviceId, { ...cellar, keyFingerprint: fingerprint });
    expect(await codeOf(confirm('2222-2222-2222-2222'))).toBe('conflict');
    expect(await codeOf(confirm(keyFingerprint(newcomer(1).keyHash)))).toBe('done');
  });

  it('of a contested device needs the fingerprint that the lock itself shows; the others are sent away', async () => {
    const { pairing, arrive, waiting, left, locks } = await createOpen();
    arrive(newcomer(1, { keyHash: '2'.repeat(64), address: '10.0.0.66' }));
    arrive(newcomer(1));
    const confirm = (changes: object) => codeOf(() => pairing.confirm(admin, newcomer(1).deviceId, { ...cellar, ...changes }));
    expect(await confirm({})).toBe('conflict');
    expect(await confirm({ keyFingerprint: '1111-2222-2222-1111' })).toBe('conflict');
    expect(locks.all()).toHaveLength(2);
    const both = ['1111-1111-1111-1111', '2222-2222-2222-2222'].map((keyFingerprint) => confirm({ keyFingerprint }));
    expect(await Promise.all(both)).toEqual(['done', 'conflict']);
    expect(locks.all().at(-1)).toMatchObject(newcomerLock);
    expect([waiting(), left]).toEqual([
      [],
      ['012345678901: it was confirmed: it comes back as a lock', '012345678901: another device was confirmed'],
    ]);
  });

  it('happens once, however often it is asked for at the same moment', async () => {
    const { pairing, arrive, locks } = await createOpen();
    arrive(newcomer(1));
    const confirm = () => codeOf(() => pairing.confirm(admin, newcomer(1).deviceId, cellar));
    expect(await Promise.all([confirm(), confirm()])).toEqual(['done', 'conflict']);
    expect([locks.all().length, await confirm()]).toEqual([3, 'not-found']);
  });

  it('that could not be written leaves the device waiting', async () => {
    const { pairing, arrive, waiting, left, storage } = await createOpen();
    arrive(newcomer(1));
    storage.fails = (write) => write === 'locks.add';
    expect(await codeOf(() => pairing.confirm(admin, newcomer(1).deviceId, cellar))).toBe('storage-unavailable');
    storage.fails = () => false;
    expect([waiting().length, left]).toEqual([1, []]);
    expect(await codeOf(() => pairing.confirm(admin, newcomer(1).deviceId, cellar))).toBe('done');
  });

  it('of a new lock needs its name', async () => {
    const { pairing, arrive, waiting } = await createOpen();
    arrive(newcomer(1));
    expect(await codeOf(() => pairing.confirm(admin, newcomer(1).deviceId, {}))).toBe('invalid-parameter');
    expect(waiting()).toHaveLength(1);
  });
});

describe('a replacement (Protocol 7)', () => {
  const returned = newcomer(9, { deviceId: someLock().deviceId });

  it('is shown as one, with whether the registered lock is online, whose session it does not disturb', async () => {
    const { arrive, waiting, link, statuses } = await createOpen();
    const session = link.session(lockId);
    const before = statuses.get(lockId);
    visit(arrive(returned)).hello({ state: 'unlocked', battery: 1 });
    expect(waiting()).toMatchObject([{ replaces: { lockId, name: 'door 7', online: true } }]);
    expect([link.session(lockId), link.disconnects, statuses.get(lockId)]).toEqual([session, [], before]);
  });

  it('swaps the key, ends the old session, and keeps the lock, its roles and its cards', async () => {
    const { pairing, arrive, locks, cards, link, left } = await createOpen();
    link.lose(lockId);
    arrive(returned);
    const before = { lock: locks.get(lockId), cards: cards.now(lockId) };
    expect(await pairing.confirm(admin, returned.deviceId, {})).toEqual({ lockId, replaced: true });
    expect(locks.get(lockId)).toEqual({ ...before.lock, driver: { ...before.lock?.driver, keyHash: returned.keyHash } });
    expect([cards.now(lockId), link.disconnects, left.length]).toEqual([before.cards, [{ lockId, reason: expect.any(String) }], 1]);
  });

  it('is confirmed once, also when two people ask for it at the same moment', async () => {
    const { pairing, arrive, link } = await createOpen();
    link.lose(lockId);
    arrive(returned);
    const confirm = () => codeOf(() => pairing.confirm(admin, returned.deviceId, {}));
    expect(await Promise.all([confirm(), confirm()])).toEqual(['done', 'conflict']);
    expect(link.disconnects).toHaveLength(1);
  });

  it('is a conflict while the registered lock is online: its own key is in use, so it has not been reset', async () => {
    const { pairing, arrive, link, locks, left } = await createOpen();
    const session = link.session(lockId);
    const before = locks.get(lockId);
    arrive(returned);
    expect(await codeOf(() => pairing.confirm(admin, returned.deviceId, {}))).toBe('conflict');
    expect([locks.get(lockId), link.session(lockId), link.disconnects, left]).toEqual([before, session, [], []]);
    link.lose(lockId);
    expect(await codeOf(() => pairing.confirm(admin, returned.deviceId, {}))).toBe('done');
  });

  it('takes no registration: the lock keeps what it has', async () => {
    const { pairing, arrive, locks } = await createOpen();
    arrive(returned);
    const before = locks.get(lockId);
    expect(await codeOf(() => pairing.confirm(admin, returned.deviceId, cellar))).toBe('invalid-parameter');
    expect(locks.get(lockId)).toEqual(before);
  });

  it('is a conflict for a lock that was bound to a hub meanwhile', async () => {
    const { pairing, arrive, hubService, registrationService, locks, link } = await createOpen();
    link.lose(lockId);
    arrive(returned);
    await hubService.register(admin, { deviceId: newcomer(1).deviceId, name: 'hub' });
    await registrationService.change(admin, lockId, { hubId: newcomer(1).deviceId });
    expect(await codeOf(() => pairing.confirm(admin, returned.deviceId, {}))).toBe('conflict');
    expect(locks.get(lockId)?.driver.keyHash).toBe(someLock().driver.keyHash);
  });
});

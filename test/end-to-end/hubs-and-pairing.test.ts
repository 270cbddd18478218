// Hubs and pairing over the real daemon: a lock behind a hub opens as any other, and a device that nobody has confirmed
// opens nothing and disturbs nobody (Protocol 7 and 8, HTTP API 8.2 and 8.3, Faults T7 and T11).
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Answer, type Item, openSite, type Site, until } from '../support/site.ts';
import { connectHandLock, type HandLock } from '../support/site-lock.ts';

const gateway = '/api/v1/gateway';
const unlock = '/api/v1/lock/unlock';

const byHand: HandLock[] = [];
afterEach(async () => {
  for (const lock of byHand.splice(0)) await lock.end();
});

async function connectByHand(site: Site, deviceId: string, deviceKey: string): Promise<HandLock> {
  const lock = await connectHandLock({ mqttUrl: site.wire.url, deviceId, deviceKey });
  byHand.push(lock);
  return lock;
}

async function managed(site: Site, lockId: number): Promise<Item | undefined> {
  const { body } = await site.api('GET', `${gateway}/locks`, { query: { pageSize: 1000 } });
  return body.list.find((lock) => lock.lockId === lockId);
}

async function untilOnline(site: Site, lockId: number, online = true): Promise<void> {
  await until(async () => (await managed(site, lockId))?.online === online, `lock ${lockId} is ${online ? 'online' : 'offline'}`);
}

function open(site: Site, lockId: number): Promise<Answer> {
  return site.api('POST', unlock, { query: { lockId } });
}

describe('locks behind hubs', () => {
  let site: Site;
  const hubId = (number: number): string => site.fleet.hub(number).deviceId;

  beforeAll(async () => {
    site = await openSite({ locks: [{}, {}, {}], hubs: 2, flags: ['--command-timeout-ms', '3000'] });
  });
  afterAll(() => site?.close());

  test('are shown with their hub, and hasGateway is 1 (Specification 2.1)', async () => {
    expect(await managed(site, site.lockId(1))).toMatchObject({ hubId: hubId(1), online: true });
    const { body } = await site.api('GET', '/api/v1/lock/list', { query: { pageSize: 10 } });
    expect(body.list.map((lock) => lock['hasGateway'])).toEqual([1, 1, 1]);
    const hubs = (await site.api('GET', `${gateway}/hubs`)).body.list;
    expect(hubs.map(({ deviceId, online, locks }) => [deviceId, online, locks]).sort()).toEqual([
      [hubId(1), true, 2],
      [hubId(2), true, 1],
    ]);
  });

  test('open over the line of their hub, each for itself, and the record names the caller', async () => {
    expect((await open(site, site.lockId(1))).body).toEqual({ success: true });
    expect([1, 2, 3].map((number) => site.lock(number).state)).toEqual(['unlocked', 'locked', 'locked']);
    await site.lock(1).whenEventsAcknowledged();
    const { body } = await site.api('GET', '/api/v1/lock/records', { query: { lockId: site.lockId(1), pageSize: 10 } });
    expect(body.list).toMatchObject([{ recordType: 'unlock by gateway', username: 'admin' }]);
  });

  test('go offline with their hub, at once, and come back with it; nothing is executed later (Fault T6)', async () => {
    site.fleet.hub(1).cutNetwork();
    await site.whenOnline(1, false);
    await site.whenOnline(3, false);
    expect((await managed(site, site.lockId(2)))?.online).toBe(true);
    const refused = await open(site, site.lockId(3));
    expect([refused.status, refused.body.code]).toEqual([503, 'lock-offline']);
    site.fleet.hub(1).restoreNetwork();
    await site.whenOnline(1);
    await site.whenOnline(3);
    expect(site.lock(3).state).toBe('locked');
    expect((await open(site, site.lockId(3))).body).toEqual({ success: true });
  });

  test('a lock that its hub has lost is offline alone, and comes back alone', async () => {
    site.lock(1).cutNetwork();
    await site.whenOnline(1, false);
    expect((await managed(site, site.lockId(3)))?.online).toBe(true);
    site.lock(1).restoreNetwork();
    await site.whenOnline(1);
  });

  test('a lock that does not answer is offline until its next hello; its hub and the others stay (Protocol 8 rule 5)', async () => {
    const { lockId } = { lockId: site.lockId(2) };
    const session = site.lock(2).session;
    site.lock(2).setSilent(true);
    expect((await open(site, lockId)).body.code).toBe('lock-timeout');
    await site.whenOnline(2, false);
    expect([site.fleet.hub(2).online, site.lock(2).session]).toEqual([true, session]);
    site.lock(2).setSilent(false);
    await site.whenOnline(2);
    expect(site.lock(2).session).not.toBe(session);
    expect((await open(site, lockId)).body).toEqual({ success: true });
  });

  test('a command that thaws late in the line of the hub opens nothing (Fault T7)', async () => {
    await site.api('POST', '/api/v1/lock/lock', { query: { lockId: site.lockId(2) } });
    site.wire.freeze(hubId(2));
    expect((await open(site, site.lockId(2))).body.code).toBe('lock-timeout');
    await site.whenOnline(2, false);
    site.wire.thaw(hubId(2));
    // Offline was only this lock, not the line of its hub: that still carries its answer.
    await until(() => site.wire.fromLocks().includes('"error":"expired"'), 'the late command was refused');
    expect(site.lock(2).state).toBe('locked');
  });

  test('a hub cannot speak for a lock that is not bound to it, nor log in as one of its own (Fault T11)', async () => {
    const { body } = await site.api('POST', `${gateway}/hubs`, { body: { mac: '02:BB:00:00:00:01', name: 'stranger' } });
    const hub = await connectByHand(site, body.deviceId, body.deviceKey);
    const victim = site.lock(1).deviceId;
    expect(await hub.subscribe(`latchd/v1/${victim}/command`, 'latchd/v1/+/command')).toEqual([128, 128]);
    await expect(hub.publish(`latchd/v1/${victim}/status`, 'offline')).rejects.toThrow();
    await hub.ended;
    const { deviceKey = '' } = site.lock(1).memory;
    await expect(connectByHand(site, victim, deviceKey)).rejects.toThrow();
    expect((await managed(site, site.lockId(1)))?.online).toBe(true);
    expect((await site.api('DELETE', `${gateway}/hubs/${body.deviceId}`)).status).toBe(200);
  });

  test('an unbinding takes effect at once, and the key that the lock has had all along is its login from then on', async () => {
    const lockId = site.lockId(3);
    const { deviceId, memory } = site.lock(3);
    expect((await site.api('PUT', `${gateway}/locks/${lockId}`, { body: { hubId: null } })).body).toMatchObject({
      hubId: null,
      online: false,
    });
    expect((await open(site, lockId)).body.code).toBe('lock-offline');
    const alone = await connectByHand(site, deviceId, memory.deviceKey ?? '');
    await alone.hello();
    await untilOnline(site, lockId);
    // What the hub still says of it is no longer heard; the lock with its own login stays.
    await site.lock(3).turnThumb();
    await until(() => alone.connected && site.fleet.hub(1).online, 'its old hub is back');
    await site.whenOnline(1);
    const unlocking = open(site, lockId);
    await until(() => alone.commands.some(({ op }) => op === 'unlock'), 'the unlock has come to the lock itself');
    const command = alone.commands.find(({ op }) => op === 'unlock');
    await alone.publish('reply', { id: command?.id, ok: true, state: 'unlocked' });
    expect((await unlocking).body).toEqual({ success: true });
    // And back: its own session ends in that moment.
    await site.api('PUT', `${gateway}/locks/${lockId}`, { body: { hubId: hubId(1) } });
    await alone.ended;
    await expect(connectByHand(site, deviceId, memory.deviceKey ?? '')).rejects.toThrow();
    await untilOnline(site, lockId);
  });

  test('a hub with locks cannot be deleted, and a new key ends its connection', async () => {
    const refused = await site.api('DELETE', `${gateway}/hubs/${hubId(2)}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    const { body } = await site.api('POST', `${gateway}/hubs/${hubId(2)}/key`);
    await site.whenOnline(2, false);
    const hub = await connectByHand(site, body.deviceId, body.deviceKey);
    expect(await hub.subscribe(`latchd/v1/${site.lock(2).deviceId}/command`)).toEqual([1]);
  });

  test('hubs and bindings survive a restart', async () => {
    await site.restart();
    await site.whenOnline(1);
    expect((await open(site, site.lockId(1))).status).toBe(200);
    expect(await managed(site, site.lockId(1))).toMatchObject({ hubId: hubId(1) });
  });
});

describe('pairing', () => {
  let site: Site;
  const ownKey = () => randomBytes(24).toString('base64url');

  beforeAll(async () => {
    site = await openSite({ locks: [{}, {}], pair: true });
  });
  afterAll(() => site?.close());
  beforeEach(() => site.api('DELETE', `${gateway}/pairing`));

  async function pending(): Promise<readonly Item[]> {
    return (await site.api('GET', `${gateway}/devices`)).body.list;
  }
  const openPairing = (seconds = 900) => site.api('POST', `${gateway}/pairing`, { body: { seconds } });
  const confirm = (deviceId: string, body: object) => site.api('POST', `${gateway}/devices/${deviceId}/confirm`, { body });

  test('from an unknown device to an unlock: it waits, a person compares the fingerprint and confirms, it comes back as a lock', async () => {
    const lock = site.lock(1);
    expect(lock.waiting).toBe(false);
    await openPairing();
    await until(() => lock.waiting, 'it waits');
    const device = (await pending()).find(({ deviceId }) => deviceId === lock.deviceId);
    expect(device).toMatchObject({ lockMac: lock.mac, contested: false, connected: true, replaces: null, hello: { modelNum: 'SN-9' } });
    expect(device?.keyFingerprint).toBe(lock.keyFingerprint);
    const { status, body } = await confirm(lock.deviceId, { lockName: 'Cellar', keyFingerprint: device?.keyFingerprint });
    expect([status, body.deviceId, body.deviceKey]).toEqual([201, lock.deviceId, undefined]);
    await lock.whenOnline();
    await untilOnline(site, body.lockId);
    expect((await open(site, body.lockId)).body).toEqual({ success: true });
    expect([lock.state, lock.waiting]).toEqual(['unlocked', false]);
    expect((await pending()).map(({ deviceId }) => deviceId)).not.toContain(lock.deviceId);
    // Of the key the gateway keeps a hash alone.
    const { deviceKey = '' } = lock.memory;
    expect(await site.stored(`locks/${body.lockId}.json`)).not.toContain(deviceKey);
    expect(site.gateway.log.map((line) => JSON.stringify(line)).join('\n')).not.toContain(deviceKey);
  });

  test('while pairing is closed no device may wait, and closing it disconnects and forgets devices that were not confirmed', async () => {
    await expect(connectByHand(site, '02cc00000001', ownKey())).rejects.toThrow();
    await openPairing();
    const device = await connectByHand(site, '02cc00000001', ownKey());
    expect((await pending()).map(({ deviceId }) => deviceId)).toContain('02cc00000001');
    await site.api('DELETE', `${gateway}/pairing`);
    await device.ended;
    expect(await pending()).toEqual([]);
    expect((await confirm('02cc00000001', { lockName: 'x' })).body.code).toBe('not-found');
  });

  test('two keys for one deviceId are contested: the fingerprint that the lock shows says which of them is let in', async () => {
    await openPairing();
    const key = ownKey();
    const stranger = await connectByHand(site, '02cc00000002', ownKey());
    const lock = await connectByHand(site, '02cc00000002', key);
    const claims = (await pending()).filter(({ deviceId }) => deviceId === '02cc00000002');
    expect(claims).toMatchObject([{ contested: true }, { contested: true }]);
    expect((await confirm('02cc00000002', { lockName: 'x' })).body.code).toBe('conflict');
    const digits = createHash('sha256').update(key).digest('hex').slice(0, 16);
    const keyFingerprint = digits.match(/.{4}/g)?.join('-');
    const { status, body } = await confirm('02cc00000002', { lockName: 'Shed', keyFingerprint });
    expect(status).toBe(201);
    await Promise.all([stranger.ended, lock.ended]);
    await (await connectByHand(site, '02cc00000002', key)).hello();
    await untilOnline(site, body.lockId);
  });

  test('a lock that was reset comes back as a replacement: not while it is online with its old key, and it keeps its cards', async () => {
    const { body: issued } = await site.api('POST', `${gateway}/locks`, { body: { lockMac: '02:CC:00:00:00:03', lockName: 'Gate' } });
    const { lockId, deviceId } = issued;
    const card = { lockId, cardNumber: '5550001', method: 'regular', addType: 1, startDate: 0, endDate: 0, cardName: 'spare' };
    expect((await site.api('POST', '/api/v1/identity-card/add', { query: card })).status).toBe(200);
    const old = await connectByHand(site, deviceId, issued.deviceKey);
    await old.hello();
    await untilOnline(site, lockId);
    await openPairing();
    const key = ownKey();
    const reset = await connectByHand(site, deviceId, key);
    await reset.hello({ state: 'unlocked' });
    expect((await pending()).find((device) => device.deviceId === deviceId)).toMatchObject({
      replaces: { lockId, lockName: 'Gate', online: true },
    });
    expect((await site.api('GET', '/api/v1/lock/state', { query: { lockId } })).body).toEqual({ state: 'locked' });
    expect(old.connected).toBe(true);
    expect((await confirm(deviceId, { lockName: 'other' })).body.code).toBe('invalid-parameter');
    const refused = await confirm(deviceId, {});
    expect([refused.status, refused.body.code, old.connected]).toEqual([409, 'conflict', true]);
    await old.end();
    await untilOnline(site, lockId, false);
    const { status, body } = await confirm(deviceId, {});
    expect([status, body.lockId]).toEqual([200, lockId]);
    await reset.ended;
    await site.api('DELETE', `${gateway}/pairing`);
    await expect(connectByHand(site, deviceId, issued.deviceKey)).rejects.toThrow();
    const back = await connectByHand(site, deviceId, key);
    await back.hello();
    await untilOnline(site, lockId);
    const cards = await site.api('GET', '/api/v1/identity-card/list', { query: { lockId, pageSize: 10 } });
    expect(cards.body.list.map(({ cardNumber }) => cardNumber)).toEqual(['5550001']);
    expect(await managed(site, lockId)).toMatchObject({ lockName: 'Gate' });
  });

  test('a pending device touches nobody: topics, wills, events and subscriptions of a lock are refused, and a waiting door stays shut (Fault T11)', async () => {
    const { body: issued } = await site.api('POST', `${gateway}/locks`, { body: { lockMac: '02:CC:00:00:00:04', lockName: 'Vault' } });
    const victim = await connectByHand(site, issued.deviceId, issued.deviceKey);
    await victim.hello();
    await untilOnline(site, issued.lockId);
    await openPairing();
    for (const deviceId of ['02cc00000005', issued.deviceId]) {
      const key = ownKey();
      for (const [topic, payload] of [
        [`latchd/v1/${issued.deviceId}/state`, { session: 'handmade1', state: 'unlocked' }],
        [`latchd/v1/${issued.deviceId}/events`, { epoch: 'e', events: [{ seq: 1, type: 'card-unlock' }] }],
        [`latchd/v1/${issued.deviceId}/reply`, { id: 'x', ok: true }],
        [`latchd/v1/${issued.deviceId}/command`, { op: 'unlock' }],
      ] as const) {
        const attacker = await connectByHand(site, deviceId, key);
        expect(await attacker.subscribe(`latchd/v1/${issued.deviceId}/command`, '#')).toEqual([128, 128]);
        await expect(attacker.publish(topic, payload)).rejects.toThrow();
        await attacker.ended;
      }
    }
    expect(victim.connected).toBe(true);
    expect((await site.api('GET', '/api/v1/lock/state', { query: { lockId: issued.lockId } })).body).toEqual({ state: 'locked' });
    expect((await managed(site, issued.lockId))?.online).toBe(true);
    const records = await site.api('GET', '/api/v1/lock/records', { query: { lockId: issued.lockId, pageSize: 10 } });
    expect([records.body.total, victim.commands.filter(({ op }) => op === 'unlock')]).toEqual([0, []]);
  });

  test('the end of the gateway forgets waiting devices', async () => {
    await openPairing();
    const device = await connectByHand(site, '02cc00000006', ownKey());
    await site.restart();
    await device.ended;
    expect(await pending()).toEqual([]);
    expect((await site.api('GET', `${gateway}/status`)).body).toMatchObject({ pairingOpen: false });
  });
});

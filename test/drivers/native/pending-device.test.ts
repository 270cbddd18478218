// A device that waits to be paired, on the real broker: it can say hello and touch nothing (Protocol 7, Fault T11).
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ClientConnection } from '../../../src/broker/client-handlers.ts';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import type { DeviceId } from '../../../src/domain/locks/lock.ts';
import { originOf } from '../../../src/domain/origin.ts';
import { createPendingDevice } from '../../../src/drivers/native/pending-device.ts';
import { hub, lockA, lockB, until } from '../../support/mqtt-fakes.ts';
import { helloText, type Mqtt, startMqtt, topics, untilRefused } from '../../support/mqtt-gateway.ts';
import { pingPacket, publishPacket, subscribePacket } from '../../support/mqtt-raw.ts';

let mqtt: Mqtt;
const admin = { accountId: 1, username: 'admin', gatewayAdministrator: true } as Caller;
const stranger = { deviceId: '0123456789ab' as DeviceId, key: 'made-by-the-lock-itself-1' };
const page = { pageNo: 1, pageSize: 100 };

beforeEach(async () => {
  mqtt = await startMqtt();
  await mqtt.pairing.open(admin, 300);
});
afterEach(async () => {
  mqtt.pairing.stop();
  await mqtt.stop();
});

const waiting = () => mqtt.pairing.devices(admin, page).list;

test('an unknown device waits with its hello, and is heard by nobody else', async () => {
  const client = await mqtt.login(stranger);
  client.send(publishPacket(topics.build(stranger.deviceId, 'status'), 'online', 1, { retain: true }));
  client.send(publishPacket(topics.build(stranger.deviceId, 'hello'), helloText({ modelNum: 'SN-9', surprise: 1 }), 2));
  client.send(publishPacket(topics.build(stranger.deviceId, 'hello'), 'not JSON', 3));
  for (const _ of [1, 2, 3]) await client.next();
  expect(waiting()).toMatchObject([{ deviceId: stranger.deviceId, connected: true, contested: false, hello: { modelNum: 'SN-9' } }]);
  expect(waiting()[0]?.hello).toEqual({ modelNum: 'SN-9' });
  expect([mqtt.reports.told, mqtt.quarantine.kept]).toEqual([[], []]);
});

test('while pairing is closed it is refused as ever, and closing it ends who waits', async () => {
  const client = await mqtt.login(stranger);
  await mqtt.pairing.close(admin);
  await client.closed;
  await expect(mqtt.login(stranger)).rejects.toThrow('refused with 4');
  expect(mqtt.stats().refusedConnections).toEqual({ key: 1 });
});

test.each(['state', 'battery', 'events', 'reply', 'command'] as const)('a publish to its own %s closes it', async (channel) => {
  const client = await mqtt.login(stranger);
  client.send(publishPacket(topics.build(stranger.deviceId, channel), '{}', 1));
  await client.closed;
  expect([mqtt.reports.told, mqtt.quarantine.kept]).toEqual([[], []]);
});

test('it receives nothing: every subscription is refused', async () => {
  const client = await mqtt.login(stranger);
  client.send(subscribePacket(1, topics.build(stranger.deviceId, 'command'), topics.build(lockA.deviceId, 'command'), '#'));
  expect([...(await client.next()).body.subarray(2)]).toEqual([128, 128, 128]);
});

test('a registered deviceId with another key is a replacement, and the real lock does not notice it (Fault T11)', async () => {
  const real = await mqtt.online(lockA);
  const session = mqtt.sender.session(lockA.lockId);
  const told = mqtt.reports.told.length;
  const impostor = await mqtt.login({ ...lockA, key: stranger.key });
  impostor.send(publishPacket(topics.build(lockA.deviceId, 'status'), 'offline', 1, { retain: true }));
  impostor.send(publishPacket(topics.build(lockA.deviceId, 'hello'), helloText({ session: 'impostor', state: 'unlocked' }), 2));
  await impostor.next();
  await impostor.next();
  expect(waiting()).toMatchObject([{ deviceId: lockA.deviceId, replaces: { lockId: lockA.lockId, online: true } }]);
  expect([mqtt.sender.session(lockA.lockId), mqtt.reports.told.length]).toEqual([session, told]);
  impostor.send(publishPacket(topics.build(lockA.deviceId, 'state'), '{"session":"session-1","state":"unlocked"}', 3));
  await impostor.closed;
  expect([real.isClosed(), mqtt.sender.session(lockA.lockId), mqtt.reports.told.length]).toEqual([false, session, told]);
});

test('who knows no key uses up nothing of the logins of a lock, however often he claims to be it (Fault T11)', async () => {
  const real = await mqtt.online(lockA);
  const impostor = { ...lockA, key: stranger.key };
  const begunAt = performance.now();
  for (let attempt = 0; attempt < 60; attempt++) (await mqtt.login(impostor)).destroy();
  // One more for each second that this has taken.
  const allowed = await untilRefused(async () => (await mqtt.login(impostor)).destroy());
  expect(allowed).toBeLessThanOrEqual((performance.now() - begunAt) / 1_000);
  real.destroy();
  await mqtt.online(lockA, { session: 'session-2' });
  expect(mqtt.sender.session(lockA.lockId)).toBeDefined();
});

test('nor does another lock: topics, client id and will of others are refused (Fault T11)', async () => {
  const real = await mqtt.online(lockB);
  const client = await mqtt.login(stranger);
  client.send(publishPacket(topics.build(lockB.deviceId, 'status'), 'offline', 1));
  await client.closed;
  await expect(mqtt.login(stranger, { clientId: lockB.deviceId })).rejects.toThrow('refused with 2');
  const will = { topic: topics.build(lockB.deviceId, 'status'), payload: 'offline', qos: 1, retain: true };
  await expect(mqtt.login(stranger, { will })).rejects.toThrow('refused with 5');
  expect([real.isClosed(), mqtt.sender.session(lockB.lockId) !== undefined]).toEqual([false, true]);
});

test('a second key for the same deviceId waits beside the first, and both are contested', async () => {
  const first = await mqtt.login(stranger);
  const second = await mqtt.login({ ...stranger, key: `${stranger.key}-other` });
  expect([first.isClosed(), second.isClosed()]).toEqual([false, false]);
  expect(waiting()).toMatchObject([{ contested: true }, { contested: true }]);
});

test('it takes its own place again when it reconnects, also before its old connection is gone', async () => {
  const first = await mqtt.login(stranger);
  const second = await mqtt.login(stranger);
  await first.closed;
  expect([second.isClosed(), waiting().length]).toEqual([false, 1]);
  second.destroy();
  await until('it is seen to have gone', () => waiting()[0]?.connected === false);
});

test('four may wait from one address, and a stranger is told the same whether a hub has that deviceId or nobody', async () => {
  const deviceId = (number: number) => `0123456789a${number}` as DeviceId;
  const asHub = await mqtt.login({ ...hub, key: stranger.key });
  asHub.send(
    publishPacket(topics.build(hub.deviceId, 'status'), 'offline', 1),
    publishPacket(topics.build(hub.deviceId, 'hello'), helloText(), 2),
  );
  for (const _ of [1, 2]) await asHub.next();
  for (const number of [0, 1, 2]) await mqtt.login({ ...stranger, deviceId: deviceId(number) });
  await expect(mqtt.login({ ...stranger, deviceId: deviceId(3) })).rejects.toThrow('refused with 5');
  expect(mqtt.stats()).toMatchObject({ connectedHubs: 0, refusedConnections: { 'pairing-full': 1 } });
  expect(mqtt.reports.told).toEqual([]);
});

test('nothing is delivered to it, whatever subscription came to be (Fault T11)', () => {
  const connection: ClientConnection = {
    ...{ origin: originOf('10.0.0.1'), listener: 'mqtt', isEncrypted: false, isRelayed: false, isOpen: () => true, silentMs: () => 0 },
    ...{ publish: () => {}, close: () => {}, reset: () => {} },
  };
  const newcomer = { deviceId: stranger.deviceId, keyHash: 'ab'.repeat(32) };
  const client = createPendingDevice(newcomer, connection, { topics, pairing: mqtt.pairing, clientId: 'pending/1' });
  if (typeof client === 'string') throw new Error(client);
  const all = [topics.build(stranger.deviceId, 'command'), topics.build(lockA.deviceId, 'command'), '$SYS/x'];
  expect(all.map((topic) => client.mayReceive(topic))).toEqual([false, false, false]);
});

test('a device that waits to be paired is closed 1.5 times its keep alive after its last byte, too', async () => {
  const client = await mqtt.login(stranger, { keepalive: 1 });
  const from = Date.now();
  for (let count = 0; count < 3; count++) {
    await new Promise((resolve) => setTimeout(resolve, 700));
    client.send(pingPacket);
  }
  expect(client.isClosed()).toBe(false);
  await client.closed;
  expect(Date.now() - from).toBeGreaterThan(2_100 + 1_450);
});

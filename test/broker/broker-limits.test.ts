// The packet filter and the connection table in the broker: what they turn away, and that no other client notices (Protocol 1, Faults T12 and T13).
import { afterEach, expect, test } from '@jest/globals';
import { lockA, lockB, until } from '../support/mqtt-fakes.ts';
import { helloText, type Mqtt, startMqtt, topics } from '../support/mqtt-gateway.ts';
import { connectPacket, messageIdOf, pingPacket, publishPacket, types } from '../support/mqtt-raw.ts';

let mqtt: Mqtt;
afterEach(() => mqtt.stop());

const eventsTopic = topics.build(lockA.deviceId, 'events');

/** About so many bytes of events. */
function backlog(bytes: number): string {
  const events = Array.from({ length: 100 }, (_, index) => ({
    seq: index + 1,
    type: 'card-unlock',
    unknownMember: 'x'.repeat(bytes / 100 - 60),
  }));
  return JSON.stringify({ epoch: 'e', events });
}

test('a lock sends up to 64 KiB in one packet once it is logged in (Protocol 1)', async () => {
  mqtt = await startMqtt();
  const client = await mqtt.login(lockA);
  client.send(publishPacket(eventsTopic, backlog(60_000), 9));
  const puback = await client.next();
  expect([puback.type, messageIdOf(puback)]).toEqual([types.puback, 9]);
  expect(mqtt.reports.told.map(([what]) => what)).toEqual(['events']);
});

test('a malformed packet costs its sender the connection, is counted, and logged with the lock and without its bytes (Fault T13)', async () => {
  mqtt = await startMqtt();
  const decent = await mqtt.online(lockB);
  const client = await mqtt.online(lockA);
  client.send(publishPacket('secret\u0000topic', 'x', 1));
  await client.closed;
  await until('the lock is offline', () => mqtt.reports.told.some(([what, lockId]) => what === 'offline' && lockId === lockA.lockId));
  expect(mqtt.stats().refusedFrames).toEqual({ text: 1 });
  expect(mqtt.log.lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      fields: { code: 'connection-turned-away', address: '127.0.0.1', lockId: 7, deviceId: lockA.deviceId, reason: 'text' },
    }),
  );
  expect(JSON.stringify(mqtt.log.lines)).not.toContain('secret');
  decent.send(pingPacket);
  expect((await decent.next()).type).toBe(types.pingresp);
});

test('packets that come in two pieces are handled like any other, with all that is behind them', async () => {
  mqtt = await startMqtt();
  const lock = await mqtt.online(lockA);
  const reports = Array.from({ length: 20 }, (_, n) => publishPacket(eventsTopic, backlog(6_400), 100 + n));
  const bytes = Buffer.concat(reports);
  // The answer to the ping shows that the first piece is there.
  lock.send(pingPacket, bytes.subarray(0, 30));
  expect((await lock.next()).type).toBe(types.pingresp);
  lock.send(bytes.subarray(30));
  const acknowledged: number[] = [];
  while (acknowledged.length < reports.length) acknowledged.push(messageIdOf(await lock.next()));
  expect(acknowledged).toEqual(reports.map((_, n) => 100 + n));
});

test('what came whole before a malformed packet counts', async () => {
  mqtt = await startMqtt();
  const client = await mqtt.login(lockA);
  client.send(publishPacket(topics.build(lockA.deviceId, 'hello'), helloText(), 1), Buffer.from([0xf0, 0]));
  await client.closed;
  expect(mqtt.reports.told.map(([what]) => what)).toEqual(['hello', 'offline']);
});

test('silent connections give way: a lock logs in although they fill every place, and is never put out itself (Fault T12)', async () => {
  mqtt = await startMqtt({ limits: { maxPerAddress: 20 } });
  const lock = await mqtt.online(lockA);
  const silent = await Promise.all(Array.from({ length: 60 }, () => mqtt.raw()));
  const late = await mqtt.online(lockB);
  for (const client of [lock, late]) {
    client.send(pingPacket);
    expect((await client.next()).type).toBe(types.pingresp);
  }
  await until('the oldest are closed', () => silent.filter((client) => client.isClosed()).length === 42);
  expect(mqtt.stats()).toMatchObject({ openConnections: 20, connectedLocks: 2, refusedFrames: { 'gave-way': 42 } });
});

test('a CONNECT may come byte by byte, with all that follows behind it; who breaks off before disturbs nobody (Fault T12)', async () => {
  mqtt = await startMqtt();
  const [silent, half] = [await mqtt.raw(), await mqtt.raw()];
  const connect = connectPacket({ clientId: lockA.deviceId, username: lockA.deviceId, password: lockA.key });
  half.send(connect.subarray(0, 9));
  const slow = await mqtt.raw();
  for (const byte of connect) {
    slow.send(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  slow.send(publishPacket(topics.build(lockA.deviceId, 'hello'), helloText(), 1), pingPacket);
  const answers = [(await slow.next()).type, (await slow.next()).type, (await slow.next()).type];
  expect(answers.toSorted()).toEqual([types.connack, types.pingresp, types.puback].toSorted());
  expect(mqtt.stats()).toMatchObject({ openConnections: 3, connectedLocks: 1 });
  silent.destroy();
  half.destroy();
  await until('they are gone', () => mqtt.stats().openConnections === 1);
});

test('when every place is taken by a login the next connection is closed at once', async () => {
  mqtt = await startMqtt({ limits: { maxConnections: 1 } });
  await mqtt.online(lockA);
  const refused = await mqtt.raw();
  refused.send(connectPacket({ clientId: lockB.deviceId, username: lockB.deviceId, password: lockB.key }));
  await refused.closed;
  expect(mqtt.stats()).toMatchObject({ connectedLocks: 1, refusedFrames: { 'too-many-connections': 1 } });
  expect(mqtt.log.lines.at(-1)).toMatchObject({ fields: { code: 'connections-full', reason: 'too-many-connections' } });
});

test('when an address has all its places the log says so, with the setting that gives it more', async () => {
  mqtt = await startMqtt({ limits: { maxPerAddress: 1 } });
  await mqtt.online(lockA);
  await (await mqtt.raw()).closed;
  const fields = { code: 'connections-full', address: '127.0.0.1', reason: 'too-many-from-address' };
  const message = expect.stringContaining('all the places that one may have, 1 (mqtt.connectionsPerAddress)');
  expect(mqtt.log.lines.at(-1)).toMatchObject({ level: 'warn', fields, message });
});

test('a lock that sends too fast is slowed down, loses nothing, and disturbs nobody', async () => {
  mqtt = await startMqtt({ limits: { packetsPerSecond: 60, packetBurst: 20 } });
  const client = await mqtt.login(lockA);
  const report = JSON.stringify({ session: 'session-1', level: 92 });
  client.send(...Array.from({ length: 60 }, (_, index) => publishPacket(topics.build(lockA.deviceId, 'battery'), report, index + 1)));
  const decent = await mqtt.login(lockB);
  decent.send(pingPacket);
  expect((await decent.next()).type).toBe(types.pingresp);
  for (let index = 0; index < 60; index++) expect(messageIdOf(await client.next())).toBe(index + 1);
  expect(mqtt.stats().pausedReads).toBeGreaterThan(0);
  expect(mqtt.stats().refusedFrames).toEqual({});
});

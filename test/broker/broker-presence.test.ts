// When a lock is online and offline, at the real broker with the real client of mqtt.js (Protocol 4.1, 5 and 6).
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { connectAsync, type MqttClient } from 'mqtt';
import type { CommandId } from '../../src/domain/locks/lock-command.ts';
import { createManualClock } from '../support/mqtt-clock.ts';
import { lockA, lockB, until } from '../support/mqtt-fakes.ts';
import { helloText, type Mqtt, startMqtt, topics, untilRefused } from '../support/mqtt-gateway.ts';
import { connectPacket, disconnectPacket, messageIdOf, published, publishPacket, types } from '../support/mqtt-raw.ts';

let mqtt: Mqtt;
beforeEach(async () => {
  mqtt = await startMqtt();
});
afterEach(() => mqtt.stop());

const own = (channel: Parameters<typeof topics.build>[1]) => topics.build(lockA.deviceId, channel);
const id = (text: string) => text as CommandId;
const told = (what: string) => mqtt.reports.told.filter(([told]) => told === what);
const will = { topic: own('status'), payload: 'offline', qos: 1, retain: true };

async function realClient(): Promise<MqttClient> {
  const { host, port } = mqtt.address();
  return connectAsync(`mqtt://${host}:${port}`, {
    ...{ clientId: lockA.deviceId, username: lockA.deviceId, password: lockA.key, reconnectPeriod: 0 },
    will: { topic: own('status'), payload: Buffer.from('offline'), qos: 1, retain: true },
  });
}

test('a decent client logs in, says hello, gets a command and answers it (Protocol 4.1, 5.1, 5.2)', async () => {
  const client = await realClient();
  const commands: Record<string, unknown>[] = [];
  client.on('message', (topic, payload) => {
    const command = JSON.parse(payload.toString());
    commands.push({ topic, ...command });
    void client.publishAsync(own('reply'), JSON.stringify({ id: command.id, ok: true, state: 'unlocked', battery: 91 }), { qos: 1 });
  });
  await client.subscribeAsync(own('command'), { qos: 1 });
  await client.publishAsync(own('status'), 'online', { qos: 1, retain: true });
  expect(mqtt.sender.session(lockA.lockId)).toBeUndefined();
  await client.publishAsync(own('hello'), helloText({ battery: 92, cards: { count: 0, digest: '0123456789abcdef' } }), { qos: 1 });
  const session = mqtt.sender.session(lockA.lockId);
  expect(await session?.send({ op: 'unlock' }, id('id-1'), 5_000)).toEqual({ kind: 'ok', state: 'unlocked' });
  expect(commands).toEqual([
    { topic: own('command'), id: 'id-1', session: 'session-1', op: 'unlock', args: {}, ttl: 5_000, expires: expect.any(Number) },
  ]);
  expect(mqtt.reports.told).toEqual([
    ['hello', lockA.lockId, { battery: 92, cards: { count: 0, digest: '0123456789abcdef' }, features: { features: [], limits: {} } }],
    ['reply', lockA.lockId, { outcome: { kind: 'ok', state: 'unlocked' }, id: 'id-1', ok: true, state: 'unlocked', battery: 91 }],
  ]);
  await client.endAsync();
  await until('it is offline', () => told('offline').length === 1);
  expect(mqtt.sender.session(lockA.lockId)).toBeUndefined();
});

test('a lock in the middle of a command that loses its connection: the command ends as lost, the lock is offline once (Protocol 5.4 rule 4)', async () => {
  const client = await mqtt.online(lockA);
  const outcome = mqtt.sender.session(lockA.lockId)?.send({ op: 'unlock' }, id('id-1'), 60_000);
  await client.next();
  client.destroy();
  expect(await outcome).toEqual({ kind: 'lost' });
  expect(told('offline')).toEqual([['offline', lockA.lockId]]);
});

describe('a second connection of a lock takes over from the first (Protocol 6, [MQTT-3.1.4-2])', () => {
  test('the first is closed and its command lost; the second is online after its own hello only', async () => {
    const first = await mqtt.online(lockA);
    const session = mqtt.sender.session(lockA.lockId);
    const outcome = session?.send({ op: 'unlock' }, id('id-1'), 60_000);
    await first.next();
    const second = await mqtt.login(lockA);
    await first.closed;
    expect(await outcome).toEqual({ kind: 'lost' });
    expect(told('offline').length).toBe(1);
    expect(mqtt.sender.session(lockA.lockId)).toBeUndefined();
    expect(await session?.send({ op: 'unlock' }, id('id-2'), 60_000)).toEqual({ kind: 'lost' });

    second.send(publishPacket(own('hello'), helloText({ session: 'session-2' }), 1));
    await second.next();
    expect(await session?.send({ op: 'unlock' }, id('id-3'), 60_000)).toEqual({ kind: 'lost' });
    void mqtt.sender.session(lockA.lockId)?.send({ op: 'lock' }, id('id-4'), 60_000);
    expect(JSON.parse(published(await second.next()).payload)).toMatchObject({ id: 'id-4', session: 'session-2' });
    expect(mqtt.stats().connectedLocks).toBe(1);
  });

  test('the will of the first, or its status sent last, does not take the second offline', async () => {
    const first = await mqtt.login(lockA, { will });
    first.send(publishPacket(own('hello'), helloText(), 1));
    await first.next();
    const second = await mqtt.online(lockA, { session: 'session-2' });
    first.send(publishPacket(own('status'), 'offline', 2, { retain: true }));
    await first.closed;
    second.send(publishPacket(own('state'), '{"session":"session-2","state":"locked"}', 2));
    await second.next();
    expect(mqtt.sender.session(lockA.lockId)).toBeDefined();
    expect(told('offline').length).toBe(1);
  });

  test('ten in a row leave one, which is told its command, and the tenth goodbye is the one that counts', async () => {
    for (let round = 0; round < 10; round++) await mqtt.online(lockA, { session: `session-${round}` });
    const last = await mqtt.online(lockA, { session: 'session-last' });
    expect(mqtt.stats().connectedLocks).toBe(1);
    void mqtt.sender.session(lockA.lockId)?.send({ op: 'lock' }, id('id-1'), 60_000);
    expect((await last.next()).type).toBe(types.publish);
    last.send(disconnectPacket);
    await until('it is offline', () => told('offline').length === 11);
    expect(mqtt.stats().connectedLocks).toBe(0);
  });
});

describe('a command that is due in the very turn in which its connection ends (Fault T6)', () => {
  test('is never written to it, and is lost', async () => {
    const client = await mqtt.online(lockA);
    const outcome = mqtt.sender.session(lockA.lockId)?.send({ op: 'unlock' }, id('id-1'), 60_000);
    // As a takeover does it, before anything of this turn has been written.
    mqtt.sender.disconnect(lockA.lockId, 'taken over');
    expect(await outcome).toEqual({ kind: 'lost' });
    await client.closed;
    expect(client.received.filter(({ type }) => type === types.publish)).toEqual([]);
  });
});

describe('a takeover storm with a valid key (Fault T11)', () => {
  test('is limited by identity before the connection that is there is touched; others log in as ever; it is counted and logged', async () => {
    const begunAt = performance.now();
    const last = [];
    for (let round = 0; round < 60; round++) last.push(await mqtt.online(lockA, { session: `session-${round}` }));
    // One more for each second that this has taken.
    const allowed = await untilRefused(() => mqtt.online(lockA, { session: `session-${last.length}` }).then((client) => last.push(client)));
    expect(allowed).toBeLessThanOrEqual((performance.now() - begunAt) / 1_000);
    const session = mqtt.sender.session(lockA.lockId);
    expect([last.at(-1)?.isClosed(), mqtt.sender.session(lockA.lockId)]).toEqual([false, session]);
    await mqtt.online(lockB);
    expect(mqtt.stats()).toMatchObject({
      ...{ takeovers: last.length - 1, connectedLocks: 2 },
      refusedConnections: { 'too-many-logins': 1 },
    });
    const lines = mqtt.log.lines.filter(({ message }) => message.includes('two devices with one identity?'));
    const { lockId, deviceId } = lockA;
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', fields: { code: 'connection-taken-over', lockId, deviceId, address: '127.0.0.1' } }),
    ]);
  });

  test('a lock that comes back before its lost connection is noticed is no such thing', async () => {
    for (let round = 0; round < 3; round++) await mqtt.online(lockA, { session: `session-${round}` });
    expect(mqtt.stats().takeovers).toBe(2);
    expect(mqtt.log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});

test('status offline takes the lock offline at once, status online back, and its end counts once more (Protocol 6)', async () => {
  const client = await mqtt.online(lockA);
  client.send(publishPacket(own('status'), 'offline', 2, { retain: true }));
  await client.next();
  expect(mqtt.sender.session(lockA.lockId)).toBeUndefined();
  client.send(publishPacket(own('status'), 'online', 3, { retain: true }));
  await client.next();
  expect(mqtt.sender.session(lockA.lockId)).toBeDefined();
  client.destroy();
  await until('it is offline again', () => told('offline').length === 2);
  expect(mqtt.reports.told.map(([what]) => what)).toEqual(['hello', 'offline', 'hello', 'offline']);
});

test('a second hello begins a new session: a command under way is lost, reports of the earlier session are ignored (Protocol 4.1)', async () => {
  const client = await mqtt.online(lockA);
  const outcome = mqtt.sender.session(lockA.lockId)?.send({ op: 'unlock' }, id('id-1'), 60_000);
  await client.next();
  client.send(
    publishPacket(own('hello'), helloText({ session: 'session-2', uptime: 5 }), 2),
    publishPacket(own('state'), '{"session":"session-1","state":"unlocked"}', 3),
    publishPacket(own('reply'), '{"id":"id-1","ok":true,"state":"unlocked"}', 4),
  );
  expect(await outcome).toEqual({ kind: 'lost' });
  expect([await client.next(), await client.next(), await client.next()].map(messageIdOf)).toEqual([2, 3, 4]);
  expect(mqtt.reports.told.map(([what]) => what)).toEqual(['hello', 'hello']);
});

test('every message twice, with and without DUP: one actuation, one end, and no report from the second reply (Protocol 5.4 rule 5, Fault T9)', async () => {
  const client = await mqtt.login(lockA);
  const twice = (topic: string, payload: string, messageId: number) =>
    client.send(
      publishPacket(topic, payload, messageId),
      publishPacket(topic, payload, messageId, { dup: true }),
      publishPacket(topic, payload, messageId),
    );
  twice(own('hello'), helloText(), 1);
  for (let index = 0; index < 3; index++) await client.next();
  const outcome = mqtt.sender.session(lockA.lockId)?.send({ op: 'unlock' }, id('id-1'), 60_000);
  await client.next();
  twice(own('hello'), helloText(), 1);
  twice(own('reply'), '{"id":"id-1","ok":true,"state":"unlocked"}', 2);
  expect(await outcome).toEqual({ kind: 'ok', state: 'unlocked' });
  for (let index = 0; index < 6; index++) await client.next();
  expect(mqtt.reports.told.map(([what]) => what)).toEqual(['hello', 'reply']);
});

test('LockLink.disconnect closes the connection, whatever its session (Protocol 5.4 rule 3)', async () => {
  const client = await mqtt.login(lockA);
  mqtt.sender.disconnect(lockA.lockId, 'it does not answer');
  await client.closed;
  mqtt.sender.disconnect(lockB.lockId, 'never seen');
  expect(told('offline')).toEqual([]);
});

test('a lock that falls silent is offline after 1.5 times its keep alive [MQTT-3.1.2-24]', async () => {
  const client = await mqtt.login(lockA, { keepalive: 1 });
  client.send(publishPacket(own('hello'), helloText(), 1));
  await client.closed;
  expect(told('offline').length).toBe(1);
});

test.each([1, 2])(
  'a lock with keep alive %i s that is always in the middle of a packet is alive, until it falls silent',
  async (keepalive) => {
    const client = await mqtt.login(lockA, { keepalive });
    client.send(publishPacket(own('hello'), helloText(), 1));
    const event = publishPacket(own('events'), '{"epoch":"e","events":[{"seq":1,"type":"key-unlock"}]}', 2);
    const beginning = event.subarray(0, 20);
    client.send(beginning);
    for (const end = Date.now() + 2_500 * keepalive; Date.now() < end && !client.isClosed(); ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      client.send(event.subarray(20), beginning);
    }
    const silentFrom = Date.now();
    expect([client.isClosed(), told('offline').length]).toEqual([false, 0]);
    await client.closed;
    expect(Date.now() - silentFrom).toBeGreaterThan(1_500 * keepalive - 50);
    expect(told('offline').length).toBe(1);
  },
);

test('a lock whose one packet takes longer than 1.5 times its keep alive is alive as long as bytes come', async () => {
  const client = await mqtt.login(lockA, { keepalive: 1 });
  const hello = publishPacket(own('hello'), helloText(), 1);
  for (let at = 0; at < hello.length && !client.isClosed(); at += 4) {
    client.send(hello.subarray(at, at + 4));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect((await client.next()).type).toBe(4);
});

test('failing logins from one address wait longer and longer, the right key from there never (Protocol 2, Fault T12)', async () => {
  await mqtt.stop();
  const clock = createManualClock();
  mqtt = await startMqtt({ clock });
  const wrong = connectPacket({ clientId: lockA.deviceId, username: lockA.deviceId, password: 'wrong' });
  for (let failure = 0; failure < 5; failure++) {
    const client = await mqtt.raw();
    client.send(wrong);
    await client.closed;
  }
  const slow = await mqtt.raw();
  slow.send(wrong);
  await until('it was judged', () => mqtt.stats().refusedConnections['key'] === 6);
  await mqtt.online(lockA);
  const badlySet = await mqtt.raw();
  badlySet.send(connectPacket({ clientId: lockB.deviceId, username: lockB.deviceId, password: lockB.key, keepalive: 0 }));
  expect((await badlySet.next()).body[1]).toBe(2);
  expect(slow.received).toEqual([]);
  clock.advance(250);
  expect((await slow.next()).body[1]).toBe(4);
  await slow.closed;
});

describe('starting and stopping', () => {
  test('a busy port is one clear sentence, and stop after it is harmless', async () => {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
    const { port } = occupant.address() as { port: number };
    const endpoints = { mqtt: { host: '127.0.0.1', port } };
    await expect(startMqtt({ endpoints })).rejects.toThrow(
      `MQTT cannot listen on 127.0.0.1:${port}: the port is in use by another program`,
    );
    await new Promise((resolve) => occupant.close(resolve));
  });

  test('stop closes every connection, says offline once for each lock, and can be called twice', async () => {
    const clients = [await mqtt.online(lockA), await mqtt.login(lockB), await mqtt.raw()];
    await mqtt.broker.stop();
    for (const client of clients) await client.closed;
    expect(mqtt.reports.told.map(([what]) => what)).toEqual(['hello', 'offline']);
    await mqtt.broker.stop();
    expect(mqtt.stats().openConnections).toBe(0);
  });
});

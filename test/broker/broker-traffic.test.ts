// What locks may say and hear at the real broker, and when they get their PUBACK (Protocol 3 and 4.4, Faults T3, T11 and T15).
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { EventsReport } from '../../src/domain/locks/lock-report.ts';
import { allNew, createGate, lockA, lockB, storageUnavailable, until } from '../support/mqtt-fakes.ts';
import { helloText, type Mqtt, startMqtt, topics } from '../support/mqtt-gateway.ts';
import { connectPacket, messageIdOf, pingPacket, publishPacket, type RawClient, subscribePacket, types } from '../support/mqtt-raw.ts';

let mqtt: Mqtt;
beforeEach(async () => {
  mqtt = await startMqtt();
});
afterEach(() => mqtt.stop());

const own = (channel: Parameters<typeof topics.build>[1]) => topics.build(lockA.deviceId, channel);
const foreign = (channel: Parameters<typeof topics.build>[1]) => topics.build(lockB.deviceId, channel);
const eventsText = (seq: number, epoch = '7d3f') => JSON.stringify({ epoch, events: [{ seq, type: 'card-unlock' }] });

/** Every packet received until the answer to a ping, which comes after all that went before. */
async function untilPing(client: RawClient): Promise<readonly { type: number; id: number }[]> {
  client.send(pingPacket);
  const packets = [];
  for (let packet = await client.next(); packet.type !== types.pingresp; packet = await client.next()) {
    packets.push({ type: packet.type, id: messageIdOf(packet) });
  }
  return packets;
}

describe('an illegal publish closes the connection, is counted and logged with the identity (Protocol 3, Fault T11)', () => {
  test.each([
    ['a report of another lock', foreign('state'), 'foreign-topic'],
    ['a command to itself', own('command'), 'command-topic'],
    ['a command to another lock', foreign('command'), 'foreign-topic'],
    ['a $SYS topic', '$SYS/broker/new/clients', 'unknown-topic'],
    ['a topic below its own', `${own('state')}/x`, 'unknown-topic'],
    ['any other topic', 'hello', 'unknown-topic'],
  ])('%s', async (_title, topic, reason) => {
    const client = await mqtt.login(lockA);
    client.send(publishPacket(topic, '{}', 1, { retain: true }), publishPacket(own('hello'), helloText(), 2));
    await client.closed;
    expect(client.received.filter((packet) => packet.type === types.puback)).toEqual([]);
    expect(mqtt.reports.told).toEqual([]);
    expect(mqtt.stats().refusedPublishes).toEqual({ [reason]: 1 });
    const { lockId, deviceId } = lockA;
    expect(mqtt.log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { code: 'publish-refused', lockId, deviceId, reason } }),
    );
  });
});

test('what is pipelined behind an illegal publish has no effect, even before the CONNACK (Fault T11)', async () => {
  const client = await mqtt.raw();
  client.send(
    connectPacket({ clientId: lockA.deviceId, username: lockA.deviceId, password: lockA.key }),
    subscribePacket(1, own('command')),
    publishPacket(foreign('state'), '{}', 2),
    publishPacket(own('hello'), helloText(), 3),
    publishPacket(own('events'), eventsText(1), 4),
  );
  await client.closed;
  expect(mqtt.reports.told).toEqual([]);
});

test('each illegal filter of a SUBSCRIBE gets 0x80, the own command topic what it asked for (Protocol 3, Fault T11)', async () => {
  const client = await mqtt.login(lockA);
  client.send(subscribePacket(9, own('command'), foreign('command'), '#', '$SYS/#', 'latchd/v1/+/command', own('state')));
  const suback = await client.next();
  expect([...suback.body]).toEqual([0, 9, 1, 0x80, 0x80, 0x80, 0x80, 0x80]);
  expect(mqtt.stats().refusedSubscriptions).toEqual({ 'foreign-topic': 1, wildcard: 3, 'report-topic': 1 });
});

test('nothing of one lock ever reaches another, whatever it subscribed to (Fault T11)', async () => {
  const spy = await mqtt.login(lockB);
  spy.send(subscribePacket(1, '#', own('command'), own('state'), foreign('command')));
  await spy.next();
  const client = await mqtt.online(lockA);
  client.send(publishPacket(own('status'), 'online', 2, { retain: true }));
  await client.next();
  void mqtt.sender.session(lockA.lockId)?.send({ op: 'unlock' }, 'id-1' as never, 5_000);
  expect((await client.next()).type).toBe(types.publish);
  expect(await untilPing(spy)).toEqual([]);
});

test('the retain flag of a message changes nothing of what becomes of it (Protocol 3)', async () => {
  const client = await mqtt.login(lockA);
  client.send(publishPacket(own('hello'), helloText(), 1, { retain: true }));
  expect(messageIdOf(await client.next())).toBe(1);
  expect(mqtt.reports.told).toEqual([['hello', lockA.lockId, { features: { features: [], limits: {} } }]]);
});

test('no PUBACK leaves before the events are on stable storage, and a reply behind them is not held up (Protocol 4.4)', async () => {
  const flushed = createGate();
  mqtt.reports.events = () => flushed.promise.then(() => allNew);
  const client = await mqtt.online(lockA);
  const outcome = mqtt.sender.session(lockA.lockId)?.send({ op: 'unlock' }, 'id-1' as never, 5_000);
  expect((await client.next()).type).toBe(types.publish);
  client.send(publishPacket(own('events'), eventsText(1), 2));
  client.send(publishPacket(own('reply'), JSON.stringify({ id: 'id-1', ok: true, state: 'unlocked' }), 3));
  expect(await outcome).toEqual({ kind: 'ok', state: 'unlocked' });
  expect(client.received.filter((packet) => packet.type === types.puback).map(messageIdOf)).toEqual([1]);
  flushed.open();
  expect(messageIdOf(await client.next())).toBe(2);
  expect(messageIdOf(await client.next())).toBe(3);
});

test('what a lock says without waiting for its CONNACK is handled and acknowledged in its order, wherever the stream is cut', async () => {
  const count = 30;
  const bytes = Buffer.concat([
    connectPacket({ clientId: lockA.deviceId, username: lockA.deviceId, password: lockA.key }),
    publishPacket(own('hello'), helloText(), 1),
    ...Array.from({ length: count }, (_, index) => publishPacket(own('events'), eventsText(index + 1), index + 2, { qos: 1 })),
  ]);
  for (let cuts = 0; cuts < 40; cuts++) {
    mqtt.reports.told.length = 0;
    const client = await mqtt.raw();
    // Pieces that come a turn of the event loop apart, each a little larger than those of the round before.
    const step = 40 + cuts * 37;
    for (let at = 0; at < bytes.length; at += step) {
      client.send(bytes.subarray(at, at + step));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await client.next()).type).toBe(types.connack);
    const acknowledged = [];
    while (acknowledged.length <= count) acknowledged.push(messageIdOf(await client.next()));
    expect(acknowledged).toEqual(Array.from({ length: count + 1 }, (_, index) => index + 1));
    const told = mqtt.reports.told.filter(([what]) => what !== 'offline');
    expect(
      told.flatMap(([what, , report]): (string | number)[] =>
        what === 'events' ? (report as EventsReport).events.map(({ seq }) => seq) : [what],
      ),
    ).toEqual(['hello', ...Array.from({ length: count }, (_, index) => index + 1)]);
    client.destroy();
  }
});

test('PUBACKs come in the order of the messages while the flushes overlap and end in any order [MQTT-4.6.0-2]', async () => {
  const gates = Array.from({ length: 20 }, createGate);
  let begun = 0;
  mqtt.reports.events = () => (gates[begun++] as (typeof gates)[0]).promise.then(() => allNew);
  const client = await mqtt.login(lockA);
  client.send(...gates.map((_, index) => publishPacket(own('events'), eventsText(index + 1, `e${index}`), index + 1)));
  await until('all flushes are under way', () => begun === gates.length);
  for (const gate of gates.slice(1).reverse()) gate.open();
  client.send(publishPacket(own('battery'), 'x', 21));
  await until('the last one is judged', () => mqtt.quarantine.kept.length === 1);
  expect(client.received.length).toBe(1);
  gates[0]?.open();
  const acknowledged = [];
  for (let index = 0; index < 21; index++) acknowledged.push(messageIdOf(await client.next()));
  expect(acknowledged).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
});

test('events that cannot be stored stay without PUBACK while all else goes on; when storage works the lock is closed once (Fault T3)', async () => {
  const client = await mqtt.online(lockA);
  const other = await mqtt.online(lockB);
  const events = mqtt.reports.events;
  mqtt.reports.events = () => Promise.reject(storageUnavailable());
  client.send(publishPacket(own('events'), eventsText(1), 2), publishPacket(own('state'), '{"session":"session-1","state":"locked"}', 3));
  expect(messageIdOf(await client.next())).toBe(3);
  expect(await untilPing(client)).toEqual([]);
  const outcome = mqtt.sender.session(lockA.lockId)?.send({ op: 'lock' }, 'id-1' as never, 5_000);
  expect((await client.next()).type).toBe(types.publish);
  client.send(publishPacket(own('reply'), '{"id":"id-1","ok":true}', 4));
  expect(await outcome).toEqual({ kind: 'ok' });
  expect(client.isClosed()).toBe(false);

  mqtt.reports.events = events;
  other.send(publishPacket(foreign('events'), eventsText(1), 2));
  expect(messageIdOf(await other.next())).toBe(2);
  expect(client.isClosed()).toBe(false);
  mqtt.receiver.storageWorks();
  await client.closed;
  expect(other.isClosed()).toBe(false);
  const again = await mqtt.online(lockA);
  again.send(publishPacket(own('events'), eventsText(1), 2));
  expect(messageIdOf(await again.next())).toBe(2);
  mqtt.receiver.storageWorks();
  expect(await untilPing(again)).toEqual([]);
});

test('a poison message is acknowledged, counted, quarantined, and does not hold up what is behind it (Protocol 4.4)', async () => {
  const client = await mqtt.login(lockA);
  const poison = [Buffer.from([0xff, 0xfe]), '[]', '{"epoch":"e","events":[]}', '{"epoch":"e"', '['.repeat(60_000), ''];
  client.send(
    ...poison.map((payload, index) => publishPacket(own('events'), payload, index + 1)),
    publishPacket(own('events'), eventsText(5), 9),
  );
  expect((await take(client, poison.length + 1)).map(messageIdOf)).toEqual([1, 2, 3, 4, 5, 6, 9]);
  expect(mqtt.quarantine.kept.length).toBe(poison.length);
  expect(mqtt.stats().malformedMessages).toBe(poison.length);
  expect(mqtt.log.lines.filter((line) => line.level === 'warn').length).toBe(1);
  expect(mqtt.reports.told).toEqual([['events', lockA.lockId, { epoch: '7d3f', events: [{ seq: 5, type: 'card-unlock' }] }]]);
});

async function take(client: RawClient, count: number) {
  const packets = [];
  while (packets.length < count) packets.push(await client.next());
  return packets;
}

test('the quarantine is durable before a poison message is acknowledged (Protocol 4.4)', async () => {
  mqtt.quarantine.keep = () => Promise.reject(storageUnavailable());
  const client = await mqtt.login(lockA);
  client.send(publishPacket(own('events'), 'poison', 1), publishPacket(own('events'), eventsText(1), 2));
  // The second is stored; the lock sends the first one again when storage works.
  expect(messageIdOf(await client.next())).toBe(2);
  mqtt.receiver.storageWorks();
  await client.closed;
  expect(client.received.filter((packet) => packet.type === types.puback).map(messageIdOf)).toEqual([2]);
});

test('a message with QoS 2 is stored before its PUBREC, and its repetition changes nothing', async () => {
  const flushed = createGate();
  mqtt.reports.events = () => flushed.promise.then(() => allNew);
  const client = await mqtt.login(lockA);
  client.send(publishPacket(own('events'), eventsText(1), 5, { qos: 2 }));
  client.send(pingPacket);
  expect((await client.next()).type).toBe(types.pingresp);
  flushed.open();
  expect((await client.next()).type).toBe(types.pubrec);
});

describe('a failure while a message is handled closes only that connection, and is counted (Fault T15)', () => {
  test.each([
    [
      'a throw',
      () => {
        throw new Error('a bug');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('a bug'))],
    ['a promise that never ends', () => new Promise<never>(() => {})],
  ])('%s', async (_title, events) => {
    await mqtt.stop();
    mqtt = await startMqtt({ hookTimeoutMs: 30 });
    const other = await mqtt.online(lockB);
    mqtt.reports.events = events;
    const client = await mqtt.online(lockA);
    client.send(publishPacket(own('events'), eventsText(1), 2));
    await client.closed;
    expect(client.received.length).toBe(2);
    expect(mqtt.stats().hookFailures).toBe(1);
    expect(await untilPing(other)).toEqual([]);
    expect(mqtt.reports.told.filter(([what]) => what === 'offline')).toEqual([['offline', lockA.lockId]]);
  });
});

test('a lock with more than 64 messages under way is closed: it must not take the memory of all (Protocol 4.4)', async () => {
  mqtt.reports.events = () => new Promise(() => {});
  const client = await mqtt.login(lockA);
  client.send(...Array.from({ length: 65 }, (_, index) => publishPacket(own('events'), eventsText(index + 1), index + 1)));
  await client.closed;
  expect(mqtt.stats().refusedPublishes).toEqual({ 'too-many-under-way': 1 });
});

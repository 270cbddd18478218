// A hub on the real broker: sessions of its locks, what it may not say, and what its end takes along (Protocol 8).
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { CommandId } from '../../../src/domain/locks/lock-command.ts';
import { behind, hub, lockA, lockB, registered, storageUnavailable, until } from '../../support/mqtt-fakes.ts';
import { helloText, type Mqtt, startMqtt, topics } from '../../support/mqtt-gateway.ts';
import { messageIdOf, pingPacket, published, publishPacket, subscribePacket, types } from '../../support/mqtt-raw.ts';

let mqtt: Mqtt;
const a = lockA.deviceId;
const b = lockB.deviceId;

beforeEach(async () => {
  mqtt = await startMqtt();
  for (const lock of [lockA, lockB]) mqtt.locks.locks.set(lock.deviceId, behind(hub, lock));
});
afterEach(() => mqtt.stop());

const isOnline = (lock: typeof lockA) => mqtt.sender.session(lock.lockId) !== undefined;

/** A hub that has said hello for both locks. */
async function hubWithTwoLocks() {
  const client = await mqtt.login(hub);
  client.send(subscribePacket(1, topics.build(a, 'command'), topics.build(b, 'command')));
  expect([...(await client.next()).body.subarray(2)]).toEqual([1, 1]);
  for (const [index, lock] of [lockA, lockB].entries()) {
    client.send(publishPacket(topics.build(lock.deviceId, 'hello'), helloText({ session: `session-${lock.lockId}` }), 10 + index));
    expect(messageIdOf(await client.next())).toBe(10 + index);
  }
  return client;
}

test('each lock has its own session, and its commands come over the very connection of its hub', async () => {
  const client = await hubWithTwoLocks();
  expect([isOnline(lockA), isOnline(lockB)]).toEqual([true, true]);
  const outcome = mqtt.sender.session(lockA.lockId)?.send({ op: 'unlock' }, 'id-1' as CommandId, 5_000);
  const command = published(await client.next());
  expect([command.topic, JSON.parse(command.payload)]).toEqual([
    topics.build(a, 'command'),
    expect.objectContaining({ id: 'id-1', session: `session-${lockA.lockId}`, op: 'unlock' }),
  ]);
  // The reply of another lock ends nothing (Fault T11).
  client.send(publishPacket(topics.build(b, 'reply'), '{"id":"id-1","ok":true}', 20));
  expect(messageIdOf(await client.next())).toBe(20);
  client.send(publishPacket(topics.build(a, 'reply'), '{"id":"id-1","ok":true,"state":"unlocked"}', 21));
  expect(await outcome).toMatchObject({ kind: 'ok', state: 'unlocked' });
  expect(mqtt.reports.told).toContainEqual(['reply', lockA.lockId, expect.objectContaining({ state: 'unlocked' })]);
});

test('the end of its connection takes its locks offline at once, and with it the command under way (Protocol 8 rule 6)', async () => {
  const client = await hubWithTwoLocks();
  const outcome = mqtt.sender.session(lockA.lockId)?.send({ op: 'unlock' }, 'id-1' as CommandId, 5_000);
  client.destroy();
  expect(await outcome).toEqual({ kind: 'lost' });
  await until('both are offline', () => !isOnline(lockA) && !isOnline(lockB));
  expect(mqtt.reports.told.filter(([what]) => what === 'offline')).toHaveLength(2);
  expect(mqtt.hubPresence.online(hub.deviceId)).toBe(false);
});

test('its own status offline takes them offline, whatever they say, until it is online and they say hello anew', async () => {
  const client = await hubWithTwoLocks();
  client.send(publishPacket(topics.build(hub.deviceId, 'status'), 'offline', 30));
  await client.next();
  expect([isOnline(lockA), isOnline(lockB), mqtt.hubPresence.online(hub.deviceId)]).toEqual([false, false, false]);
  client.send(publishPacket(topics.build(a, 'hello'), helloText({ session: 'session-x' }), 31));
  await client.next();
  expect(isOnline(lockA)).toBe(false);
  client.send(publishPacket(topics.build(hub.deviceId, 'status'), 'online', 32));
  client.send(publishPacket(topics.build(a, 'hello'), helloText({ session: 'session-y' }), 33));
  await client.next();
  await client.next();
  expect([isOnline(lockA), isOnline(lockB)]).toEqual([true, false]);
});

test('a lock that is disconnected is offline until its next hello; its hub and the others stay (Protocol 8 rule 5)', async () => {
  const client = await hubWithTwoLocks();
  mqtt.sender.disconnect(lockA.lockId, 'no answer');
  expect([isOnline(lockA), isOnline(lockB), client.isClosed()]).toEqual([false, true, false]);
  client.send(publishPacket(topics.build(a, 'state'), `{"session":"session-${lockA.lockId}","state":"unlocked"}`, 40));
  client.send(publishPacket(topics.build(a, 'events'), '{"epoch":"e","events":[{"seq":1,"type":"tamper"}]}', 41));
  await client.next();
  await client.next();
  expect(isOnline(lockA)).toBe(false);
  expect(mqtt.reports.told.filter(([what]) => what === 'state')).toEqual([]);
  expect(mqtt.reports.told.filter(([what]) => what === 'events')).toHaveLength(1);
  client.send(publishPacket(topics.build(a, 'hello'), helloText({ session: 'session-z' }), 42));
  await client.next();
  expect(isOnline(lockA)).toBe(true);
});

test('it cannot speak for a lock that is not bound to it, nor hear its commands (Fault T11)', async () => {
  mqtt.locks.locks.set(b, registered(lockB));
  const undisturbed = await mqtt.online(lockB);
  const client = await mqtt.login(hub);
  client.send(subscribePacket(1, topics.build(a, 'command'), topics.build(b, 'command'), 'latchd/v1/+/command', '#'));
  expect([...(await client.next()).body.subarray(2)]).toEqual([1, 128, 128, 128]);
  client.send(publishPacket(topics.build(b, 'state'), '{"session":"session-1","state":"unlocked"}', 2));
  await client.closed;
  expect([undisturbed.isClosed(), isOnline(lockB)]).toEqual([false, true]);
  expect(mqtt.reports.told.filter(([what]) => what === 'state')).toEqual([]);
  expect(mqtt.stats()).toMatchObject({ refusedPublishes: { 'foreign-topic': 1 }, connectedHubs: 0 });
});

test('an unbinding takes effect at the next message: the hub is closed, and the lock may log in itself', async () => {
  const client = await hubWithTwoLocks();
  mqtt.locks.locks.set(a, registered(lockA));
  mqtt.sender.disconnect(lockA.lockId, 'it was unbound from its hub');
  expect(isOnline(lockA)).toBe(false);
  const alone = await mqtt.online(lockA);
  client.send(publishPacket(topics.build(a, 'hello'), helloText({ session: 'session-x' }), 50));
  await client.closed;
  expect([alone.isClosed(), isOnline(lockA), isOnline(lockB)]).toEqual([false, true, false]);
});

test('a lock behind a hub cannot log in itself, and its attempt disturbs nothing', async () => {
  await hubWithTwoLocks();
  await expect(mqtt.login(lockA)).rejects.toThrow('refused with 4');
  expect([isOnline(lockA), isOnline(lockB)]).toEqual([true, true]);
});

test('a second connection of a hub takes over; the locks need a new hello there', async () => {
  const first = await hubWithTwoLocks();
  const second = await mqtt.login(hub);
  await first.closed;
  expect([isOnline(lockA), isOnline(lockB), mqtt.hubPresence.online(hub.deviceId)]).toEqual([false, false, true]);
  second.send(publishPacket(topics.build(a, 'hello'), helloText({ session: 'session-n' }), 1));
  await second.next();
  expect(isOnline(lockA)).toBe(true);
});

test('events that could not be stored bring the hub back once, so that it sends them again (Fault T3)', async () => {
  const client = await hubWithTwoLocks();
  const { events } = mqtt.reports;
  mqtt.reports.events = () => Promise.reject(storageUnavailable());
  client.send(publishPacket(topics.build(a, 'events'), '{"epoch":"e","events":[{"seq":1,"type":"tamper"}]}', 60));
  await until('it was left', () => mqtt.receiver.stats().messagesLeftUnacknowledged === 1);
  mqtt.reports.events = events;
  mqtt.receiver.storageWorks();
  await client.closed;
  expect(client.received.filter(({ type }) => type === types.puback).map(messageIdOf)).toEqual([10, 11]);
});

test('a hub with a removed or renewed key is out at once', async () => {
  const client = await hubWithTwoLocks();
  mqtt.hubs.hubs = [];
  mqtt.hubPresence.disconnect(hub.deviceId, 'the hub was removed');
  await client.closed;
  await expect(mqtt.login(hub)).rejects.toThrow('refused with 4');
});

test('a hub whose key changes, or a lock that is bound, while the login is under way is refused (Protocol 8)', async () => {
  const { get } = mqtt.hubs;
  let reads = 0;
  mqtt.hubs.get = (deviceId) => (++reads > 1 ? undefined : get(deviceId));
  await expect(mqtt.login(hub)).rejects.toThrow('refused with 5');
  const { byDevice } = mqtt.locks;
  let looks = 0;
  mqtt.locks.byDevice = (deviceId) => {
    const lock = deviceId === a ? lockA : lockB;
    return ++looks > 1 ? behind(hub, lock) : registered(lock);
  };
  await expect(mqtt.login(lockA)).rejects.toThrow('refused with 5');
  mqtt.locks.byDevice = byDevice;
});

test('but not while somebody waits at the door of another of its locks (Fault T3)', async () => {
  const client = await hubWithTwoLocks();
  const { events } = mqtt.reports;
  mqtt.reports.events = () => Promise.reject(storageUnavailable());
  client.send(publishPacket(topics.build(a, 'events'), '{"epoch":"e","events":[{"seq":1,"type":"tamper"}]}', 60));
  await until('it was left', () => mqtt.receiver.stats().messagesLeftUnacknowledged === 1);
  mqtt.reports.events = events;
  const outcome = mqtt.sender.session(lockB.lockId)?.send({ op: 'unlock' }, 'id-1' as CommandId, 5_000);
  mqtt.receiver.storageWorks();
  expect(client.isClosed()).toBe(false);
  client.send(publishPacket(topics.build(b, 'reply'), '{"id":"id-1","ok":true}', 61));
  expect(await outcome).toMatchObject({ kind: 'ok' });
  mqtt.receiver.storageWorks();
  await client.closed;
});

test('a hub lives as long as bytes of it come, and falls silent 1.5 keep alives after the last one', async () => {
  const client = await mqtt.login(hub, { keepalive: 1 });
  for (let count = 0; count < 3; count++) {
    await new Promise((resolve) => setTimeout(resolve, 700));
    client.send(count === 1 ? pingPacket.subarray(1) : pingPacket.subarray(0, count === 0 ? 1 : 2));
  }
  const from = Date.now();
  expect(client.isClosed()).toBe(false);
  await client.closed;
  expect(Date.now() - from).toBeGreaterThan(1_450);
});

// Logging in at the real broker (Protocol 2, Faults T6, T11 and T12).
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { checkerId, checkListener } from '../../src/platform/listener-check.ts';
import { lockA, lockB, until } from '../support/mqtt-fakes.ts';
import { type Mqtt, startMqtt, topics } from '../support/mqtt-gateway.ts';
import { connectPacket, openRaw, pingPacket, publishPacket, type RawConnect, subscribePacket, types } from '../support/mqtt-raw.ts';

let mqtt: Mqtt;
beforeEach(async () => {
  mqtt = await startMqtt();
});
afterEach(() => mqtt.stop());

async function answerTo(connect: RawConnect): Promise<number | undefined> {
  const client = await mqtt.raw();
  client.send(connectPacket(connect));
  const packet = await client.next();
  await client.closed;
  return packet.body[1];
}

const own = { clientId: lockA.deviceId, username: lockA.deviceId, password: lockA.key };

describe('a login is refused with CONNACK and the connection closed (Protocol 2)', () => {
  test.each<[string, RawConnect, number]>([
    ['2 for the client id of another lock', { ...own, clientId: lockB.deviceId }, 2],
    ['2 without a username', { clientId: lockA.deviceId }, 2],
    ['4 for a wrong key', { ...own, password: 'wrong' }, 4],
    ['4 for an unknown lock', { ...own, clientId: '000000000000', username: '000000000000' }, 4],
    ['2 for keep alive 0', { ...own, keepalive: 0 }, 2],
    ['2 for keep alive 121', { ...own, keepalive: 121 }, 2],
    [
      '5 for a will on a topic of another lock',
      { ...own, will: { topic: topics.build(lockB.deviceId, 'status'), payload: 'offline', qos: 1, retain: true } },
      5,
    ],
    ['1 for MQTT 3.1', { ...own, protocol: 'MQIsdp', version: 3 }, 1],
    ['1 for a version that is not 4 [MQTT-3.1.2-2]', { ...own, version: 3, protocol: 'MQTT' }, 1],
    ['1 with the bridge bit', { ...own, version: 132 }, 1],
  ])('%s', async (_title, connect, code) => {
    expect(await answerTo(connect)).toBe(code);
    expect(mqtt.stats().connectedLocks).toBe(0);
  });
});

test('an attacker with a wrong key and the client id of a lock leaves it undisturbed, and is counted and logged (Fault T11)', async () => {
  const victim = await mqtt.online(lockA);
  expect(await answerTo({ ...own, password: 'wrong' })).toBe(4);
  expect(await answerTo({ clientId: lockA.deviceId, username: lockB.deviceId, password: lockB.key })).toBe(2);
  victim.send(pingPacket);
  expect((await victim.next()).type).toBe(types.pingresp);
  expect(mqtt.sender.session(lockA.lockId)).toBeDefined();
  expect(mqtt.stats().refusedConnections).toEqual({ key: 1, 'client-id': 1 });
  expect(JSON.stringify(mqtt.log.lines)).not.toContain('wrong');
});

test('a lock that asks for a persistent session gets a clean one: sessionPresent is 0, nothing outlives it (Protocol 2, Fault T6)', async () => {
  const first = await mqtt.login(lockA, { clean: false });
  first.send(subscribePacket(1, topics.build(lockA.deviceId, 'command')));
  await first.next();
  first.destroy();
  await until('it is gone', () => mqtt.stats().connectedLocks === 0);
  const second = await mqtt.raw();
  second.send(connectPacket({ ...own, clean: false }));
  expect([...(await second.next()).body]).toEqual([0, 0]);
});

test('the own will is accepted (Protocol 2)', async () => {
  const client = await mqtt.login(lockA, {
    will: { topic: topics.build(lockA.deviceId, 'status'), payload: 'offline', qos: 1, retain: true },
  });
  client.send(pingPacket);
  expect((await client.next()).type).toBe(types.pingresp);
});

test('a connection that never sends CONNECT is closed (Fault T12)', async () => {
  await mqtt.stop();
  mqtt = await startMqtt({ limits: { connectTimeoutMs: 20 } });
  const silent = await mqtt.raw();
  await silent.closed;
});

test('what is pipelined behind a refused CONNECT has no effect (Fault T11)', async () => {
  const client = await mqtt.raw();
  client.send(connectPacket({ ...own, password: 'wrong' }), publishPacket(topics.build(lockA.deviceId, 'events'), '{}', 1));
  expect((await client.next()).body[1]).toBe(4);
  await client.closed;
  expect(mqtt.reports.told).toEqual([]);
});

test('LockLink.disconnect ends a login that is still under way, and a renewed key is refused at once (Protocol 5.4)', async () => {
  const byDevice = mqtt.locks.byDevice;
  let reads = 0;
  mqtt.locks.byDevice = (deviceId) => {
    // The second look, within the login: somebody removed the lock meanwhile.
    if (++reads === 2) mqtt.sender.disconnect(lockA.lockId, 'removed');
    return byDevice(deviceId);
  };
  const client = await mqtt.raw();
  client.send(connectPacket(own));
  await client.closed;
  expect(client.received).toEqual([]);
  mqtt.locks.locks.delete(lockA.deviceId);
  expect(await answerTo(own)).toBe(4);
});

test('a key that changes while the login is under way is refused (Protocol 2)', async () => {
  const byDevice = mqtt.locks.byDevice;
  let reads = 0;
  mqtt.locks.byDevice = (deviceId) => {
    const lock = byDevice(deviceId);
    return lock && ++reads > 1 ? { ...lock, driver: { ...lock.driver, keyHash: 'another' } } : lock;
  };
  expect(await answerTo(own)).toBe(5);
});

test('a hook that throws costs only that client its connection (Fault T15)', async () => {
  const other = await mqtt.online(lockB);
  mqtt.locks.byDevice = () => {
    throw new Error('a bug');
  };
  const client = await mqtt.raw();
  client.send(connectPacket(own));
  await client.closed;
  other.send(pingPacket);
  expect((await other.next()).type).toBe(types.pingresp);
  expect(mqtt.stats().hookFailures).toBe(1);
});

describe('whether the broker answers is asked by this machine', () => {
  test('as often as it likes: refused with 5, and nothing is counted or written down', async () => {
    const before = mqtt.stats();
    for (let asked = 0; asked < 10; asked++) expect(await checkListener({ ...mqtt.address(), scheme: 'mqtt' })).toBe('ok');
    expect(await answerTo({ clientId: checkerId })).toBe(5);
    await until('they are gone', () => mqtt.stats().openConnections === 0);
    // Whether a read was put off is for the machine to say: it is when a turn takes long.
    expect(mqtt.stats()).toEqual({ ...before, readsPutOff: expect.any(Number) });
    expect(mqtt.log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('while others fill every place, too, and the lock that is there stays (Fault T12)', async () => {
    await mqtt.stop();
    mqtt = await startMqtt({ limits: { maxPerAddress: 5 } });
    const lock = await mqtt.login(lockA);
    for (let silent = 0; silent < 10; silent++) await mqtt.raw();
    expect(await checkListener({ ...mqtt.address(), scheme: 'mqtt' })).toBe('ok');
    lock.send(pingPacket);
    expect((await lock.next()).type).toBe(types.pingresp);
  });

  test('and by nobody else: from another address it is a failed login like any other', async () => {
    const stranger = await openRaw(mqtt.address(), '127.0.0.2');
    stranger.send(connectPacket({ clientId: checkerId }));
    expect((await stranger.next()).body[1]).toBe(2);
    await stranger.closed;
    expect(mqtt.stats().refusedConnections).toEqual({ 'client-id': 1 });
  });
});

// The table of who may connect, publish, subscribe and receive (Protocol 2 and 3, Fault T11).
import { describe, expect, test } from '@jest/globals';
import type { ConnectRequest } from '../../../src/broker/client-handlers.ts';
import type { DeviceId } from '../../../src/domain/locks/lock.ts';
import {
  decideConnect,
  decideForward,
  decideHubForward,
  decideHubPublish,
  decideHubSubscribe,
  decidePendingPublish,
  decidePublish,
  decideSubscribe,
} from '../../../src/drivers/native/access.ts';
import { identityOf, lockBehind } from '../../../src/drivers/native/identity.ts';
import { createTopics, reportChannels } from '../../../src/drivers/native/topics.ts';
import { behind as behindHub, createFakeHubs, createFakeLocks, hub, lockA, lockB, secrets } from '../../support/mqtt-fakes.ts';

const topics = createTopics('latchd/v1');
const locks = createFakeLocks(lockA, lockB);
const a = lockA.deviceId;
const b = lockB.deviceId;

const good: ConnectRequest = {
  ...{ clientId: a, username: a, password: Buffer.from(lockA.key), protocolId: 'MQTT', protocolVersion: 4, keepalive: 60 },
};
const will = { topic: `latchd/v1/${a}/status`, payload: Buffer.from('offline'), qos: 1, retain: true };
const hubs = createFakeHubs();
const credentialsOf = (deviceId: DeviceId) => identityOf({ locks, hubs }, deviceId);
const rules = { topics, secrets, credentialsOf, isPairingOpen: () => false };
const decide = (request: ConnectRequest) => decideConnect(request, rules);

describe('a lock may connect (Protocol 2)', () => {
  test.each<[string, Partial<ConnectRequest>]>([
    ['with client id = username = deviceId and its key', {}],
    ['with keep alive 1', { keepalive: 1 }],
    ['with keep alive 120', { keepalive: 120 }],
    ['with its own will', { will }],
  ])('%s', (_title, changes) => {
    expect(decide({ ...good, ...changes })).toMatchObject({ allow: true, credentials: { lockId: lockA.lockId, deviceId: a } });
  });
});

describe('everybody else is refused at CONNECT (Protocol 2)', () => {
  test.each<[string, Partial<ConnectRequest>, number, string, boolean]>([
    ['MQTT 3.1', { protocolId: 'MQIsdp', protocolVersion: 3 }, 1, 'protocol', true],
    ['MQTT 5', { protocolVersion: 5 }, 1, 'protocol', true],
    ['a bridge', { bridgeMode: true }, 1, 'protocol', true],
    ['the client id of another lock', { clientId: b }, 2, 'client-id', true],
    ['no client id', { clientId: '' }, 2, 'client-id', true],
    ['no username', { username: undefined }, 2, 'client-id', true],
    ['no client id and no username', { clientId: '', username: '' }, 2, 'client-id', true],
    ['an unknown lock', { clientId: '0123456789ab', username: '0123456789ab' }, 4, 'key', true],
    ['upper case', { clientId: a.toUpperCase(), username: a.toUpperCase() }, 4, 'key', true],
    ['a name with a wildcard', { clientId: '+', username: '+' }, 4, 'key', true],
    ['an inherited name', { clientId: '__proto__', username: '__proto__' }, 4, 'key', true],
    ['no key', { password: undefined }, 4, 'key', true],
    ['an empty key', { password: Buffer.alloc(0) }, 4, 'key', true],
    ['the key of another lock', { password: Buffer.from(lockB.key) }, 4, 'key', true],
    ['a key with a NUL behind it', { password: Buffer.from(`${lockA.key}\0`) }, 4, 'key', true],
    ['a key beyond 512 bytes', { password: Buffer.alloc(513, 'x') }, 4, 'key', true],
    ['keep alive 0', { keepalive: 0 }, 2, 'keep-alive', false],
    ['keep alive 121', { keepalive: 121 }, 2, 'keep-alive', false],
    ['a will on another lock', { will: { ...will, topic: `latchd/v1/${b}/status` } }, 5, 'will', false],
    ['a will on events', { will: { ...will, topic: `latchd/v1/${a}/events` } }, 5, 'will', false],
    ['a will that says online', { will: { ...will, payload: 'online' } }, 5, 'will', false],
    ['a will with QoS 0', { will: { ...will, qos: 0 } }, 5, 'will', false],
    ['a will with QoS 2', { will: { ...will, qos: 2 } }, 5, 'will', false],
    ['a will that is not retained', { will: { ...will, retain: false } }, 5, 'will', false],
    ['a $SYS will', { will: { ...will, topic: '$SYS/status' } }, 5, 'will', false],
  ])('%s', (_title, changes, code, reason, failedLogin) => {
    expect(decide({ ...good, ...changes } as ConnectRequest)).toEqual({ allow: false, code, reason, failedLogin });
  });

  test('an unknown lock costs the same comparison as a wrong key', () => {
    const compared: string[] = [];
    const spying = { ...secrets, equal: (_hash: string, y: string) => compared.push(y) < 0 };
    for (const name of [a, '0123456789ab']) {
      decideConnect({ ...good, clientId: name, username: name }, { ...rules, secrets: spying });
    }
    expect(compared.map((hash) => hash.length)).toEqual([64, 64]);
  });

  test('an unregistered lock is refused even with a key whose hash is the one compared for nobody', () => {
    const generous = { hash: () => '0'.repeat(64), equal: () => true };
    const stranger = { ...good, clientId: '0123456789ab', username: '0123456789ab' };
    expect(decideConnect(stranger, { ...rules, secrets: generous })).toMatchObject({
      allow: false,
      reason: 'key',
    });
  });
});

describe('publishing (Protocol 3)', () => {
  test.each(reportChannels.map((channel) => [channel]))('its own %s is allowed', (channel) => {
    expect(decidePublish(lockA, topics.build(a, channel), topics)).toEqual({ allow: true, channel });
  });

  test.each([
    [`latchd/v1/${a}/command`, 'command-topic'],
    [`latchd/v1/${b}/state`, 'foreign-topic'],
    [`latchd/v1/${b}/command`, 'foreign-topic'],
    [`latchd/v1/${a}/settings`, 'unknown-topic'],
    [`latchd/v1/${a}/state/`, 'unknown-topic'],
    [`latchd/v1/${a}`, 'unknown-topic'],
    [`/latchd/v1/${a}/state`, 'unknown-topic'],
    [`latchd/v2/${a}/state`, 'unknown-topic'],
    [`LATCHD/v1/${a}/state`, 'unknown-topic'],
    [`latchd/v1/${a.toUpperCase()}/state`, 'unknown-topic'],
    [`$share/g/latchd/v1/${a}/state`, 'unknown-topic'],
    ['$SYS/x', 'unknown-topic'],
    ['', 'unknown-topic'],
  ])('%s is refused', (topic, reason) => {
    expect(decidePublish(lockA, topic, topics)).toEqual({ allow: false, reason });
  });
});

describe('subscribing (Protocol 3)', () => {
  test('the own command topic is allowed', () => {
    expect(decideSubscribe(lockA, `latchd/v1/${a}/command`, topics)).toEqual({ allow: true });
  });

  test.each([
    ['#', 'wildcard'],
    ['+/+/+/+', 'wildcard'],
    [`latchd/v1/${a}/#`, 'wildcard'],
    [`latchd/v1/+/command`, 'wildcard'],
    [`latchd/v1/${b}/command`, 'foreign-topic'],
    [`latchd/v1/${a}/state`, 'report-topic'],
    [`$share/g/latchd/v1/${a}/command`, 'unknown-topic'],
    ['$SYS/broker', 'unknown-topic'],
    ['', 'unknown-topic'],
  ])('%s is refused', (filter, reason) => {
    expect(decideSubscribe(lockA, filter, topics)).toEqual({ allow: false, reason });
  });
});

test('whatever the subscription, a lock receives its own commands only (Fault T11)', () => {
  expect(decideForward(lockA, `latchd/v1/${a}/command`, topics)).toBe(true);
  expect(decideForward(lockA, `latchd/v1/${b}/command`, topics)).toBe(false);
  expect(decideForward(lockA, `latchd/v1/${a}/state`, topics)).toBe(false);
  expect(decideForward(lockA, '$SYS/x', topics)).toBe(false);
});

describe('a hub and the locks behind it (Protocol 8)', () => {
  const behind = createFakeLocks(lockA, lockB);
  behind.locks.set(a, behindHub(hub, lockA));
  const bound = (deviceId: DeviceId) => lockBehind(behind, hub.deviceId, deviceId);
  const login = (deviceId: string, key: string) =>
    decideConnect(
      { ...good, clientId: deviceId, username: deviceId, password: Buffer.from(key) },
      { ...rules, credentialsOf: (id) => identityOf({ locks: behind, hubs }, id) },
    );

  test('a hub logs in with its deviceId and key; a lock behind it has no login of its own, whatever its key', () => {
    expect(login(hub.deviceId, hub.key)).toMatchObject({ allow: true, credentials: { kind: 'hub', deviceId: hub.deviceId } });
    expect(login(hub.deviceId, lockA.key)).toMatchObject({ allow: false, reason: 'key' });
    expect(login(a, lockA.key)).toMatchObject({ allow: false, reason: 'key' });
    expect(login(a, hub.key)).toMatchObject({ allow: false, reason: 'key' });
    expect(login(b, lockB.key)).toMatchObject({ allow: true, credentials: { kind: 'lock', deviceId: b } });
  });

  test.each(reportChannels.map((channel) => [channel]))('it publishes the %s of a lock bound to it, and of no other', (channel) => {
    const mine = decideHubPublish(hub.deviceId, topics.build(a, channel), topics, bound);
    expect(mine).toMatchObject({ allow: true, channel, lock: { lockId: lockA.lockId } });
    const other = decideHubPublish(hub.deviceId, topics.build(b, channel), topics, bound);
    expect(other).toEqual({ allow: false, reason: 'foreign-topic' });
  });

  test.each([
    [`latchd/v1/${hub.deviceId}/hello`, 'hub-topic'],
    [`latchd/v1/${hub.deviceId}/events`, 'hub-topic'],
    [`latchd/v1/${hub.deviceId}/command`, 'hub-topic'],
    [`latchd/v1/${a}/command`, 'command-topic'],
    [`latchd/v1/0123456789ab/state`, 'foreign-topic'],
    [`latchd/v1/+/state`, 'unknown-topic'],
    ['$SYS/x', 'unknown-topic'],
  ])('it does not publish %s', (topic, reason) => {
    expect(decideHubPublish(hub.deviceId, topic, topics, bound)).toEqual({ allow: false, reason });
  });

  test('of its own topics it has status alone', () => {
    expect(decideHubPublish(hub.deviceId, topics.build(hub.deviceId, 'status'), topics, bound)).toEqual({ allow: true });
  });

  test.each([
    [`latchd/v1/${b}/command`, 'foreign-topic'],
    [`latchd/v1/${hub.deviceId}/command`, 'foreign-topic'],
    [`latchd/v1/${a}/state`, 'report-topic'],
    ['latchd/v1/+/command', 'wildcard'],
    ['#', 'wildcard'],
    ['$SYS/x', 'unknown-topic'],
  ])('it does not subscribe to %s', (filter, reason) => {
    expect(decideHubSubscribe(filter, topics, bound)).toEqual({ allow: false, reason });
  });

  test('it subscribes to and receives the commands of its locks alone', () => {
    expect(decideHubSubscribe(topics.build(a, 'command'), topics, bound)).toEqual({ allow: true });
    expect(decideHubForward(topics.build(a, 'command'), topics, bound)).toBe(true);
    for (const topic of [topics.build(b, 'command'), topics.build(a, 'state'), '$SYS/x']) {
      expect(decideHubForward(topic, topics, bound)).toBe(false);
    }
  });
});

describe('with pairing open (Protocol 7)', () => {
  const ownKey = 'k'.repeat(22);
  const open = (request: Partial<ConnectRequest>) => decideConnect({ ...good, ...request }, { ...rules, isPairingOpen: () => true });
  const stranger = { clientId: '0123456789ab', username: '0123456789ab', password: Buffer.from(ownKey) };

  test('an unknown device may wait, and a registered one with another key', () => {
    const keyHash = secrets.hash(ownKey);
    expect(open(stranger)).toEqual({ allow: true, unknown: { deviceId: '0123456789ab', keyHash } });
    expect(open({ password: Buffer.from(ownKey) })).toEqual({ allow: true, unknown: { deviceId: a, keyHash } });
    expect(open({})).toMatchObject({ allow: true, credentials: { deviceId: a } });
  });

  test.each<[string, Partial<ConnectRequest>, string]>([
    ['a key of 21 characters', { password: Buffer.from('k'.repeat(21)) }, 'key'],
    ['a key with a blank in it', { password: Buffer.from(`${ownKey} `) }, 'key'],
    ['a key that is not printable', { password: Buffer.from(`${ownKey}\u0007`) }, 'key'],
    ['a key that is no ASCII', { password: Buffer.from('ü'.repeat(30)) }, 'key'],
    ['a key beyond 512 bytes', { password: Buffer.alloc(513, 'x') }, 'key'],
    ['no key', { password: undefined }, 'key'],
    ['no deviceId', { clientId: 'lock', username: 'lock' }, 'key'],
    ['another client id', { clientId: a }, 'client-id'],
    ['keep alive 0', { keepalive: 0 }, 'keep-alive'],
    ['the will of a lock', { will }, 'will'],
  ])('not with %s', (_title, changes, reason) => {
    expect(open({ ...stranger, ...changes } as ConnectRequest)).toMatchObject({ allow: false, reason });
  });

  const device = '0123456789ab' as DeviceId;
  test.each([
    [`latchd/v1/${device}/hello`, { allow: true, channel: 'hello' }],
    [`latchd/v1/${device}/status`, { allow: true, channel: 'status' }],
    [`latchd/v1/${device}/state`, { allow: false, reason: 'not-paired' }],
    [`latchd/v1/${device}/events`, { allow: false, reason: 'not-paired' }],
    [`latchd/v1/${device}/reply`, { allow: false, reason: 'not-paired' }],
    [`latchd/v1/${device}/command`, { allow: false, reason: 'command-topic' }],
    [`latchd/v1/${a}/status`, { allow: false, reason: 'foreign-topic' }],
    ['$SYS/x', { allow: false, reason: 'unknown-topic' }],
  ])('publishing %s', (topic, decision) => {
    expect(decidePendingPublish(device, topic, topics)).toMatchObject(decision);
  });
});

// The table of who may connect, publish, subscribe and receive (Protocol 2 and 3, T11).
import { describe, expect, test } from '@jest/globals';
import { type ConnectRequest, decideConnect, decideForward, decidePublish, decideSubscribe } from '../../src/mqtt/access.ts';
import { createTopics, reportChannels } from '../../src/mqtt/topics.ts';
import { createFakeLocks, lockA, lockB, secrets } from '../support/mqtt-fakes.ts';

const topics = createTopics('latchd/v1');
const locks = createFakeLocks(lockA, lockB);
const a = lockA.deviceId;
const b = lockB.deviceId;

const good: ConnectRequest = {
  ...{ clientId: a, username: a, password: Buffer.from(lockA.key), protocolId: 'MQTT', protocolVersion: 4, keepalive: 60 },
};
const will = { topic: `latchd/v1/${a}/status`, payload: Buffer.from('offline'), qos: 1, retain: true };
const decide = (request: ConnectRequest) => decideConnect(request, { topics, secrets, credentialsOf: locks.byDevice });

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
      decideConnect({ ...good, clientId: name, username: name }, { topics, secrets: spying, credentialsOf: locks.byDevice });
    }
    expect(compared.map((hash) => hash.length)).toEqual([64, 64]);
  });

  test('an unregistered lock is refused even with a key whose hash is the one compared for nobody', () => {
    const generous = { hash: () => '0'.repeat(64), equal: () => true };
    const stranger = { ...good, clientId: '0123456789ab', username: '0123456789ab' };
    expect(decideConnect(stranger, { topics, secrets: generous, credentialsOf: locks.byDevice })).toMatchObject({
      allow: false,
      reason: 'key',
    });
  });
});

describe('publishing (Protocol 3)', () => {
  test.each(reportChannels.map((channel) => [channel]))('its own %s is allowed', (channel) => {
    expect(decidePublish(lockA, topics.build(a, channel), topics)).toEqual({ allow: true, channel, mayRetain: channel === 'status' });
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

test('whatever the subscription, a lock receives its own commands only (T11)', () => {
  expect(decideForward(lockA, `latchd/v1/${a}/command`, topics)).toBe(true);
  expect(decideForward(lockA, `latchd/v1/${b}/command`, topics)).toBe(false);
  expect(decideForward(lockA, `latchd/v1/${a}/state`, topics)).toBe(false);
  expect(decideForward(lockA, '$SYS/x', topics)).toBe(false);
});

// Fault T11 as a table, at the real broker: who may publish and subscribe to what, row by row, and that whoever else is there does not notice.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Caller } from '../../src/domain/accounts/account.ts';
import type { DeviceId, LockId } from '../../src/domain/locks/lock.ts';
import { behind, createFakeLocks, hub, lockA, lockB, type TestLock } from '../support/mqtt-fakes.ts';
import { helloText, type Mqtt, startMqtt, topics } from '../support/mqtt-gateway.ts';
import {
  connectPacket,
  messageIdOf,
  pingPacket,
  publishPacket,
  type RawClient,
  type RawConnect,
  subscribePacket,
  types,
} from '../support/mqtt-raw.ts';

/** Bound to the hub; lock A and lock B have a login of their own. */
const lockC: TestLock = { lockId: 9 as LockId, deviceId: 'a4c1387f02eb' as DeviceId, key: 'key-of-lock-c-0123456789' };
const newcomer = { deviceId: '0123456789ab' as DeviceId, key: 'made-by-the-lock-itself-1' };
const nobody = { deviceId: '0123456789ff' as DeviceId };

const identities = { 'lock A': lockA, 'lock B': lockB, 'lock C': lockC, hub, newcomer, nobody };
type Name = keyof typeof identities;
const channels = ['status', 'hello', 'state', 'battery', 'events', 'reply', 'command'] as const;

let mqtt: Mqtt;
let victim: RawClient;
let session: unknown;

beforeEach(async () => {
  const locks = createFakeLocks(lockA, lockB, lockC);
  locks.locks.set(lockC.deviceId, behind(hub, lockC));
  mqtt = await startMqtt({ locks });
  mqtt.pairing.open({ accountId: 1, username: 'admin', gatewayAdministrator: true } as Caller, 300);
  victim = await mqtt.online(lockB);
  session = mqtt.sender.session(lockB.lockId);
});
afterEach(async () => {
  mqtt.pairing.stop();
  await mqtt.stop();
});

/** Of lock B: the same connection and session, nothing reported of it, nothing received but the answer to its own ping. */
async function expectUndisturbed(): Promise<void> {
  const received = victim.received.length;
  victim.send(pingPacket);
  expect((await victim.next()).type).toBe(types.pingresp);
  expect([victim.received.length, victim.isClosed(), mqtt.sender.session(lockB.lockId)]).toEqual([received + 1, false, session]);
  expect(mqtt.reports.told.filter(([, lockId]) => lockId === lockB.lockId).map(([what]) => what)).toEqual(['hello']);
}

/** With the identity of whoever tried. */
function expectLogged(deviceId: DeviceId, message: string): void {
  expect(mqtt.log.lines).toContainEqual({ level: 'warn', fields: expect.objectContaining({ deviceId }) as object, message });
}

async function publishes(client: RawClient, topic: string): Promise<boolean> {
  const payload = topic.endsWith('hello') ? helloText() : topic.endsWith('status') ? 'offline' : '{}';
  client.send(publishPacket(topic, payload, 7, { retain: true }), pingPacket);
  const answers: number[] = [];
  try {
    while (answers.length < 2) answers.push((await client.next()).type);
  } catch {
    expect([client.isClosed(), answers.includes(types.puback)]).toEqual([true, false]);
    return false;
  }
  expect(answers.sort((a, b) => a - b)).toEqual([types.puback, types.pingresp]);
  return true;
}

async function subscribes(client: RawClient, filter: string): Promise<boolean> {
  client.send(subscribePacket(7, filter));
  const suback = await client.next();
  expect([suback.type, messageIdOf(suback)]).toEqual([types.suback, 7]);
  return suback.body[2] === 1;
}

/** By channel: `yes`, or the reason of the refusal. */
type Row = readonly [who: Name, of: Name, publish: Readonly<Record<string, string>>, subscribe: Readonly<Record<string, string>>];

const each = (answer: string, others: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(channels.map((channel) => [channel, others[channel] ?? answer]));
const ownReports = each('yes', { command: 'command-topic' });
const ownCommand = each('report-topic', { command: 'yes' });
const foreign = each('foreign-topic');

const rows: readonly Row[] = [
  ['lock A', 'lock A', ownReports, ownCommand],
  ['lock A', 'lock B', foreign, foreign],
  ['lock A', 'lock C', foreign, foreign],
  ['lock A', 'hub', foreign, foreign],
  ['lock A', 'newcomer', foreign, foreign],
  ['lock A', 'nobody', foreign, foreign],
  ['hub', 'hub', each('hub-topic', { status: 'yes' }), foreign],
  ['hub', 'lock C', ownReports, ownCommand],
  ['hub', 'lock A', foreign, foreign],
  ['hub', 'lock B', foreign, foreign],
  ['hub', 'newcomer', foreign, foreign],
  ['hub', 'nobody', foreign, foreign],
  ['newcomer', 'newcomer', each('not-paired', { status: 'yes', hello: 'yes', command: 'command-topic' }), each('not-paired')],
  ['newcomer', 'lock A', foreign, each('not-paired')],
  ['newcomer', 'lock B', foreign, each('not-paired')],
  ['newcomer', 'lock C', foreign, each('not-paired')],
  ['newcomer', 'hub', foreign, each('not-paired')],
  ['newcomer', 'nobody', foreign, each('not-paired')],
];

/** The reason that is counted once more than before. */
function newReason(now: Readonly<Record<string, number>>, before: Readonly<Record<string, number>>): string {
  const [reason, ...others] = Object.keys(now).filter((name) => now[name] !== before[name]);
  expect(others).toEqual([]);
  return reason ?? 'not counted';
}

test.each(rows)('%s, on the topics of %s (Fault T11)', async (who, of, publish, subscribe) => {
  const me = identities[who] as TestLock;
  const published: Record<string, string> = {};
  const subscribed: Record<string, string> = {};
  for (const channel of channels) {
    const topic = topics.build(identities[of].deviceId, channel);
    const before = mqtt.stats();
    const allowedTo = { publish: await publishes(await mqtt.login(me), topic), subscribe: await subscribes(await mqtt.login(me), topic) };
    const now = mqtt.stats();
    published[channel] = allowedTo.publish ? 'yes' : newReason(now.refusedPublishes, before.refusedPublishes);
    subscribed[channel] = allowedTo.subscribe ? 'yes' : newReason(now.refusedSubscriptions, before.refusedSubscriptions);
  }
  expect({ published, subscribed }).toEqual({ published: publish, subscribed: subscribe });
  expectLogged(me.deviceId, 'A publish was refused and the connection closed.');
  expectLogged(me.deviceId, 'A subscription was refused.');
  await expectUndisturbed();
});

describe.each(['lock A', 'hub', 'newcomer'] as const)('%s, on all other topics (Fault T11)', (who) => {
  const me = identities[who] as TestLock;

  test.each(['$SYS/broker/clients', `$share/g/latchd/v1/${lockB.deviceId}/state`, `latchd/v1/${me.deviceId}/status/x`, 'latchd/v1', 'x'])(
    'publish %s',
    async (topic) => {
      const client = await mqtt.login(me);
      expect(await publishes(client, topic)).toBe(false);
      expect(mqtt.stats().refusedPublishes).toEqual({ 'unknown-topic': 1 });
      await expectUndisturbed();
    },
  );

  test.each(['#', '+/#', '$SYS/#', 'latchd/v1/+/command', `latchd/v1/${lockB.deviceId}/#`, `$share/g/latchd/v1/${lockB.deviceId}/command`])(
    'subscribe to %s',
    async (filter) => {
      const client = await mqtt.login(me);
      expect(await subscribes(client, filter)).toBe(false);
      await expectUndisturbed();
    },
  );

  test(`many filters at once: each is answered for itself, whatever stands beside it`, async () => {
    const client = await mqtt.login(me);
    const own = who === 'hub' ? lockC.deviceId : me.deviceId;
    const filters = [...channels.map((channel) => topics.build(lockB.deviceId, channel)), topics.build(own, 'command'), '#'];
    client.send(subscribePacket(7, ...filters));
    const granted = [...(await client.next()).body.subarray(2)];
    expect(granted).toEqual(filters.map((filter) => (who !== 'newcomer' && filter === topics.build(own, 'command') ? 1 : 0x80)));
    await expectUndisturbed();
  });
});

const willOf = (deviceId: DeviceId, changes: Partial<NonNullable<RawConnect['will']>> = {}) => ({
  will: { topic: topics.build(deviceId, 'status'), payload: 'offline', qos: 1, retain: true, ...changes },
});

describe('CONNECT, and nothing behind it has an effect when it is refused (Fault T11)', () => {
  test.each<[what: string, who: { deviceId: DeviceId; key?: string }, changes: Partial<RawConnect>, connack: number]>([
    ['lock A as itself', lockA, {}, 0],
    ['lock A with its own will', lockA, willOf(lockA.deviceId), 0],
    ['lock A under the client id of lock B', lockA, { clientId: lockB.deviceId }, 2],
    ['lock A under the username of lock B, with its own client id', lockA, { username: lockB.deviceId }, 2],
    [
      'lock A as lock B, with its own key: it waits to be paired, and its status is not that of lock B',
      { ...lockB, key: lockA.key },
      {},
      0,
    ],
    ['lock A with a will of lock B', lockA, willOf(lockB.deviceId), 5],
    ['lock A with a will that is a command', lockA, willOf(lockA.deviceId, { topic: topics.build(lockA.deviceId, 'command') }), 5],
    ['lock A with a $SYS will', lockA, willOf(lockA.deviceId, { topic: '$SYS/x' }), 5],
    ['lock A with a will that is not retained', lockA, willOf(lockA.deviceId, { retain: false }), 5],
    ['lock A with a persistent session', lockA, { clean: false }, 0],
    ['the hub as itself', hub, willOf(hub.deviceId), 0],
    ['the hub under the client id of its lock', hub, { clientId: lockC.deviceId }, 2],
    ['the hub with a will of its lock', hub, willOf(lockC.deviceId), 5],
    ['the hub with a will of lock B', hub, willOf(lockB.deviceId), 5],
    ['a newcomer', newcomer, {}, 0],
    ['a newcomer under the client id of lock B', newcomer, { clientId: lockB.deviceId }, 2],
    ['a newcomer with a will of lock B', newcomer, willOf(lockB.deviceId), 5],
    ['nobody, without username and key', nobody, {}, 2],
    ['nobody, as lock B without a key', lockB, { username: lockB.deviceId, password: '' }, 4],
    ['nobody, as lock B with a key that is too short', lockB, { username: lockB.deviceId, password: 'guess' }, 4],
  ])('%s', async (_what, { deviceId, key }, changes, connack) => {
    const client = await mqtt.raw();
    const credentials = key === undefined ? {} : { username: deviceId, password: key };
    client.send(
      connectPacket({ clientId: deviceId, ...credentials, ...changes }),
      subscribePacket(1, topics.build(lockB.deviceId, 'command')),
      publishPacket(topics.build(lockB.deviceId, 'status'), 'offline', 2, { retain: true }),
      publishPacket('x', '', 3),
    );
    const { type, body } = await client.next();
    expect([type, body[0], body[1]]).toEqual([types.connack, 0, connack]);
    await client.closed;
    await expectUndisturbed();
  });

  test.each([
    ['a PUBLISH', publishPacket(topics.build(lockB.deviceId, 'status'), 'offline', 1)],
    ['a SUBSCRIBE', subscribePacket(1, '#')],
    ['a PINGREQ', pingPacket],
  ])('anonymous, without one: %s closes the connection', async (_what, packet) => {
    const client = await mqtt.raw();
    client.send(packet);
    await client.closed;
    expect([client.received, mqtt.stats().refusedFrames]).toEqual([[], { 'not-connected': 1 }]);
    await expectUndisturbed();
  });
});

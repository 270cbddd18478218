// Devices that log in: who may, where a session begins, what ends it. With a tiny make, a fake connection and a clock that moves only when told.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Authentication, ClientHandler, ConnectRequest } from '../../src/broker/client-handlers.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { Lock } from '../../src/domain/locks/lock.ts';
import type { CommandId } from '../../src/domain/locks/lock-command.ts';
import { createDeviceDriver } from '../../src/drivers/device-host.ts';
import type { DeviceKind, Effect } from '../../src/drivers/device-protocol.ts';
import type { DriverHost } from '../../src/drivers/driver-host.ts';
import { lockId, someLock } from '../support/domain.ts';
import { bareCapabilities } from '../support/fake-driver.ts';
import { createFakeLog, createFakeReports, secrets } from '../support/mqtt-fakes.ts';
import { createSettableClock, settled } from '../support/settable-clock.ts';

const number = '2BB28570';
const address = `tiny/${number}`;
const password = 'k3Vq0ZtT1hXy8sPq2LmN';
const username = 'tiny-2bb28570';
const flags = { qos: 1, retain: true } as const;
const id = 'id-1' as CommandId;

function setUp() {
  const clock = createSettableClock();
  const log = createFakeLog();
  const reports = createFakeReports();
  const heard: string[] = [];
  const wire: unknown[] = [];
  const emitted: unknown[] = [];
  const counted = { foreign: 0 };
  const watched = { isOn: false };
  const listening = { host: '192.168.20.1', port: 1883 as number | null, tlsPort: null as number | null };
  const effects: { next: readonly Effect[] } = { next: [] };
  const said = (word: string): readonly Effect[] => {
    heard.push(word);
    if (word === 'break') throw new Error('no such word');
    const { next } = effects;
    effects.next = [];
    return next;
  };
  const tiny: DeviceKind<{ readonly nukiId: string }> = {
    kind: 'tiny',
    schema: z.strictObject({ kind: z.literal('tiny'), nukiId: z.string('must be text').regex(/^[0-9A-F]{8}$/, 'must be 8 digits') }),
    address: ({ nukiId }) => nukiId,
    deviceIdOf: ({ nukiId }) => nukiId,
    prefixes: ({ nukiId }) => [`tiny/${nukiId}/`],
    commandTopics: ({ nukiId }) => [`tiny/${nukiId}/lock`, `tiny/${nukiId}/light`],
    capabilities: () => bareCapabilities,
    alwaysSends: (_options, op) => op === 'unlock',
    create: () => ({
      begin: () => said('begin'),
      hear: ({ payload }) => said(payload.toString()),
      command: ({ op }) => [{ kind: 'publish', topic: `${address}/lock`, payload: op }],
      expire: () => [],
      wake: () => [],
    }),
  };
  const locks = new Map<string, Lock>();
  const of = (lock: Lock): Lock => lock;
  const lock = of({
    ...someLock(),
    deviceId: '02002bb28570' as Lock['deviceId'],
    driver: { kind: 'tiny', address: number, options: { nukiId: number }, keyHash: secrets.hash(password) },
  });
  locks.set(lock.deviceId, lock);
  const host: DriverHost = {
    ...{ clock, log, secrets, reports },
    locks: { get: (one) => [...locks.values()].find(({ lockId: other }) => other === one), byDevice: (device) => locks.get(device) },
    eventRecords: {
      ...{ name: 'records', start: async () => undefined, stop: async () => undefined },
      live: () => 'acknowledge',
      numbered: () => 'acknowledge',
      lost: () => undefined,
      sent: () => undefined,
      ended: () => 'acknowledge',
    },
    emit: (name, payload) => void emitted.push([name, payload]),
    captures: { isOn: (kind) => watched.isOn && kind === 'tiny', heard: (...line) => void wire.push(line) },
    deviceLogin: () => listening,
    droppedForeign: () => void counted.foreign++,
  };
  const { driver, handlers } = createDeviceDriver(tiny, host);

  function connect(changes: Partial<ConnectRequest> = {}, isEncrypted = false) {
    const ended: string[] = [];
    const published: string[] = [];
    const state = { silentMs: 0, client: undefined as ClientHandler | undefined };
    const end = (how: string) => (reason: string) => {
      if (ended.length > 0) return;
      ended.push(`${how}: ${reason}`);
      state.client?.onClose(reason);
    };
    const connection = {
      origin: { address: '192.168.20.7', network: '192.168.20.7' },
      ...{ listener: 'devices' as const, isEncrypted, isOpen: () => ended.length === 0, silentMs: () => state.silentMs },
      publish: (topic: string, payload: string, qos?: 0 | 1) => void published.push(`${topic} ${payload} ${qos}`),
      ...{ close: end('close'), reset: end('reset') },
    };
    const request = { clientId: 'SL3P', username, password: Buffer.from(password), keepalive: 30, ...changes };
    const answer: Authentication = handlers.authenticate(request, connection as Parameters<typeof handlers.authenticate>[1]);
    if (answer.allow) state.client = answer.client;
    const client = () => state.client as ClientHandler;
    const say = (text: string, topic = `${address}/state`) => client().onPublish(topic, Buffer.from(text), flags);
    const follow = () => {
      for (const topic of ['lock', 'light']) client().onSubscribed?.(`${address}/${topic}`);
    };
    return { answer, client, ended, published, state, say, follow };
  }
  const online = () => {
    const device = connect();
    effects.next = [{ kind: 'online', hello: { state: 'locked' } }];
    device.follow();
    return device;
  };
  return {
    clock,
    log,
    reports,
    heard,
    wire,
    emitted,
    counted,
    watched,
    listening,
    effects,
    locks,
    lock,
    driver,
    handlers,
    connect,
    online,
  };
}

let made: ReturnType<typeof setUp>;
beforeEach(() => {
  made = setUp();
});

describe('a login', () => {
  test('is by the user name and the password of a lock of this kind, whatever its client id, keep alive and will', () => {
    const { connect, handlers } = made;
    const will = { topic: 'elsewhere', payload: 'gone', qos: 2, retain: true };
    for (const changes of [{}, { clientId: '', keepalive: 0 }, { keepalive: 65_535, will, protocolVersion: 3 }]) {
      const { answer, client } = connect(changes);
      expect(answer.allow).toBe(true);
      expect([client().clientId, client().identity(), client().isWelcome()]).toEqual([
        'tiny/02002bb28570',
        { lockId, deviceId: '02002bb28570' },
        true,
      ]);
    }
    expect(handlers.owns(username)).toBe(true);
    for (const other of ['tiny-hub-2bb28570', 'tiny-2bb285', 'tiny-2BB28570', '02002bb28570', 'tiny2bb28570'])
      expect(handlers.owns(other)).toBe(false);
  });

  test('with another password, name or kind is a failed one, which the network pays for', () => {
    const { connect, locks, lock } = made;
    const wrong = [{ password: Buffer.from('wrong') }, { password: Buffer.alloc(0) }, { password: Buffer.alloc(513, 'x') }];
    for (const changes of [...wrong, { username: 'tiny-00000000' }, { username: 'other-2bb28570' }])
      expect(connect(changes).answer).toEqual({ allow: false, code: 4, reason: 'key', failedLogin: true });
    // Whatever is that long costs no hash, though it were the password.
    locks.set(lock.deviceId, { ...lock, driver: { ...lock.driver, keyHash: secrets.hash('x'.repeat(513)) } });
    expect(connect({ password: Buffer.alloc(513, 'x') }).answer).toMatchObject({ allow: false, code: 4 });
    locks.set(lock.deviceId, { ...lock, driver: { ...lock.driver, kind: 'native' } });
    expect(connect().answer).toMatchObject({ allow: false, code: 4 });
    locks.set(lock.deviceId, { ...lock, driver: { ...lock.driver, keyHash: null } });
    expect(connect({ password: Buffer.from('0') }).answer).toMatchObject({ allow: false, code: 4 });
  });

  test('of a device of which half the settings are stored is refused, and the log says so', () => {
    const { connect, locks, lock, log } = made;
    locks.set(lock.deviceId, { ...lock, driver: { ...lock.driver, options: {} } });
    expect(connect().answer).toMatchObject({ allow: false, code: 3, failedLogin: false });
    expect(log.lines).toMatchObject([{ fields: { code: 'driver-unusable', lockId, kind: 'tiny' } }]);
  });

  test('that was right is not welcome any more when the lock was removed or given another password meanwhile', () => {
    const { connect, locks, lock } = made;
    const { client } = connect();
    locks.set(lock.deviceId, { ...lock, driver: { ...lock.driver, keyHash: 'another' } });
    expect(client().isWelcome()).toBe(false);
    locks.clear();
    expect(client().isWelcome()).toBe(false);
  });

  test('takes over the earlier connection of the lock, whose end takes nothing from the new one', async () => {
    const { connect, driver, effects, online } = made;
    const first = online();
    const session = driver.session(lockId);
    expect(session).toBeDefined();
    const sent = session?.send({ op: 'unlock' }, id, 5_000);
    const second = connect();
    expect(first.ended).toEqual(['close: taken over by a new connection of the same lock']);
    expect(await sent).toEqual({ kind: 'lost' });
    expect(driver.session(lockId)).toBeUndefined();
    effects.next = [{ kind: 'online', hello: {} }];
    second.follow();
    expect(driver.session(lockId)).toBeDefined();
    expect(driver.session(lockId)).not.toBe(session);
  });

  test('that comes all the time is refused for a while, and the connection that is there stays', () => {
    const { connect, log } = made;
    const all = Array.from({ length: 61 }, () => connect());
    expect(all.at(-1)?.answer).toMatchObject({ allow: false, code: 3, reason: 'too-many-logins', failedLogin: false });
    expect(all.at(-2)?.ended).toEqual([]);
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { code: 'connection-taken-over', lockId } }]);
  });

  test('after the end of the connection before takes nothing over', () => {
    const { connect, log } = made;
    for (let n = 0; n < 5; n++) connect().client().onClose('it left');
    expect(log.lines).toEqual([]);
  });

  test('says whether the lock is encrypted now', () => {
    const { connect, driver, lock, emitted } = made;
    connect({}, true);
    expect([driver.capabilities(lock).encrypted, emitted]).toEqual([true, [['capabilities-changed', { lockId }]]]);
    connect({}, true);
    connect({}, false);
    expect([driver.capabilities(lock).encrypted, emitted.length]).toEqual([false, 2]);
  });
});

describe('a session', () => {
  test('begins when the device has subscribed to all topics of its commands, once, though it has spoken before', () => {
    const { connect, heard, effects, driver, reports } = made;
    const { client, say, follow } = connect();
    expect(say('1')).toBe('acknowledge');
    client().onSubscribed?.(`${address}/lock`);
    expect(heard).toEqual(['1']);
    effects.next = [{ kind: 'online', hello: { state: 'locked' } }];
    client().onSubscribed?.(`${address}/#`);
    expect([heard, driver.session(lockId)?.lockId]).toEqual([['1', 'begin'], lockId]);
    follow();
    expect(heard).toEqual(['1', 'begin']);
    expect(reports.told).toEqual([['hello', lockId, { state: 'locked' }]]);
  });

  test('ends with the connection, and with the lock', () => {
    const { online, driver, reports, emitted, effects, locks, lock } = made;
    const first = online();
    first.client().onClose('it left');
    expect([driver.session(lockId), reports.told.at(-1)]).toEqual([undefined, ['offline', lockId]]);
    const second = online();
    effects.next = [{ kind: 'capabilities', changed: { passcodes: true } }];
    void second.say('1');
    locks.clear();
    driver.disconnect(lockId, 'the lock was removed');
    expect([second.ended, driver.session(lockId)]).toEqual([['close: the lock was removed'], undefined]);
    expect(driver.capabilities(lock)).toEqual(bareCapabilities);
    expect(emitted).toHaveLength(1);
  });

  test('is ended by a bug in its protocol alone, and the log has it', () => {
    const { online, log } = made;
    const { say, ended } = online();
    void say('break');
    expect(ended).toEqual(['close: a message could not be handled']);
    expect(log.lines).toMatchObject([{ level: 'error', fields: { code: 'bug', lockId, kind: 'tiny' } }]);
  });
});

describe('what a device says and is sent', () => {
  test('counts on its own topics alone; what it says elsewhere is acknowledged, counted and heard by nobody', () => {
    const { online, heard, counted } = made;
    const { say, client } = online();
    for (const topic of ['tiny/11111111/state', 'homeassistant/lock/x/config', `tiny/${number}0/state`, 'latchd/v1/a4c1387f02e9/hello'])
      expect(say('1', topic)).toBe('acknowledge');
    expect([heard, counted.foreign]).toEqual([['begin'], 4]);
    for (const filter of ['#', 'tiny/#', 'tiny/11111111/lock', '+/+/lock', '$SYS/#'])
      expect([client().authorizeSubscribe(filter), client().mayReceive(filter)]).toEqual([
        { allow: false, reason: 'foreign-topic' },
        false,
      ]);
    for (const filter of [`${address}/#`, `${address}/lock`]) expect(client().authorizeSubscribe(filter)).toEqual({ allow: true });
    expect(client().mayReceive(`${address}/lock`)).toBe(true);
  });

  test('is a command with quality of service 0, and a reset when it is not answered in time', async () => {
    const { online, driver, clock } = made;
    const { published, ended, client } = online();
    const sent = driver.session(lockId)?.send({ op: 'unlock' }, id, 5_000);
    await settled();
    expect([published, client().isUrgent(), client().endsByReset]).toEqual([[`${address}/lock unlock 0`], true, true]);
    await clock.advance(5_000);
    expect([ended, await sent]).toEqual([['reset: it did not answer in time'], { kind: 'no-reply' }]);
    expect(driver.session(lockId)).toBeUndefined();
  });

  test('is no command when it was silent for longer than its keep alive, of which 300 s count', async () => {
    const { connect, effects, driver, clock } = made;
    const sendTo = async (keepalive: number, silentMs: number) => {
      const { follow, state, published, client } = connect({ keepalive });
      effects.next = [{ kind: 'online', hello: {} }];
      follow();
      state.silentMs = silentMs;
      void driver.session(lockId)?.send({ op: 'unlock' }, id, 5_000);
      await settled();
      await clock.advance(0);
      return [published, client().keepAliveSeconds, client().usesTcpKeepAlive];
    };
    const unlocked = [`${address}/lock unlock 0`];
    const asked = [`${address}/lock get-status 0`];
    expect(await sendTo(30, 30_000)).toEqual([unlocked, 30, false]);
    expect(await sendTo(30, 30_001)).toEqual([asked, 30, false]);
    expect(await sendTo(3_600, 300_001)).toEqual([asked, 300, false]);
    // TCP proves its life.
    expect(await sendTo(0, 3_600_000)).toEqual([unlocked, 0, true]);
  });

  test('is shown to whoever watches, without the password, and costs nothing while nobody does', async () => {
    const { connect, driver, effects, wire, watched } = made;
    connect();
    expect(wire).toEqual([]);
    watched.isOn = true;
    const { follow, say } = connect({ clean: false, will: { topic: 'w', payload: Buffer.from('gone'), qos: 1, retain: true } });
    effects.next = [{ kind: 'online', hello: {} }];
    follow();
    void say('1');
    void say('2', 'elsewhere');
    void driver.session(lockId)?.send({ op: 'lock' }, id, 5_000);
    await settled();
    const will = { topic: 'w', qos: 1, retain: true, payload: 'gone' };
    expect(wire).toMatchObject([
      ['tiny', lockId, { from: 'device', connect: { clientId: 'SL3P', keepAlive: 30, clean: false, will } }],
      ['tiny', lockId, { from: 'device', topic: `${address}/state`, ...flags, payload: '1' }],
      ['tiny', lockId, { from: 'device', topic: 'elsewhere', ...flags, payload: '2' }],
      ['tiny', lockId, { from: 'gateway', topic: `${address}/lock`, qos: 0, retain: false, payload: 'lock' }],
    ]);
    expect(JSON.stringify(wire)).not.toContain(password);
  });
});

describe('a kind', () => {
  test('describes a device by its schema, with all that is wrong by path', () => {
    const { driver } = made;
    expect(driver.describe?.({ nukiId: number })).toEqual({ deviceId: '02002bb28570', address: number, options: { nukiId: number } });
    for (const [given, parameters] of [
      [{ nukiId: 'x' }, ['driver.nukiId']],
      [{ nukiId: 7, more: 1 }, ['driver.nukiId', 'driver']],
    ] as const)
      expect(() => driver.describe?.(given)).toThrow(
        expect.objectContaining({
          code: 'invalid-parameter',
          parameters: parameters.map((parameter) => expect.objectContaining({ parameter })),
        }),
      );
  });

  test('says where its devices log in, which is a conflict while nothing listens for them', () => {
    const { driver, listening, lock } = made;
    const device = { deviceId: lock.deviceId, address: number, options: { nukiId: number } };
    expect(driver.login?.(device)).toEqual({ host: '192.168.20.1', port: 1883, tlsPort: null, username });
    Object.assign(listening, { port: null, tlsPort: 8883 });
    expect(driver.login?.(device)).toMatchObject({ port: null, tlsPort: 8883 });
    listening.tlsPort = null;
    expect(() => driver.login?.(device)).toThrow(DomainError);
  });

  test('adds to its capabilities what is learned of a lock, and says when they change', () => {
    const { online, effects, driver, lock, emitted } = made;
    const { say } = online();
    for (let n = 0; n < 2; n++) {
      effects.next = [{ kind: 'capabilities', changed: { warnings: ['actions-off'] } }];
      void say('1');
    }
    expect(driver.capabilities(lock)).toEqual({ ...bareCapabilities, warnings: ['actions-off'] });
    expect(emitted).toEqual([['capabilities-changed', { lockId }]]);
    expect([driver.alwaysSends?.(lock, 'unlock'), driver.alwaysSends?.(lock, 'lock')]).toEqual([true, false]);
  });
});

// The lock's line to a real broker; what the broker hears is what a gateway would.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFleetLock, type FleetLock } from '../../device-sim/fleet-lock.ts';
import type { LockHandle } from '../../device-sim/lock-handle.ts';
import { completeProfile, type LockProfileInput, lockProfile } from '../../device-sim/lock-profile.ts';
import { createSystemTime, type TimeSource } from '../../device-sim/time-source.ts';
import type { DeviceId } from '../../src/domain/locks/lock.ts';
import { createTopics } from '../../src/drivers/native/topics.ts';
import { type ListeningBroker, startListeningBroker } from './support/listening-broker.ts';
import { createSettableTime } from './support/settable-time.ts';

const deviceId = 'a4c1387f02e9' as DeviceId;
let folder: string;
let broker: ListeningBroker;
let made: FleetLock | undefined;
let told: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'line-'));
  broker = await startListeningBroker();
  told = [];
});

afterEach(async () => {
  await made?.stop();
  await broker.stop();
  await rm(folder, { recursive: true });
});

async function connected(profile: LockProfileInput = {}, time: TimeSource = createSystemTime()): Promise<LockHandle> {
  made = await createFleetLock({
    number: 1,
    name: 'Test',
    deviceId,
    profile: completeProfile(lockProfile.parse({ boltTravelMs: 5, autoLockSeconds: 0, ...profile })),
    file: join(folder, 'lock.json'),
    flush: false,
    url: broker.url,
    topics: createTopics('latchd/v1'),
    reconnect: { minMs: 10, maxMs: 40 },
    seed: 1,
    time,
    hub: undefined,
    pairs: false,
    tell: (line) => told.push(line),
    onTurnedAway: () => told.push('turned away'),
  });
  made.memory.change({ deviceKey: 'the-key' });
  made.connect();
  await made.handle.whenOnline();
  await broker.until(({ channel }) => channel === 'status');
  return made.handle;
}

function unlock(lock: LockHandle, id: string, changes: object = {}): object {
  const command = { id, session: lock.session, op: 'unlock', args: {}, expires: 1_000_000, ttl: 10_000, ...changes };
  broker.command(deviceId, command);
  return command;
}

const replyTo = (id: string): Promise<unknown> =>
  broker.until(({ channel, payload }) => channel === 'reply' && JSON.parse(payload).id === id).then(({ payload }) => JSON.parse(payload));
const channels = (): string[] => broker.heard.map(({ channel }) => channel);
const eventsHeard = (): number[][] =>
  broker.heard
    .filter(({ channel }) => channel === 'events')
    .map(({ payload }) => JSON.parse(payload).events.map(({ seq }: { seq: number }) => seq));

describe('the line of a lock', () => {
  it('comes in as its deviceId with its key, a will on its status, and a clean session (Protocol 2)', async () => {
    const keys: unknown[] = [];
    broker.admit((...pair) => keys.push(pair) > 0);
    await connected();
    expect(keys).toEqual([[deviceId, 'the-key']]);
    expect(broker.connects).toEqual([
      { clientId: deviceId, clean: true, keepalive: 30, protocolVersion: 4, will: `latchd/v1/${deviceId}/status offline 1 true` },
    ]);
  });

  it('says hello, state, battery and online, all at QoS 1, only status retained (Protocol 3, 4)', async () => {
    await connected();
    expect(broker.heard.map(({ channel, retain, qos }) => [channel, retain, qos])).toEqual([
      ['hello', false, 1],
      ['state', false, 1],
      ['battery', false, 1],
      ['status', true, 1],
    ]);
  });

  it('does what it is told and answers (Protocol 5)', async () => {
    const lock = await connected();
    unlock(lock, 'c1');
    expect(await replyTo('c1')).toEqual({ id: 'c1', ok: true, state: 'unlocked', battery: 100 });
    await lock.whenEventsAcknowledged();
    expect(eventsHeard()).toEqual([[1]]);
  });

  it('does not do it twice when it is told twice (Protocol 5.3 rule 2)', async () => {
    const lock = await connected();
    const command = unlock(lock, 'c1');
    const first = await replyTo('c1');
    await lock.turnThumb();
    broker.forget();
    broker.command(deviceId, command);
    expect(await replyTo('c1')).toEqual(first);
    expect(lock.state).toBe('locked');
  });

  it('comes back by itself with a new session, and refuses what was meant for the old one (Protocol 5.3 rule 1)', async () => {
    const lock = await connected();
    const { session } = lock;
    broker.forget();
    broker.kick();
    await broker.until(({ payload }) => payload === 'online');
    await lock.whenOnline();
    expect(lock.session).not.toBe(session);
    unlock(lock, 'c1', { session });
    expect(await replyTo('c1')).toEqual({ id: 'c1', ok: false, error: 'expired' });
    expect(lock.state).toBe('locked');
  });

  it('sends on the next connection what was not acknowledged on the last, backlog first (Protocol 4.4)', async () => {
    const lock = await connected();
    broker.holdEvents(true);
    lock.tamper();
    await broker.until(({ channel }) => channel === 'events');
    broker.kick();
    broker.forget();
    lock.tamper();
    broker.holdEvents(false);
    await broker.until(({ channel }) => channel === 'events');
    await lock.whenEventsAcknowledged();
    // In one message or, where the lock's disk is slow, in two.
    expect(eventsHeard().flat()).toEqual([1, 2]);
    const said = broker.heard.filter(({ payload }) => payload !== 'offline').map(({ channel }) => channel);
    expect(said.slice(0, 5)).toEqual(['hello', 'state', 'battery', 'status', 'events']);
  });

  it('opens doors while the gateway acknowledges no events (Protocol 4.4)', async () => {
    const lock = await connected();
    broker.holdEvents(true);
    lock.tamper();
    await broker.until(({ channel }) => channel === 'events');
    unlock(lock, 'c1');
    expect(await replyTo('c1')).toMatchObject({ ok: true });
    expect(lock.memory.events.length).toBeGreaterThan(0);
    broker.holdEvents(false);
    await lock.whenEventsAcknowledged();
  });

  it('says ok to resend-events only after the PUBACK of what it sent again (Protocol 5.1)', async () => {
    const lock = await connected();
    lock.tamper();
    await lock.whenEventsAcknowledged();
    broker.holdEvents(true);
    const { epoch } = lock.memory;
    unlock(lock, 'c1', { op: 'resend-events', args: { epoch, from: 1, to: 1 } });
    unlock(lock, 'c2', { op: 'get-status' });
    await replyTo('c2');
    expect(channels().filter((channel) => channel === 'reply')).toEqual(['reply']);
    broker.holdEvents(false);
    expect(await replyTo('c1')).toEqual({ id: 'c1', ok: true });
    expect(eventsHeard()).toEqual([[1], [1]]);
  });

  it('tries again after a broken connection, later each time, and not at all while its network is cut', async () => {
    const time = createSettableTime();
    const lock = await connected({}, time);
    broker.admit(() => false);
    broker.kick();
    while (time.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    lock.cutNetwork();
    expect(time.pending).toBe(0);
    broker.admit(() => true);
    lock.restoreNetwork();
    await lock.whenOnline();
    lock.cutNetwork();
    await broker.until(({ payload }) => payload === 'offline');
    while (lock.online) await new Promise((resolve) => setImmediate(resolve));
    expect(time.pending).toBe(0);
    lock.restoreNetwork();
    await lock.whenOnline();
    expect(broker.connects).toHaveLength(3);
  });

  it('stays away while its network is cut, and comes back when it is mended (Protocol 6)', async () => {
    const lock = await connected();
    broker.forget();
    lock.cutNetwork();
    await broker.until(({ channel, payload }) => channel === 'status' && payload === 'offline');
    expect(lock.online).toBe(false);
    lock.restoreNetwork();
    await lock.whenOnline();
    expect(channels()).toContain('hello');
  });

  it('thaws and refuses what was told while it was frozen and is late now (Protocol 5.3 rule 1)', async () => {
    const lock = await connected();
    lock.freeze();
    unlock(lock, 'late', { expires: -1 });
    unlock(lock, 'early');
    await broker.delivered();
    expect(channels()).not.toContain('reply');
    lock.thaw();
    expect(await replyTo('late')).toMatchObject({ error: 'expired' });
    expect(await replyTo('early')).toMatchObject({ ok: true });
  });

  it('does, when it thaws, what is not late, even when the gateway has given the connection up meanwhile', async () => {
    const lock = await connected();
    lock.freeze();
    unlock(lock, 'early');
    await broker.delivered();
    broker.forget();
    broker.kick();
    await broker.until(({ payload }) => payload === 'offline');
    lock.thaw();
    await broker.until(({ channel }) => channel === 'events');
    expect(lock.state).toBe('unlocked');
    expect(channels()).not.toContain('reply');
  });

  it('says offline when it goes in peace (Protocol 3)', async () => {
    await connected();
    await made?.stop();
    expect(broker.heard.at(-1)).toMatchObject({ channel: 'status', payload: 'offline', retain: true });
  });

  it('keeps going when told nonsense', async () => {
    const lock = await connected();
    broker.commandText(deviceId, 'open!');
    broker.commandText(deviceId, '{"id":"x"}');
    unlock(lock, 'c1');
    expect(await replyTo('c1')).toMatchObject({ ok: true });
    expect(told.filter((line) => line.startsWith('a command that cannot be understood'))).toHaveLength(2);
  });
});

describe('faults on the line', () => {
  it('doubles every PUBLISH, and half as many events messages are under way', async () => {
    const lock = await connected({ faults: { duplicates: true } });
    unlock(lock, 'c1');
    await replyTo('c1');
    await lock.whenEventsAcknowledged();
    await made?.stop();
    const counts = new Map<string, number>();
    for (const { channel, payload } of broker.heard) counts.set(`${channel} ${payload}`, (counts.get(`${channel} ${payload}`) ?? 0) + 1);
    expect([...counts.values()].every((count) => count % 2 === 0)).toBe(true);
    expect(lock.state).toBe('unlocked');
  });

  it('takes every command in twice, and keeps to 20 events messages without PUBACK all the same', async () => {
    const lock = await connected({ faults: { duplicates: true } });
    broker.forget();
    unlock(lock, 'c1', { op: 'lock' });
    await replyTo('c1');
    broker.leaveEvents(true);
    for (let times = 0; times < 12; times++) {
      lock.tamper();
      await lock.whenSaved();
    }
    unlock(lock, 'c2', { op: 'get-status' });
    await replyTo('c2');
    expect(eventsHeard()).toHaveLength(20);
    expect(broker.heard.filter(({ payload }) => payload.includes('"c1"'))).toHaveLength(4);
    broker.leaveEvents(false);
    broker.kick();
    await lock.whenEventsAcknowledged();
  });

  it('does not answer while it is silent, and does nothing either', async () => {
    const lock = await connected();
    lock.setSilent(true);
    unlock(lock, 'c1');
    await broker.delivered();
    lock.setSilent(false);
    unlock(lock, 'c2', { op: 'get-status' });
    await replyTo('c2');
    expect([channels().filter((channel) => channel === 'reply'), lock.state]).toEqual([['reply'], 'locked']);
  });

  it('breaks the connection before the reply, and says in the next hello what it did', async () => {
    const lock = await connected({ boltTravelMs: 1 });
    lock.script([{ kind: 'disconnect' }]);
    broker.forget();
    unlock(lock, 'c1');
    const { payload } = await broker.until(({ channel }) => channel === 'hello');
    expect(JSON.parse(payload).state).toBe('unlocked');
    expect(channels()).not.toContain('reply');
  });
});

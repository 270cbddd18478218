// From a payload to the report service, channel by channel (Protocol 4, 5.2 and 6).
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CommandId } from '../../../src/domain/locks/lock-command.ts';
import type { EventsReport } from '../../../src/domain/locks/lock-report.ts';
import { type CommandSender, createCommandSender } from '../../../src/drivers/native/command-sender.ts';
import { createReportReceiver, type ReportReceiver } from '../../../src/drivers/native/report-receiver.ts';
import type { ReportChannel } from '../../../src/drivers/native/topics.ts';
import { createManualClock, type ManualClock } from '../../support/mqtt-clock.ts';
import {
  allNew,
  createFakeConnection,
  createFakeLog,
  createFakeQuarantine,
  createFakeReports,
  createGate,
  type FakeConnection,
  type FakeLog,
  type FakeQuarantine,
  type FakeReports,
  lockA,
  lockB,
  storageUnavailable,
} from '../../support/mqtt-fakes.ts';
import { helloText, topics } from '../../support/mqtt-gateway.ts';

let clock: ManualClock;
let log: FakeLog;
let reports: FakeReports;
let quarantine: FakeQuarantine;
let sender: CommandSender;
let receiver: ReportReceiver;
let connection: FakeConnection;

beforeEach(() => {
  clock = createManualClock();
  log = createFakeLog();
  reports = createFakeReports();
  quarantine = createFakeQuarantine();
  sender = createCommandSender({ clock, log, topics, emit: () => undefined });
  receiver = createReportReceiver({ reports, sender, quarantine, clock, log });
  connection = createFakeConnection(lockA);
  receiver.connected(connection);
});

const say = (channel: ReportChannel, payload: unknown, from = connection) =>
  receiver.receive(from, channel, Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)));
const tell = (channel: ReportChannel, payload: unknown) => void say(channel, payload);
const settled = () => new Promise((resolve) => setImmediate(resolve));
const event = (seq: number) => ({ seq, type: 'tamper' });
const what = () => reports.told.map(([told]) => told);

test('before its hello a lock is not online: its state and battery are ignored, its events count (Protocol 4.1, 4.4)', async () => {
  tell('state', { session: 'session-1', state: 'locked' });
  tell('battery', { session: 'session-1', level: 5 });
  expect(await say('events', { epoch: 'e', events: [event(1)] })).toBe('acknowledge');
  expect(what()).toEqual(['events']);
});

test('a hello begins the session; reports of it count, those of another are ignored (Protocol 4.2)', () => {
  tell('hello', helloText({ state: 'locked', lastSeq: 3, epoch: 'e' }));
  tell('state', { session: 'session-1', state: 'unlocked', date: 5 });
  tell('state', { session: 'session-0', state: 'locked' });
  tell('battery', { session: 'session-1', level: 92, date: 5 });
  tell('battery', { session: 'session-0', level: 1 });
  expect(reports.told).toEqual([
    ['hello', lockA.lockId, { state: 'locked', lastSeq: 3, epoch: 'e', features: { features: [], limits: {} } }],
    ['state', lockA.lockId, { state: 'unlocked', date: 5 }],
    ['battery', lockA.lockId, { level: 92 }],
  ]);
  expect(receiver.stats().ignoredReports).toBe(2);
});

test('a session is there when the report service hears the hello: it may send at once', () => {
  let online = false;
  reports.hello = (lockId) => {
    online = sender.session(lockId) !== undefined;
  };
  tell('hello', helloText());
  expect(online).toBe(true);
});

test('a hello after status offline updates the lock and leaves it offline (Protocol 6)', () => {
  tell('status', 'offline');
  tell('hello', helloText());
  expect(what()).toEqual(['hello', 'offline']);
  expect(sender.session(lockA.lockId)).toBeUndefined();
  tell('status', 'online');
  expect(sender.session(lockA.lockId)).toBeDefined();
});

test('state and battery of a reply are reported before the command ends, and only for a command under way (Protocol 5.2)', async () => {
  tell('hello', helloText());
  tell('reply', { id: 'id-1', ok: true, state: 'unlocked' });
  const outcome = sender.session(lockA.lockId)?.send({ op: 'unlock' }, 'id-1' as CommandId, 5_000);
  let toldBefore: string[] = [];
  void outcome?.then(() => {
    toldBefore = what();
  });
  tell('reply', { id: 'id-1', ok: true, state: 'unlocked', battery: 91 });
  expect(await outcome).toEqual({ kind: 'ok', state: 'unlocked' });
  expect(toldBefore).toEqual(['hello', 'reply']);
  const said = { id: 'id-1', ok: true, state: 'unlocked', battery: 91 };
  expect(reports.told.at(-1)).toEqual(['reply', lockA.lockId, { outcome: { kind: 'ok', state: 'unlocked' }, ...said }]);
});

test('a report service that fails does not keep the answer from the caller', async () => {
  tell('hello', helloText());
  const outcome = sender.session(lockA.lockId)?.send({ op: 'unlock' }, 'id-1' as CommandId, 5_000);
  reports.reply = () => {
    throw new Error('a bug');
  };
  expect(() => say('reply', { id: 'id-1', ok: true, state: 'unlocked' })).toThrow('a bug');
  expect(await outcome).toEqual({ kind: 'ok', state: 'unlocked' });
});

describe('events (Protocol 4.4)', () => {
  test('the valid ones of a message are stored, the others quarantined, and both are durable before the acknowledgement', async () => {
    const stored = createGate();
    const kept = createGate();
    let acknowledged = false;
    reports.events = (lockId, report) => {
      reports.told.push(['events', lockId, report]);
      return stored.promise.then(() => allNew);
    };
    quarantine.keep = async (deviceId, reason, payload) => {
      quarantine.kept.push({ deviceId, reason, payload });
      return kept.promise;
    };
    const receipt = Promise.resolve(say('events', { epoch: 'e', events: [event(1), { seq: 2 }, event(3)] })).then((value) => {
      acknowledged = true;
      return value;
    });
    expect(reports.told).toEqual([['events', lockA.lockId, { epoch: 'e', events: [event(1), event(3)] }]]);
    expect(quarantine.kept).toEqual([
      { deviceId: lockA.deviceId, reason: expect.stringContaining('type'), payload: '{"epoch":"e","events":[{"seq":2}]}' },
    ]);
    stored.open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(acknowledged).toBe(false);
    kept.open();
    expect(await receipt).toBe('acknowledge');
    expect(receiver.stats().invalidEvents).toBe(1);
  });

  test('an event nested so deeply that it cannot be written as JSON again is quarantined as it came and acknowledged, or it would block those behind it', async () => {
    const deep = 30_000;
    const message = `{"epoch":"e","events":[{"seq":1,"type":5,"x":${'['.repeat(deep)}${']'.repeat(deep)}}]}`;
    expect(await say('events', message)).toBe('acknowledge');
    expect(quarantine.kept.map(({ payload }) => payload === message)).toEqual([true]);
  });

  describe('of one lock that come right behind one another', () => {
    const told = () => reports.told.flatMap(([channel, , report]) => (channel === 'events' ? [report] : [channel]));
    const seqs = () =>
      told().map((report) => (typeof report === 'string' ? report : (report as EventsReport).events.map(({ seq }) => seq)));
    const sayOne = (seq: number, epoch = 'e', from = connection) => say('events', { epoch, events: [event(seq)] }, from);

    test('are handed on as one, in the order of arrival, and each has its answer', async () => {
      const receipts = [sayOne(1), sayOne(2), say('events', { epoch: 'e', events: [event(4), event(3)] })];
      expect(await Promise.all(receipts)).toEqual(['acknowledge', 'acknowledge', 'acknowledge']);
      await sayOne(5);
      expect(seqs()).toEqual([[1, 2, 4, 3], [5]]);
    });

    test('never with those of another epoch or another lock, nor more than one message may have', async () => {
      const other = createFakeConnection(lockB);
      receiver.connected(other);
      const hundred = Array.from({ length: 100 }, (_, n) => event(n + 11));
      void sayOne(1);
      void sayOne(2, 'f');
      void sayOne(3, 'f', other);
      void sayOne(4, 'f', other);
      void say('events', { epoch: 'f', events: hundred }, other);
      await sayOne(5);
      expect(seqs()).toEqual([[1], [2], [3, 4], hundred.map(({ seq }) => seq), [5]]);
    });

    test('are not overtaken by what the lock says behind them, or by its end', () => {
      tell('hello', helloText());
      void sayOne(1);
      tell('state', { session: 'session-1', state: 'locked' });
      void sayOne(2);
      receiver.ended(connection, 'gone');
      expect(seqs()).toEqual(['hello', [1], 'state', [2], 'offline']);
    });

    test('are left unacknowledged together when they cannot be stored; one that cannot be understood harms none', async () => {
      reports.events = () => Promise.reject(storageUnavailable());
      const receipts = [sayOne(1), say('events', 'x'), sayOne(2), say('events', { epoch: 'e', events: [{ seq: 3 }, event(4)] })];
      expect(await Promise.all(receipts)).toEqual(['leave', 'acknowledge', 'leave', 'leave']);
      expect(receiver.stats()).toMatchObject({ messagesLeftUnacknowledged: 3, malformedMessages: 1, invalidEvents: 1 });
    });
  });

  test('whose malformed part the disk does not take are left, also when the others are stored', async () => {
    quarantine.keep = () => Promise.reject(storageUnavailable());
    expect(await say('events', { epoch: 'e', events: [event(1), { seq: 2 }] })).toBe('leave');
    quarantine.keep = () => Promise.reject(new Error('a bug'));
    await expect(say('events', { epoch: 'e', events: [event(3), { seq: 4 }] })).rejects.toThrow('a bug');
    expect(receiver.stats().messagesLeftUnacknowledged).toBe(1);
  });

  test('a bug is no reason to acknowledge: the receipt rejects', async () => {
    reports.events = () => Promise.reject(new Error('a bug'));
    await expect(say('events', { epoch: 'e', events: [event(1)] })).rejects.toThrow('a bug');
  });
});

describe('when storage is unavailable (Protocol 4.4, Fault T3)', () => {
  const events = { epoch: 'e', events: [event(1)] };
  const full = () => Promise.reject(storageUnavailable());

  test('events are left unacknowledged without closing, also when another message is stored; storage that works closes the connection once', async () => {
    const working = reports.events;
    reports.events = full;
    expect(await say('events', events)).toBe('leave');
    expect(await say('events', events)).toBe('leave');
    expect(connection.closed).toEqual([]);
    expect(receiver.stats().messagesLeftUnacknowledged).toBe(2);
    reports.events = working;
    const other = createFakeConnection(lockB);
    receiver.connected(other);
    expect(await say('events', events, other)).toBe('acknowledge');
    expect([connection.closed.length, other.closed.length]).toEqual([0, 0]);
    receiver.storageWorks();
    receiver.storageWorks();
    expect([connection.closed.length, other.closed.length]).toEqual([1, 0]);
  });

  test('a lock that has reconnected in between is not closed: it sends by itself', async () => {
    reports.events = full;
    await say('events', events);
    receiver.ended(connection, 'the connection was closed');
    receiver.connected(createFakeConnection(lockA));
    receiver.storageWorks();
    expect(connection.closed).toEqual([]);
  });

  test('nor is one whose connection ended before the disk said no', async () => {
    const disk = createGate();
    reports.events = () => disk.promise.then(() => allNew);
    const receipt = say('events', events);
    receiver.ended(connection, 'the connection was closed');
    disk.fail(storageUnavailable());
    expect(await receipt).toBe('leave');
    receiver.storageWorks();
    expect(connection.closed).toEqual([]);
  });

  test('a command under way is waited for: the answer comes first', async () => {
    tell('hello', helloText());
    const outcome = sender.session(lockA.lockId)?.send({ op: 'unlock' }, 'id-1' as CommandId, 60_000);
    reports.events = full;
    await say('events', events);
    receiver.storageWorks();
    expect(connection.closed).toEqual([]);
    tell('reply', { id: 'id-1', ok: true });
    expect(await outcome).toEqual({ kind: 'ok' });
    receiver.storageWorks();
    expect(connection.closed.length).toBe(1);
  });

  test('however often the disk fills up and works again, the same lock is closed at most once a minute', async () => {
    let closes = 0;
    for (let second = 0; second < 120; second++) {
      reports.events = full;
      await say('events', events);
      reports.events = async () => allNew;
      receiver.storageWorks();
      if (connection.closed.length > 0) {
        closes++;
        receiver.ended(connection, 'the connection was closed');
        connection = createFakeConnection(lockA);
        receiver.connected(connection);
      }
      clock.advance(1_000);
    }
    expect(closes).toBe(2);
  });
});

describe('a lock that sends more events than a door can have (Faults T3 and T12)', () => {
  const eventRate = { perSecond: 1, burst: 200 };
  const events = (from: number, count: number) => ({
    epoch: 'e',
    events: Array.from({ length: count }, (_, index) => event(from + index)),
  });
  let other: FakeConnection;

  beforeEach(() => {
    receiver = createReportReceiver({ reports, sender, quarantine, clock, log, eventRate });
    other = createFakeConnection(lockB);
    for (const each of [connection, other]) receiver.connected(each);
  });

  const storedOf = (lock: typeof lockA) => reports.told.filter(([told, lockId]) => told === 'events' && lockId === lock.lockId).length;

  test('has them left without PUBACK and stays connected; the next ones too, and another lock notices nothing', async () => {
    for (let from = 1; from <= 201; from += 100)
      expect(await say('events', events(from, 100))).toBe(from === 201 ? 'leave' : 'acknowledge');
    expect(await say('events', events(301, 1))).toBe('leave');
    expect(await say('events', events(1, 100), other)).toBe('acknowledge');
    expect([storedOf(lockA), storedOf(lockB), connection.closed]).toEqual([2, 1, []]);
    expect(receiver.stats()).toMatchObject({ messagesOverQuota: 2, locksOverQuota: 1, messagesLeftUnacknowledged: 0 });
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({ fields: { code: 'event-flood', lockId: lockA.lockId, deviceId: lockA.deviceId } }),
    ]);
    expect(say('hello', helloText())).toBe('acknowledge');
    expect(sender.session(lockA.lockId)).toBeDefined();
  });

  test('is closed once when it has some to spare again, but not while somebody waits at its door', async () => {
    for (let from = 1; from <= 201; from += 100) await say('events', events(from, 100));
    tell('hello', helloText());
    const outcome = sender.session(lockA.lockId)?.send({ op: 'unlock' }, 'id-1' as CommandId, 400_000);
    clock.advance(200_000);
    expect(connection.closed).toEqual([]);
    tell('reply', { id: 'id-1', ok: true });
    expect(await outcome).toMatchObject({ kind: 'ok' });
    clock.advance(1_000);
    expect([connection.closed.length, receiver.stats().locksOverQuota, clock.timers()]).toEqual([1, 0, 0]);
    const again = createFakeConnection(lockA);
    receiver.connected(again);
    expect(await say('events', events(201, 100), again)).toBe('acknowledge');
  });

  test('gets no new allowance by connecting anew, and leaves no timer behind', async () => {
    for (let from = 1; from <= 201; from += 100) await say('events', events(from, 100));
    receiver.ended(connection, 'gone');
    expect([receiver.stats().locksOverQuota, clock.timers()]).toEqual([0, 0]);
    const again = createFakeConnection(lockA);
    receiver.connected(again);
    expect(await say('events', events(201, 100), again)).toBe('leave');
  });

  test('pays for what is new only: sent again over a bad network, the same events cost it nothing', async () => {
    await say('events', events(1, 100));
    reports.events = async () => ({ duplicates: 100 });
    for (let round = 0; round < 10; round++) expect(await say('events', events(1, 100))).toBe('acknowledge');
    expect(receiver.stats().messagesOverQuota).toBe(0);
    reports.events = async () => allNew;
    expect(await say('events', events(101, 100))).toBe('acknowledge');
    expect(await say('events', events(201, 1))).toBe('leave');
  });

  test('pays for what was stored only: a full disk uses up nothing', async () => {
    const { events: keep } = reports;
    reports.events = () => Promise.reject(storageUnavailable());
    for (let round = 0; round < 10; round++) expect(await say('events', events(1, 100))).toBe('leave');
    reports.events = keep;
    expect(await say('events', events(1, 100))).toBe('acknowledge');
    await settled();
    expect(receiver.stats().messagesOverQuota).toBe(0);
  });
});

test('by default a backlog of 150, and the twenty thousand of a busy door, are stored at once (Fault T25)', async () => {
  for (let from = 1; from <= 20_000; from += 100) {
    const events = Array.from({ length: 100 }, (_, index) => event(from + index));
    expect(await say('events', { epoch: 'e', events })).toBe('acknowledge');
  }
});

test('a lock that says hello all the time costs itself the connection: each hello may be a write', () => {
  for (let n = 0; n < 120; n++) expect(say('hello', helloText({ session: `session-${n}`, firmwareRevision: `${n}` }))).toBe('acknowledge');
  expect(say('hello', helloText({ session: 'session-120' }))).toBe('leave');
  expect([connection.closed, what().length, receiver.stats().helloFloods]).toEqual([['it says hello all the time'], 120, 1]);
  const again = createFakeConnection(lockA);
  receiver.connected(again);
  clock.advance(500);
  expect(say('hello', helloText({ session: 'session-121' }), again)).toBe('acknowledge');
});

test('nor does it do better with status: what takes it online again counts like a hello (Protocol 6, Fault T3)', () => {
  tell('hello', helloText());
  for (let n = 0; n < 500; n++) for (const status of ['offline', 'online']) tell('status', status);
  expect([what().filter((told) => told === 'hello').length, receiver.stats().helloFloods > 0]).toEqual([120, true]);
  expect(connection.closed[0]).toBe('it says hello all the time');
});

test('what cannot be understood on any channel is acknowledged, counted, quarantined, and one line a minute in the log (Protocol 4.4)', async () => {
  for (const channel of ['status', 'hello', 'state', 'battery', 'events', 'reply'] as const) {
    expect(await say(channel, '{"credential":"1325672378"')).toBe('acknowledge');
  }
  expect(receiver.stats().malformedMessages).toBe(6);
  expect(quarantine.kept.length).toBe(6);
  expect(log.lines.length).toBe(1);
  expect(JSON.stringify(log.lines)).not.toContain('1325672378');
  clock.advance(60_000);
  await say('reply', 'x');
  expect(log.lines[1]?.fields).toMatchObject({ unwritten: 5 });
  expect(what()).toEqual([]);
});

test('offline is said once for each online period, whatever ends it (Protocol 6)', () => {
  receiver.ended(connection, 'the connection was closed');
  expect(what()).toEqual([]);
  connection = createFakeConnection(lockA);
  receiver.connected(connection);
  tell('hello', helloText());
  tell('hello', helloText({ session: 'session-2' }));
  tell('status', 'offline');
  tell('status', 'offline');
  receiver.ended(connection, 'the connection was closed');
  receiver.ended(connection, 'the connection was closed');
  expect(what()).toEqual(['hello', 'hello', 'offline']);
});

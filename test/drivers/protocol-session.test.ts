// What the effects of a protocol do, and what a command does to it, with a protocol of three words and a clock that moves only when told.
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { LockId } from '../../src/domain/locks/lock.ts';
import type { CommandId, CommandOutcome, LockCommand } from '../../src/domain/locks/lock-command.ts';
import type { CommandRefusal, Effect } from '../../src/drivers/device-protocol.ts';
import { createEventRecords } from '../../src/drivers/event-records.ts';
import { LockOverProtocol } from '../../src/drivers/protocol-session.ts';
import { allNew, createFakeLog, createFakeReports } from '../support/mqtt-fakes.ts';
import { createSettableClock, settled } from '../support/settable-clock.ts';

const lockId = 7 as LockId;
const id = 'id-1' as CommandId;
const unlock: LockCommand = { op: 'unlock' };
const ok: Effect = { kind: 'end', outcome: { kind: 'ok', state: 'unlocked' } };
const online: Effect = { kind: 'online', hello: { state: 'locked' } };

function setUp() {
  const clock = createSettableClock();
  const reports = createFakeReports();
  /** Everything that happens, in order. */
  const seen: unknown[] = reports.told as unknown[];
  const given = {
    command: (command: LockCommand): readonly Effect[] | CommandRefusal => [{ kind: 'publish', topic: 't', payload: command.op }],
    expire: (): readonly Effect[] => [],
    wake: (): readonly Effect[] => [],
    ended: (): readonly Effect[] => [],
  };
  const silence: { reason: string | undefined } = { reason: undefined };
  const progress = { highest: 0, gaps: [] as [number, number][], isBeginning: false };
  const log = createFakeLog();
  let seq = 0;
  const lock = new LockOverProtocol({
    ...{ lockId, clock, reports },
    records: createEventRecords({
      ...{ clock, reports, log },
      numberEvents: (_lockId, events) => ({ epoch: 'gw', events: events.map((event) => ({ ...event, seq: ++seq })) }),
      records: { progress: () => progress },
      emit: (name, payload) => void seen.push([name, payload]),
    }),
    protocol: {
      command: (command) => given.command(command),
      expire: () => given.expire(),
      wake: () => given.wake(),
      ended: () => given.ended(),
    },
    publish: (topic, payload, expiresInMs) => void seen.push(['publish', topic, payload, expiresInMs]),
    isSilent: () => silence.reason,
    onDeadline: () => {
      seen.push(['reset']);
      lock.end('it did not answer in time');
    },
    capabilities: (changed) => void seen.push(['capabilities', changed]),
    onBug(error) {
      seen.push(['bug', error instanceof Error && error.message]);
      lock.end('a bug');
    },
  });
  const says = (...effects: Effect[]) => lock.apply(() => effects);
  const send = (command: LockCommand = unlock, ttlMs = 10_000) => lock.session()?.send(command, id, ttlMs) ?? Promise.resolve(undefined);
  return { clock, reports, seen, given, silence, progress, log, lock, says, send };
}

let made: ReturnType<typeof setUp>;
beforeEach(() => {
  made = setUp();
});

const record = (type: string, seq: number, more: object = {}) => ['events', lockId, { epoch: 'gw', events: [{ type, ...more, seq }] }];

describe('what a device says', () => {
  test('takes effect in its order', () => {
    const { seen, says } = made;
    const changed = { passcodes: true };
    void says(
      { kind: 'publish', topic: 'a', payload: '1' },
      online,
      { kind: 'state', state: 'unlocked' },
      { kind: 'state', state: 'locked', isHistory: true },
      { kind: 'battery', level: 80 },
      { kind: 'battery-critical', isCritical: true },
      { kind: 'capabilities', changed },
      { kind: 'offline', reason: 'away' },
    );
    expect(seen).toMatchObject([
      ['publish', 'a', '1', undefined],
      ['hello', lockId, { state: 'locked' }],
      ['state', lockId, { state: 'unlocked' }],
      ['state', lockId, { state: 'locked', isHistory: true }],
      ['battery', lockId, { level: 80 }],
      ['batteryCritical', lockId, true],
      ['capabilities', changed],
      ['offline', lockId],
    ]);
  });

  test('is acknowledged when its events are flushed, and left when one could not be', async () => {
    const { reports, says, seen } = made;
    const opened: Effect = { kind: 'event', event: { type: 'door-open' } };
    const logged: Effect = { kind: 'numbered', epoch: 'x', events: [{ seq: 17, type: 'passcode-unlock', mayBeCommand: false }] };
    expect(says(online)).toBe('acknowledge');
    expect(await says(opened, logged)).toBe('acknowledge');
    expect(seen.slice(1)).toEqual([
      record('door-open', 1),
      ['events', lockId, { epoch: 'x', events: [{ seq: 17, type: 'passcode-unlock' }] }],
    ]);
    let flushed = (): void => undefined;
    reports.events = () => new Promise((resolve) => (flushed = () => resolve(allNew)));
    const receipt = says(opened);
    const answer = await Promise.race([receipt, settled().then(() => 'not yet')]);
    flushed();
    expect([answer, await receipt]).toEqual(['not yet', 'acknowledge']);
    reports.events = (_lockId, { epoch }) => (epoch === 'x' ? Promise.reject(new Error('the disk is full')) : Promise.resolve(allNew));
    expect(await says(opened, logged)).toBe('leave');
  });

  test('of more events than a door can have is left, and a confirmed command is recorded nevertheless', async () => {
    const { says, seen, send, log, clock } = made;
    const opened: Effect = { kind: 'event', event: { type: 'door-open' } };
    const logged = (seq: number): Effect => ({ kind: 'numbered', epoch: 'x', events: [{ seq, type: 'passcode-unlock' }] });
    void says(online);
    const many = Array.from({ length: 200_000 }, (_, n) => ({ seq: n + 1, type: 'door-open' }));
    expect(await says({ kind: 'numbered', epoch: 'x', events: many })).toBe('acknowledge');
    seen.splice(0);
    expect([await says(opened), await says(logged(200_001))]).toEqual(['leave', 'leave']);
    expect([seen, log.lines]).toMatchObject([[], [{ fields: { code: 'event-flood', lockId } }]]);
    void send();
    expect(await says(ok)).toBe('acknowledge');
    expect(seen.at(-1)).toEqual(record('remote-unlock', 1, { commandId: id }));
    await clock.advance(4_000);
    expect(await says(opened)).toBe('acknowledge');
  });

  test('of lost events is noted once for what is missing, and not for what was told before the lock was registered', () => {
    const { says, seen, progress } = made;
    Object.assign(progress, { highest: 20, gaps: [[5, 8]], isBeginning: true });
    const gone: Effect = { kind: 'lost-events', epoch: 'x', first: 4, last: 22 };
    void says(gone);
    expect(seen).toEqual([]);
    progress.isBeginning = false;
    void says(gone, gone);
    const lost = (from: number, to: number) => ['events-lost', { lockId, epoch: 'x', from, to }];
    expect(seen).toEqual([lost(5, 8), lost(21, 22)]);
    void says({ ...gone, last: 23 });
    expect(seen.slice(2)).toEqual([lost(23, 23)]);
  });

  test('about itself while it is online is no new session', () => {
    const { says, seen, lock } = made;
    void says(online);
    const session = lock.session();
    void says({ kind: 'online', hello: { modelNum: 'SL3P', battery: 40 } });
    expect(lock.session()).toBe(session);
    expect(seen.slice(1)).toMatchObject([
      ['properties', lockId, { modelNum: 'SL3P' }],
      ['battery', lockId, { level: 40 }],
    ]);
  });

  test('that makes its protocol throw is a bug that ends the connection', async () => {
    const { lock, says, seen, given, send } = made;
    void says(online);
    given.command = () => {
      throw new Error('no such word');
    };
    expect(await send()).toEqual({ kind: 'lost' });
    expect(seen.slice(1)).toEqual([
      ['bug', 'no such word'],
      ['offline', lockId],
    ]);
    expect(lock.session()).toBeUndefined();
  });
});

describe('a command', () => {
  test('is answered by what is heard after it, with its reply before its caller and with one record', async () => {
    const { says, seen, send, clock } = made;
    void says(online, ok);
    const sent = send();
    void sent.then((outcome) => seen.push(outcome));
    await clock.advance(4_000);
    expect(await says(ok, ok)).toBe('acknowledge');
    const outcome = { kind: 'ok', state: 'unlocked' };
    expect(seen.slice(1)).toEqual([
      ['publish', 't', 'unlock', 10_000],
      ['reply', lockId, { outcome, state: 'unlocked' }],
      record('remote-unlock', 1, { commandId: id }),
      outcome,
    ]);
    expect(clock.timers()).toBe(0);
  });

  test('that is refused, or that does not move the bolt, makes no record', async () => {
    const { says, send, seen, given } = made;
    void says(online);
    const refused: CommandOutcome = { kind: 'refused', error: 'jammed', message: '' };
    for (const [command, outcome] of [
      [unlock, refused],
      [{ op: 'set-auto-lock', seconds: 3 }, { kind: 'ok' }],
    ] as const) {
      const sent = send(command);
      void says({ kind: 'end', outcome });
      expect(await sent).toEqual(outcome);
    }
    given.command = () => ({ refuse: 'not-supported', message: 'no such thing' });
    expect(await send()).toEqual({ kind: 'refused', error: 'not-supported', message: 'no such thing' });
    expect(seen.filter((one) => (one as string[])[0] === 'events')).toEqual([]);
  });

  test('that is not answered in time takes back what the device has not got, and only then says so', async () => {
    const { says, send, seen, clock, given } = made;
    void says(online);
    given.expire = () => [{ kind: 'publish', topic: 't', payload: 'too late' }];
    const sent = send(unlock, 5_000).then((outcome) => seen.push(outcome));
    await clock.advance(4_999);
    expect(seen).toHaveLength(2);
    await clock.advance(1);
    await sent;
    expect(seen.slice(2)).toEqual([['reset'], ['offline', lockId], { kind: 'no-reply' }]);
    expect(await says(ok)).toBe('leave');
    expect(seen).toHaveLength(5);
  });

  test('that only asks costs no connection when it is not answered', async () => {
    const { says, send, seen, clock, lock, given } = made;
    void says(online);
    given.expire = () => [{ kind: 'battery', level: 1 }];
    const sent = send({ op: 'get-status' }, 5_000);
    await clock.advance(5_000);
    expect(await sent).toEqual({ kind: 'no-reply' });
    expect(seen.slice(2)).toEqual([['battery', lockId, { kind: 'battery', level: 1 }]]);
    expect(lock.session()).toBeDefined();
  });

  test('that is not confirmed is recorded as the device tells of it, with the account, once', async () => {
    const { says, send, seen, given, clock } = made;
    void says(online);
    const told: Effect = { kind: 'event', event: { type: 'remote-unlock' } };
    given.ended = () => [told, told];
    void send(unlock, 5_000);
    await clock.advance(5_000);
    expect(seen.slice(2)).toEqual([
      ['reset'],
      record('remote-unlock', 1, { commandId: id }),
      record('remote-unlock', 2),
      ['offline', lockId],
    ]);
  });

  test('that is confirmed lends its account to no other event', async () => {
    const { says, send, seen } = made;
    const told: Effect = { kind: 'event', event: { type: 'remote-unlock' } };
    void says(online);
    void send();
    void says(told, ok, told);
    const events = seen.filter((one) => (one as string[])[0] === 'events');
    expect(events).toEqual([record('remote-unlock', 1), record('remote-unlock', 2, { commandId: id }), record('remote-unlock', 3)]);
  });

  test('says nothing more once its time is over, also before its end is noticed', async () => {
    const { says, send, seen, clock, lock } = made;
    void says(online);
    void send(unlock, 5_000);
    clock.block(5_000);
    void lock.apply(() => [{ kind: 'publish', topic: 't', payload: 'late' }]);
    expect(seen.filter((one) => (one as string[])[0] === 'publish')).toEqual([['publish', 't', 'unlock', 5_000]]);
  });

  test('belongs to its session, is one at a time, and is lost with the end of the session', async () => {
    const { says, send, lock, seen } = made;
    void says(online);
    const before = lock.session();
    const sent = send();
    expect(await send()).toMatchObject({ kind: 'refused', error: 'busy' });
    void says({ kind: 'offline', reason: 'away' }, online);
    expect(await sent).toEqual({ kind: 'lost' });
    expect(await before?.send(unlock, id, 10_000)).toEqual({ kind: 'lost' });
    expect(seen.filter((one) => (one as string[])[0] === 'publish')).toHaveLength(1);
  });

  test('without time left is not sent', async () => {
    const { says, send, seen } = made;
    void says(online);
    expect(await send(unlock, 0.5)).toMatchObject({ kind: 'unsent' });
    expect(seen).toHaveLength(1);
  });
});

describe('a device that was silent for too long', () => {
  beforeEach(() => {
    void made.says(online);
    made.silence.reason = 'it was silent';
    made.seen.splice(0);
  });
  const published = () => made.seen.filter((one) => (one as string[])[0] === 'publish').map((one) => (one as string[])[2]);

  test('is asked first, and gets the command as soon as it is heard', async () => {
    const { says, send, clock } = made;
    const sent = send();
    await clock.advance(300);
    expect(published()).toEqual(['get-status']);
    void says();
    await settled();
    expect(published()).toEqual(['get-status', 'unlock']);
    expect(made.seen.at(-1)).toEqual(['publish', 't', 'unlock', 9_700]);
    void says(ok);
    expect(await sent).toEqual({ kind: 'ok', state: 'unlocked' });
  });

  test('gets nothing when it is not heard within a second', async () => {
    const { send, clock, lock } = made;
    const sent = send();
    await clock.advance(1_000);
    expect(await sent).toEqual({ kind: 'unsent', message: 'it was silent' });
    expect(published()).toEqual(['get-status']);
    expect(lock.session()).toBeDefined();
  });

  test('gets the command when its connection was heard meanwhile, though not its answer', async () => {
    const { send, clock, silence } = made;
    void send();
    await settled();
    silence.reason = undefined;
    await clock.advance(1_000);
    expect(published()).toEqual(['get-status', 'unlock']);
  });

  test('gets nothing when it cannot be asked, or goes away meanwhile', async () => {
    const { send, given, says, silence } = made;
    const words = given.command;
    given.command = (command) => (command.op === 'get-status' ? { refuse: 'not-supported', message: '' } : words(command));
    expect(await send()).toEqual({ kind: 'unsent', message: 'it was silent' });
    given.command = words;
    const sent = send();
    await settled();
    silence.reason = undefined;
    void says({ kind: 'offline', reason: 'away' });
    expect(await sent).toEqual({ kind: 'lost' });
    expect(published()).toEqual(['get-status']);
  });

  test('is asked for its state at once, as anybody who waits for it would', async () => {
    const { send, clock, lock } = made;
    void send({ op: 'get-status' });
    expect(published()).toEqual(['get-status']);
    await clock.advance(5_000);
    expect([published(), lock.isWaiting()]).toEqual([['get-status'], true]);
  });

  test('gets nothing of a session that has ended', async () => {
    const { says, lock } = made;
    const before = lock.session();
    void says({ kind: 'offline', reason: 'away' }, online);
    expect(await before?.send(unlock, id, 10_000)).toEqual({ kind: 'lost' });
    expect(published()).toEqual([]);
  });
});

describe('the end of a connection', () => {
  test('takes its timers with it; events that waited become records, and nothing else counts', async () => {
    const { says, seen, given, clock, lock } = made;
    given.wake = () => [{ kind: 'battery', level: 1 }];
    given.ended = () => [
      { kind: 'event', event: { type: 'inside-unlock' } },
      { kind: 'publish', topic: 't', payload: 'x' },
      { kind: 'state', state: 'unlocked' },
    ];
    void says(online, { kind: 'wake', afterMs: 100 }, { kind: 'wake', afterMs: 500 });
    await clock.advance(499);
    expect(seen).toHaveLength(1);
    await clock.advance(1);
    expect(seen).toHaveLength(2);
    void says({ kind: 'wake', afterMs: 100 });
    lock.end('it left');
    lock.end('it left');
    expect(seen.slice(2)).toEqual([record('inside-unlock', 1), ['offline', lockId]]);
    expect(clock.timers()).toBe(0);
  });
});

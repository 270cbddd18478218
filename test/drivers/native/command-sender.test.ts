// Sessions, deadlines and replies of commands, with a clock that moves only when told (Protocol 4.1, 5 and 6, Faults T6 and T7).
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CommandId, CommandOutcome, LockCommand } from '../../../src/domain/locks/lock-command.ts';
import { type CommandSender, createCommandSender } from '../../../src/drivers/native/command-sender.ts';
import type { ReplyMessage } from '../../../src/drivers/native/messages.ts';
import { createTopics } from '../../../src/drivers/native/topics.ts';
import { createManualClock, type ManualClock } from '../../support/mqtt-clock.ts';
import { createFakeConnection, createFakeLog, type FakeConnection, type FakeLog, lockA } from '../../support/mqtt-fakes.ts';

const digest = 'af3940b65ba070e2';
const someCredential = { kind: 'card', number: '1325672378', startDate: 0, endDate: 0, hours: '', once: false } as const;
const id = (text: string) => text as CommandId;
const hello = { session: 'session-1', uptime: 5_000 };
let clock: ManualClock;
let log: FakeLog;
let sender: CommandSender;
let connection: FakeConnection;
const emitted: unknown[] = [];

beforeEach(() => {
  clock = createManualClock();
  log = createFakeLog();
  sender = createCommandSender({
    clock,
    log,
    topics: createTopics('latchd/v1'),
    emit: (name, payload) => void emitted.push([name, payload]),
  });
  connection = createFakeConnection(lockA);
  emitted.splice(0);
  sender.connected(connection);
  sender.begin(connection, hello);
});

function send(command: LockCommand, commandId = 'id-1', ttlMs = 10_000): Promise<CommandOutcome> | undefined {
  return sender.session(lockA.lockId)?.send(command, id(commandId), ttlMs);
}

function reply(message: ReplyMessage): void {
  sender.take(connection, message)?.resolve();
}

test('whether a lock is encrypted is what its last connection was, and news when it changes', () => {
  const { lockId } = lockA;
  const secure = { ...createFakeConnection(lockA), isEncrypted: true };
  expect([sender.isEncrypted(lockId), emitted]).toEqual([false, []]);
  sender.connected(secure);
  sender.ended(secure);
  sender.connected(secure);
  expect([sender.isEncrypted(lockId), emitted]).toEqual([true, [['capabilities-changed', { lockId }]]]);
  sender.connected(createFakeConnection(lockA));
  expect([sender.isEncrypted(lockId), emitted.length]).toEqual([false, 2]);
});

test('expires is the uptime of the hello, plus the time since on the monotonic clock, plus ttl (Protocol 5.1)', () => {
  clock.advance(1_234.6);
  void send({ op: 'unlock' });
  expect(connection.published).toEqual([
    {
      topic: `latchd/v1/${lockA.deviceId}/command`,
      payload: '{"id":"id-1","session":"session-1","op":"unlock","args":{},"expires":16234,"ttl":10000}',
    },
  ]);
});

test('expires counts from the moment at which ttl was counted, however long the process has stood still since', () => {
  const from = clock.monotonic();
  clock.advance(5_000);
  void sender.session(lockA.lockId)?.send({ op: 'unlock' }, id('id-1'), 10_000, from);
  void sender.session(lockA.lockId)?.send({ op: 'unlock' }, id('id-2'), 10_000);
  expect(connection.published.map(({ payload }) => (JSON.parse(payload) as { readonly expires: number }).expires)).toEqual([
    15_000, 20_000,
  ]);
});

test('without a reply until ttl the outcome is no-reply, and a late reply changes nothing and is logged (Protocol 5.4 rules 3 and 4)', async () => {
  const outcome = send({ op: 'unlock' });
  clock.advance(9_999);
  expect(sender.busy(connection)).toBe(true);
  clock.advance(1);
  expect(await outcome).toEqual({ kind: 'no-reply' });
  expect(sender.take(connection, { id: 'id-1', ok: true })).toBeUndefined();
  expect(log.lines.filter((line) => line.level === 'warn').length).toBe(1);
  expect(clock.timers()).toBe(0);
});

test('a thousand unknown replies are one line in the log', () => {
  for (let index = 0; index < 1_000; index++) reply({ id: `unknown-${index}`, ok: true });
  expect(log.lines.length).toBe(1);
});

describe('how a reply ends a command (Protocol 5.2)', () => {
  test.each<[string, LockCommand, ReplyMessage, CommandOutcome]>([
    ['ok', { op: 'lock' }, { id: 'id-1', ok: true }, { kind: 'ok' }],
    ['ok with state', { op: 'lock' }, { id: 'id-1', ok: true, state: 'locked' }, { kind: 'ok', state: 'locked' }],
    [
      'a refusal',
      { op: 'lock' },
      { id: 'id-1', ok: false, error: 'jammed', message: 'm' },
      { kind: 'refused', error: 'jammed', message: 'm' },
    ],
    ['a refusal without a reason', { op: 'lock' }, { id: 'id-1', ok: false }, { kind: 'refused', error: 'failed', message: '' }],
    [
      'dates for a lock without a clock',
      { op: 'add-card', cardNumber: '5', startDate: 1, endDate: 0 },
      { id: 'id-1', ok: false, error: 'clock-not-set' },
      { kind: 'refused', error: 'clock-not-set', message: '' },
    ],
    ['an unknown error', { op: 'lock' }, { id: 'id-1', ok: false, error: 'odd' }, { kind: 'refused', error: 'failed', message: '' }],
    [
      'a list of cards',
      { op: 'list-cards', offset: 0, limit: 100 },
      { id: 'id-1', ok: true, result: { cards: [{ cardNumber: '12', startDate: 0, endDate: 0 }], total: 1 } },
      { kind: 'ok', listing: { cards: [{ cardNumber: '12', startDate: 0, endDate: 0 }], total: 1 } },
    ],
    [
      'a list of cards that is none',
      { op: 'list-cards', offset: 0, limit: 100 },
      { id: 'id-1', ok: true, result: { cards: [{ cardNumber: 12 }], total: 1 } },
      { kind: 'refused', error: 'failed', message: 'the reply holds no valid list of cards' },
    ],
    [
      'what a lock holds after a change, and what it did not store',
      { op: 'put-credentials', items: [someCredential, { ...someCredential, number: '2' }] },
      { id: 'id-1', ok: true, result: { count: 3, digest, failed: [{ index: 1, error: 'no-space' }] } },
      { kind: 'ok', credentials: { count: 3, digest, failed: [{ index: 1, error: 'no-space' }] } },
    ],
    [
      'what a lock holds after a removal',
      { op: 'remove-credentials', items: [someCredential] },
      { id: 'id-1', ok: true, result: { count: 0, digest } },
      { kind: 'ok', credentials: { count: 0, digest, failed: [] } },
    ],
    [
      'a failed item that was never sent',
      { op: 'put-credentials', items: [someCredential] },
      { id: 'id-1', ok: true, result: { count: 1, digest, failed: [{ index: 1, error: 'no-space' }] } },
      { kind: 'ok' },
    ],
    ['an ok to a change without a digest', { op: 'remove-credentials', items: [someCredential] }, { id: 'id-1', ok: true }, { kind: 'ok' }],
    [
      'a page of cards and passcodes, one of which is not shown',
      { op: 'list-credentials', offset: 0, limit: 100 },
      {
        id: 'id-1',
        ok: true,
        result: {
          ...{ count: 3, digest, total: 3 },
          credentials: [
            { kind: 'card', number: '998877', startDate: 0, endDate: 0, hours: '12345:480-1080' },
            { kind: 'passcode', number: null, id: 'slot 4', startDate: 5, endDate: 0, once: true },
          ],
        },
      },
      {
        kind: 'ok',
        credentials: {
          ...{ count: 3, digest, failed: [] },
          listing: {
            credentials: [
              { kind: 'card', number: '998877', startDate: 0, endDate: 0, hours: '12345:480-1080', once: false },
              { kind: 'passcode', number: null, startDate: 5, endDate: 0, hours: '', once: true },
            ],
            total: 3,
          },
        },
      },
    ],
    [
      'a page with hours that are none',
      { op: 'list-credentials', offset: 0, limit: 100 },
      {
        ...{ id: 'id-1', ok: true },
        result: {
          ...{ count: 1, digest, total: 1 },
          credentials: [{ kind: 'card', number: '7', startDate: 0, endDate: 0, hours: 'mornings' }],
        },
      },
      { kind: 'refused', error: 'failed', message: 'the reply holds no valid list of credentials' },
    ],
  ])('%s', async (_title, command, message, expected) => {
    const outcome = send(command);
    reply(message);
    expect(await outcome).toEqual(expected);
    expect(clock.timers()).toBe(0);
  });
});

test('the second of two replies changes nothing (Protocol 5.4 rule 5)', async () => {
  const outcome = send({ op: 'unlock' });
  const first = sender.take(connection, { id: 'id-1', ok: false, error: 'jammed' });
  expect(sender.take(connection, { id: 'id-1', ok: true })).toBeUndefined();
  clock.advance(60_000);
  first?.resolve();
  expect(await outcome).toMatchObject({ kind: 'refused', error: 'jammed' });
});

test('a reply that another connection sends is not taken', () => {
  void send({ op: 'unlock' });
  expect(sender.take(createFakeConnection(lockA), { id: 'id-1', ok: true })).toBeUndefined();
  expect(sender.busy(connection)).toBe(true);
});

describe('a session that has ended sends nothing and says lost (Protocol 5.3 rule 1, Faults T6 and T7)', () => {
  test.each<[string, () => void]>([
    ['the connection ended', () => sender.ended(connection)],
    ['another connection took over', () => sender.connected(createFakeConnection(lockA))],
    ['a second hello began another session', () => sender.begin(connection, { session: 'session-2', uptime: 5_000 })],
    ['the lock restarted its counter under the same session text', () => sender.begin(connection, { session: 'session-1', uptime: 1 })],
  ])('%s', async (_title, happens) => {
    const session = sender.session(lockA.lockId);
    const underWay = session?.send({ op: 'unlock' }, id('id-1'), 10_000);
    happens();
    expect(await underWay).toEqual({ kind: 'lost' });
    expect(await session?.send({ op: 'unlock' }, id('id-2'), 10_000)).toEqual({ kind: 'lost' });
    expect(connection.published.length).toBe(1);
    expect(clock.timers()).toBe(0);
  });

  test('the last status was offline', async () => {
    const session = sender.session(lockA.lockId);
    sender.setAvailable(connection, false);
    expect(sender.session(lockA.lockId)).toBeUndefined();
    expect(await session?.send({ op: 'unlock' }, id('id-1'), 10_000)).toEqual({ kind: 'lost' });
    expect(connection.published).toEqual([]);
  });
});

test('the end of an earlier connection does not end the later one (Protocol 6)', () => {
  const later = createFakeConnection(lockA);
  sender.connected(later);
  sender.begin(later, { session: 'session-2', uptime: 1 });
  sender.ended(connection);
  expect(sender.session(lockA.lockId)).toBeDefined();
  sender.disconnect(lockA.lockId, 'because');
  expect([connection.closed, later.closed]).toEqual([[], ['because']]);
});

test('before its hello a lock has no session (Protocol 4.1)', () => {
  sender.connected(createFakeConnection(lockA));
  expect(sender.session(lockA.lockId)).toBeUndefined();
});

test('a hello that arrives twice is one session, and the command under way goes on (Fault T9)', () => {
  void send({ op: 'unlock' });
  expect(sender.begin(connection, hello)).toBe(false);
  expect(sender.busy(connection)).toBe(true);
});

test('no time left: nothing is sent (Protocol 5.4 rule 1)', async () => {
  expect(await send({ op: 'unlock' }, 'id-1', 0)).toEqual({ kind: 'no-reply' });
  expect(await send({ op: 'unlock' }, 'id-1', Number.NaN)).toEqual({ kind: 'no-reply' });
  expect(connection.published).toEqual([]);
});

test('one id is never sent twice at the same time', async () => {
  void send({ op: 'unlock' });
  expect(await send({ op: 'unlock' })).toMatchObject({ kind: 'refused', error: 'busy' });
  expect(connection.published.length).toBe(1);
});

test('a connection that cannot send ends the command as lost: send never rejects', async () => {
  const broken = {
    ...createFakeConnection(lockA),
    publish: () => {
      throw new Error('a bug');
    },
  };
  sender.connected(broken);
  sender.begin(broken, hello);
  expect(await send({ op: 'unlock' })).toEqual({ kind: 'lost' });
  expect(clock.timers()).toBe(0);
});

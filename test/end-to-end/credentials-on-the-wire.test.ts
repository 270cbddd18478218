// Cards and passcodes of people on locks of today, through the real daemon: each message of a lock made by hand, and what happens when a
// simulated lock forgets, keeps, says a wrong digest, is away or is replaced (Protocol 4.1, 5.1, 5.4 rule 8).
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, openSite, type Site, until } from '../support/site.ts';
import { connectHandLock, type HandLock } from '../support/site-lock.ts';

const features = ['credentials', 'hours', 'once'];
const limits = { cards: 100, passcodes: 100, passcodeDigits: [4, 9], hours: 8, holidays: 10 };

interface WireItem {
  readonly kind: 'card' | 'passcode';
  readonly number: string;
  readonly startDate: number;
  readonly endDate: number;
  readonly hours?: string;
  readonly once?: true;
}

let site: Site;

beforeAll(async () => {
  site = await openSite({ locks: [{ features }, { features }, { features }], flags: ['--command-timeout-ms', '3000'] });
});
afterAll(() => site.close());

function addCode(lockId: number, keyboardPwd: string, more: Readonly<Record<string, string | number>> = {}): Promise<Answer> {
  const query = { lockId, addType: 2, keyboardPwdType: 2, keyboardPwd, keyboardPwdName: 'somebody', ...more };
  return site.api('POST', '/api/v1/passcode/add', { query });
}

/** As the page says it, and not as our code does. */
function heldBy(items: Iterable<WireItem>): { readonly count: number; readonly digest: string } {
  const lines = [...items].map(
    ({ kind, number, startDate, endDate, hours = '', once }) =>
      `${kind === 'card' ? 'c' : 'p'},${number},${startDate},${endDate},${hours},${once ? '1' : ''}\n`,
  );
  const digest = createHash('sha256').update(lines.sort().join('')).digest('hex').slice(0, 16);
  return { count: lines.length, digest };
}

describe('a lock made by hand', () => {
  const memory = new Map<string, WireItem>();
  let lock: HandLock;
  let lockId: number;
  let registered: { readonly deviceId: string; readonly deviceKey: string };
  let number = 0;
  /** In place of the next answer to this op. */
  let instead: { readonly op: string; readonly isDone: boolean; readonly reply: object } | undefined;

  /** Which commands about its memory it has heard. */
  const heard = () =>
    lock.commands.filter(({ op }) => op.endsWith('-credentials') || op.endsWith('-card')).map(({ op, args }) => ({ op, args }));

  function answerOf(op: string, args: Readonly<Record<string, unknown>>): object {
    const items = (args['items'] ?? []) as WireItem[];
    if (op === 'put-credentials') for (const item of items) memory.set(`${item.kind} ${item.number}`, item);
    if (op === 'add-card')
      memory.set(`card ${args['cardNumber']}`, { ...(args as unknown as WireItem), kind: 'card', number: String(args['cardNumber']) });
    if (op === 'remove-credentials') for (const item of items) memory.delete(`${item.kind} ${item.number}`);
    if (op !== 'list-credentials') return { ok: true, result: heldBy(memory.values()) };
    const credentials = [...memory.values()].slice(Number(args['offset']), Number(args['offset']) + Number(args['limit']));
    return { ok: true, result: { ...heldBy(memory.values()), credentials, total: memory.size } };
  }

  async function connected(hello: object = {}): Promise<void> {
    lock = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, ...registered });
    lock.client.on('message', (_topic, payload) => {
      const { id, op, args } = JSON.parse(payload.toString()) as { id: string; op: string; args: Record<string, unknown> };
      const reply = op === instead?.op ? instead.reply : undefined;
      const usual = op !== instead?.op || instead.isDone ? answerOf(op, args) : {};
      if (op === instead?.op) instead = undefined;
      void lock.publish('reply', { id, ...(reply ?? usual) }).catch(() => undefined);
    });
    const session = `handmade${++number}`;
    await lock.hello({ session, features, limits, credentials: heldBy(memory.values()), ...hello });
    await until(() => lock.commands.some(({ op }) => op === 'set-calendar'), 'its calendar comes');
  }

  beforeAll(async () => {
    const { body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: '02:CC:00:00:01:01', lockName: 'By hand' } });
    ({ lockId } = body);
    registered = body;
    await connected();
  });
  afterAll(() => lock.end());

  test('hears a code and a card as put-credentials and remove-credentials, and what it need not hear is not there', async () => {
    const code = await addCode(lockId, '0429');
    expect([code.status, code.body]).toEqual([200, expect.objectContaining({ keyboardPwd: '0429' })]);
    const card = { lockId, cardNumber: '0001325672378', cardName: 'fob', startDate: 5, endDate: 0, addType: 2, method: 'regular' };
    const added = await site.api('POST', '/api/v1/identity-card/add', { query: card });
    expect(added.status).toBe(200);
    const ends = { lockId, keyboardPwdId: code.body.keyboardPwdId, deleteType: 2 };
    expect((await site.api('DELETE', '/api/v1/passcode/delete', { query: ends })).status).toBe(200);
    expect(heard().filter(({ op }) => op !== 'list-credentials')).toEqual([
      { op: 'put-credentials', args: { items: [{ kind: 'passcode', number: '0429', startDate: 0, endDate: 0 }] } },
      { op: 'put-credentials', args: { items: [{ kind: 'card', number: '1325672378', startDate: 5, endDate: 0 }] } },
      { op: 'remove-credentials', args: { items: [{ kind: 'passcode', number: '0429' }] } },
    ]);
    expect([...memory.keys()]).toEqual(['card 1325672378']);
  });

  test('that says no-space to the one item keeps nothing, and the caller hears it', async () => {
    instead = {
      op: 'put-credentials',
      isDone: false,
      reply: { ok: true, result: { ...heldBy(memory.values()), failed: [{ index: 0, error: 'no-space' }] } },
    };
    const answer = await addCode(lockId, '7183');
    expect([answer.status, answer.body.code, answer.body['lockError']]).toEqual([502, 'lock-refused', 'no-space']);
    expect((await site.all('/api/v1/passcode/list', { lockId })).length).toBe(0);
  });

  test('that says ok and not what it holds is asked for it, and what nobody got is taken off', async () => {
    instead = { op: 'put-credentials', isDone: true, reply: { ok: true } };
    const [before, held] = [lock.commands.length, memory.size];
    const answer = await site.api('POST', '/api/v1/passcode/add', { query: { lockId, addType: 2, keyboardPwdType: 2 } });
    expect([answer.status, answer.body.code]).toEqual([504, 'lock-timeout']);
    await until(() => lock.commands.some(({ op }, index) => index > before && op === 'remove-credentials'), 'the code is taken off');
    await until(() => memory.size === held, 'it is gone');
    expect(lock.commands.slice(before).map(({ op }) => op)).toEqual(expect.arrayContaining(['list-credentials', 'remove-credentials']));
  });

  test('whose digest fits is asked nothing, and one whose digest differs shows what it holds', async () => {
    await lock.end();
    await connected();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(heard()).toEqual([]);
    await lock.end();
    memory.set('card 77', { kind: 'card', number: '77', startDate: 0, endDate: 0 });
    await connected();
    await until(() => heard().length > 0, 'it is asked');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(heard()).toEqual([{ op: 'list-credentials', args: { offset: 0, limit: 100 } }]);
    expect(memory.has('card 77')).toBe(true);
  });
});

describe('a simulated lock', () => {
  afterEach(() => {
    for (const lock of site.fleet.locks) lock.faults.memory.clear();
  });

  const codesOf = (lock: number) => site.lock(lock).memory.passcodes.map(({ number }) => number);

  test('opens once for a one-time code: used while away, back again, replaced (acceptance of one-time codes)', async () => {
    const [lock, lockId] = [site.lock(1), site.lockId(1)];
    const { status } = await addCode(lockId, '4071', { keyboardPwdType: 1 });
    expect([status, codesOf(1)]).toEqual([200, ['4071']]);
    lock.cutNetwork();
    await site.whenOnline(1, false);
    expect(await lock.enterPasscode('4071')).toEqual({ done: true });
    expect(lock.memory.passcodes).toEqual([]);
    lock.restoreNetwork();
    await site.whenOnline(1);
    await lock.whenEventsAcknowledged();
    await lock.wipe();
    await site.whenOnline(1);
    await site.restart();
    await site.whenOnline(1);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect([codesOf(1), await lock.enterPasscode('4071')]).toEqual([[], { done: false, reason: 'wrong-passcode' }]);
    expect(await site.all('/api/v1/passcode/list', { lockId })).toEqual([]);
  });

  test('that forgets is not believed', async () => {
    const lockId = site.lockId(2);
    site.lock(2).faults.memory.add('forgets');
    const { status, body } = await addCode(lockId, '6285');
    expect([status, body.code, body['lockError']]).toEqual([502, 'lock-refused', 'not-done']);
    expect(await site.all('/api/v1/passcode/list', { lockId })).toEqual([]);
  });

  test('that keeps what it should remove is not believed, and the code is on the list until it is gone', async () => {
    const lockId = site.lockId(2);
    const { body } = await addCode(lockId, '8350');
    const query = { lockId, keyboardPwdId: body.keyboardPwdId, deleteType: 2 };
    site.lock(2).faults.memory.add('keeps');
    const kept = await site.api('DELETE', '/api/v1/passcode/delete', { query });
    expect([kept.status, kept.body.code, kept.body['lockError']]).toEqual([502, 'lock-refused', 'not-done']);
    expect(codesOf(2)).toEqual(['8350']);
    expect((await site.all('/api/v1/passcode/list', { lockId })).length).toBe(1);
    site.lock(2).faults.memory.clear();
    expect((await site.api('DELETE', '/api/v1/passcode/delete', { query })).status).toBe(200);
    expect(codesOf(2)).toEqual([]);
  });

  test('that was replaced gets back what was on it, and one from which a code was taken does not', async () => {
    const [lock, lockId] = [site.lock(3), site.lockId(3)];
    for (const code of ['3917', '4826', '5038']) expect((await addCode(lockId, code)).status).toBe(200);
    lock.forget({ kind: 'passcode', number: '4826' });
    lock.cutNetwork();
    await site.whenOnline(3, false);
    lock.restoreNetwork();
    await site.whenOnline(3);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(codesOf(3).sort()).toEqual(['3917', '5038']);
    await lock.wipe();
    await until(() => codesOf(3).length === 2, 'the codes are back');
    expect(codesOf(3).sort()).toEqual(['3917', '5038']);
  });

  test('that says a wrong digest goes on opening, and is not listed without end', async () => {
    const [lock, lockId] = [site.lock(3), site.lockId(3)];
    lock.faults.memory.add('wrong-digest');
    lock.cutNetwork();
    await site.whenOnline(3, false);
    lock.restoreNetwork();
    await site.whenOnline(3);
    const door = await site.api('POST', '/api/v1/lock/unlock', { query: { lockId } });
    expect(door.body['success']).toBe(true);
    expect(await lock.enterPasscode('3917')).toEqual({ done: true });
  });
});

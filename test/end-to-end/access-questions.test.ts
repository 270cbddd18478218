// The questions of the day after, asked of the real daemon about real locks (HTTP API 12.9).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LockHandle } from '../../device-sim/lock-handle.ts';
import { openSite, program, type Site, until } from '../support/site.ts';

let site: Site;
const always = { startDate: 0, endDate: 0 };
const [first, away] = [1, 2];

beforeAll(async () => {
  site = await openSite({ locks: [{}, {}] });
});
afterAll(() => site.close());

async function add(n: number, cardNumber: string, cardName: string, addType: 1 | 2 = 2): Promise<number> {
  const query = { lockId: site.lockId(n), cardNumber, method: 'regular', addType, cardName, ...always };
  const { status, body } = await site.api('POST', '/api/v1/identity-card/add', { query });
  expect(status).toBe(200);
  return body.keyboardPwdId;
}

async function drop(n: number, cardId: number, deleteType: 1 | 2 = 2): Promise<void> {
  const query = { lockId: site.lockId(n), cardId, deleteType };
  expect(await site.api('DELETE', '/api/v1/identity-card/delete', { query })).toMatchObject({ status: 200 });
}

async function who(n: number, date: number, more: { readonly knownAt?: number } = {}) {
  const { status, body } = await site.api('GET', '/api/v1/access/who', { query: { lockId: site.lockId(n), date, ...more } });
  expect(status).toBe(200);
  return body.list.filter(({ kind }) => kind !== 'remote').map(({ name, certain }) => [name, certain]);
}

/**
 * A date, when the clock has gone on to a later one, and that of the lock that was swiped, too: it is behind by as long as the message took
 * that set it.
 */
async function noted(lock?: LockHandle): Promise<number> {
  const date = Date.now() + 2;
  await until(() => Math.min(Date.now(), lock?.clockNow ?? Date.now()) > date + 2, 'the clocks go on');
  return date;
}

test('who could open a lock at a date follows each change, also after a kill', async () => {
  const before = await noted();
  const ada = await add(first, '7001', 'Ada');
  const withAda = await noted();
  await add(first, '7002', 'Bob');
  const withBoth = await noted();
  await drop(first, ada);
  const withBob = await noted();
  const dates = [before, withAda, withBoth, withBob];
  const expected = [
    [],
    [['Ada', true]],
    [
      ['Ada', true],
      ['Bob', true],
    ],
    [['Bob', true]],
  ];
  expect(await Promise.all(dates.map((date) => who(first, date)))).toEqual(expected);
  await site.kill9();
  await site.start();
  await site.whenOnline(first, true);
  expect(await Promise.all(dates.map((date) => who(first, date)))).toEqual(expected);
});

test('accounts with a role are among them, and a lock is asked about by its managers alone', async () => {
  const lockId = site.lockId(first);
  const { body } = await site.api('GET', '/api/v1/access/who', { query: { lockId, date: Date.now() } });
  expect(body.list.filter(({ kind }) => kind === 'remote')).toMatchObject([
    { name: 'admin', because: expect.stringMatching(/^administrator/) },
  ]);
  expect(body).toMatchObject({ superPasscode: false, strangers: 0 });
  const made = await site.api('POST', '/api/v1/gateway/accounts', { body: { username: 'ole', gatewayAdministrator: false } });
  expect(made.status).toBe(201);
  const token = (await site.api('POST', '/api/v1/gateway/tokens', { body: { username: 'ole', name: 'x' } })).body.token;
  for (const path of ['who', 'completeness']) {
    const query = { lockId, date: 1, startDate: 1, endDate: 2 };
    expect(await site.api('GET', `/api/v1/access/${path}`, { token, query })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  }
  const where = await site.api('GET', '/api/v1/access/where', { token, query: { cardNumber: '7002', date: Date.now() } });
  expect(where.body).toMatchObject({ list: [], total: 0, hiddenLocks: 1 });
});

test('a card is found on every lock in every byte order, and a future date is refused', async () => {
  await add(away, '7002', 'Bob');
  const date = await noted();
  const found = async (cardNumber: string) => {
    const { body } = await site.api('GET', '/api/v1/access/where', { query: { cardNumber, date } });
    return body.list.map(({ lockId }) => lockId);
  };
  expect(await found('0007002')).toEqual([site.lockId(first), site.lockId(away)]);
  // 7002 is 0x00001b5a; its four bytes reversed.
  expect(await found(String(0x5a1b0000))).toEqual([site.lockId(first), site.lockId(away)]);
  expect(await found('7009')).toEqual([]);
  const query = { cardNumber: '7002', date: Date.now() + 60_000 };
  expect(await site.api('GET', '/api/v1/access/where', { query })).toMatchObject({ status: 400, body: { code: 'invalid-parameter' } });
  const both = { cardNumber: '7002', personId: 5, date };
  expect(await site.api('GET', '/api/v1/access/where', { query: both })).toMatchObject({ status: 400 });
});

test('while a lock is away nothing of it is certain, and when it is back it is; as it was known then it stays uncertain', async () => {
  const lock = site.lock(away);
  await site.kill9();
  lock.cutNetwork();
  await site.start();
  const whileAway = await noted();
  expect(await who(away, whileAway)).toEqual([['Bob', false]]);
  lock.restoreNetwork();
  await site.whenOnline(away, true);
  await until(async () => (await who(away, whileAway))[0]?.[1] === true, 'the lock has shown what it holds');
  expect(await who(away, whileAway, { knownAt: whileAway })).toEqual([['Bob', false]]);
});

test('the completeness of a lock needs that it has said so since', async () => {
  const lockId = site.lockId(away);
  const lock = site.lock(away);
  const start = Date.now();
  lock.cutNetwork();
  await site.whenOnline(away, false);
  await lock.swipeCard('7002');
  const end = await noted();
  const asked = async () =>
    (await site.api('GET', '/api/v1/access/completeness', { query: { lockId, startDate: start - 60_000, endDate: end } })).body;
  expect(await asked()).toMatchObject({ complete: false, unheardAfter: expect.any(Number) });
  lock.restoreNetwork();
  await until(async () => (await asked())['complete'] === true, 'the lock has told everything');
  expect(await asked()).toMatchObject({ records: expect.any(Number), unheardAfter: null, clockDoubtful: [] });
});

async function person(name: string, cardNumber: string, grants: readonly object[]): Promise<{ personId: number; credentialId: number }> {
  const personId = Number((await site.api('POST', '/api/v1/access/people', { body: { name } })).body['personId']);
  const card = { kind: 'card', cardNumber, name: 'fob' };
  const made = await site.api('POST', `/api/v1/access/people/${personId}/credentials`, { body: card });
  expect(made.status).toBe(201);
  for (const grant of grants)
    expect((await site.api('POST', `/api/v1/access/people/${personId}/grants`, { body: grant })).status).toBe(201);
  return { personId, credentialId: Number(made.body['credentialId']) };
}

test.each([
  ['4711', 'has confirmed', []],
  ['4712', 'has not confirmed', [{ kind: 'lost-reply' }]],
] as const)(
  "a swipe with a card (%s) that the lock %s is put down to who had it then, though it is another person's when the lock tells of it",
  async (card, _what, faults) => {
    const lockId = site.lockId(away);
    const lock = site.lock(away);
    const grant = { lockIds: [lockId], startDate: 0, endDate: 0 };
    const status = async () => (await site.all(`/api/v1/access/locks/${lockId}/entries`)).find(({ number }) => number === card)?.['status'];
    lock.script(faults);
    const alice = await person('Alice', card, [grant]);
    await until(() => lock.memory.cards.some(({ cardNumber }) => cardNumber === card), 'the lock has the card');
    await until(async () => (await status()) === (faults.length === 0 ? 'on-lock' : 'unsure'), 'the gateway knows as much as it can');
    const start = await noted(lock);
    lock.cutNetwork();
    await site.whenOnline(away, false);
    expect(await lock.swipeCard(card)).toMatchObject({ done: true });
    const path = `/api/v1/access/people/${alice.personId}/credentials/${alice.credentialId}`;
    expect((await site.api('DELETE', path)).status).toBe(200);
    const bob = await person('Bob', card, [grant]);
    await noted(lock);
    lock.restoreNetwork();
    await site.whenOnline(away, true);
    const did = async (personId: number) => {
      const query = { personId, startDate: start, endDate: Date.now() };
      const { body } = await site.api('GET', '/api/v1/access/records', { query });
      return body.list.map(({ keyboardPwd, ...record }) => [keyboardPwd, record['credentialId']]);
    };
    await until(async () => (await did(alice.personId)).length === 1, 'the lock has told of the swipe');
    expect(await did(alice.personId)).toEqual([[card, alice.credentialId]]);
    expect(await did(bob.personId)).toEqual([]);
    await until(async () => (await lock.swipeCard(card)).done === true, 'the card opens for Bob');
    await until(async () => (await did(bob.personId)).length === 1, "Bob's swipe is there");
    expect(await did(alice.personId)).toHaveLength(1);
  },
);

test('latchd access who says the same', async () => {
  const run = promisify(execFile);
  const lockId = String(site.lockId(first));
  const { stdout } = await run(process.execPath, [program, 'access', 'who', '--lock', lockId, '--data-dir', site.dataDir]);
  expect(stdout).toMatch(/Bob +card +7002 +yes +held since/);
  const json = await run(process.execPath, [
    program,
    'access',
    'who',
    '--lock',
    lockId,
    '--at',
    '2026-01-02',
    '--json',
    '--data-dir',
    site.dataDir,
  ]);
  expect(JSON.parse(json.stdout)).toEqual([]);
  await expect(run(process.execPath, [program, 'access', 'who', '--lock', '999', '--data-dir', site.dataDir])).rejects.toMatchObject({
    code: 1,
  });
});

// Is a lost card dead everywhere? Twelve doors through the real daemon, two of them away; and who has the card meanwhile (HTTP API 12.6).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const card = '1325672378';
const reversed = '3123119183';
const always = { startDate: 0, endDate: 0 };
const doors = Array.from({ length: 12 }, (_, index) => index + 1);
const away = [11, 12];
const runs = createRuns();
let site: Site;

interface RevokedLock {
  readonly lockId: number;
  readonly state: string;
  readonly proof?: { readonly basis: string; readonly date: number };
  readonly admitsUntil?: number | null;
  readonly do?: readonly string[];
}
interface Report {
  readonly revocationId: number;
  readonly certain: boolean;
  readonly doors: { readonly dead: number; readonly open: number };
  readonly locks: readonly RevokedLock[];
}

beforeAll(async () => {
  const features = ['credentials', 'hours', 'once'];
  // Every other one is a lock of before.
  site = await openSite({ locks: doors.map((n) => (n % 2 === 0 ? {} : { features })) });
});
afterAll(async () => {
  await runs.endAll();
  await site.close();
});

const reportOf = async (revocationId: number) =>
  (await site.api('GET', `/api/v1/access/revocations/${revocationId}`)).body as unknown as Report;
const statesOf = (report: Report) => doors.map((n) => report.locks.find(({ lockId }) => lockId === site.lockId(n))?.state);
const memoryOf = (n: number) => site.lock(n).memory.cards.map(({ cardNumber }) => cardNumber);

async function add(n: number, cardNumber: string): Promise<void> {
  const query = { lockId: site.lockId(n), cardNumber, method: 'regular', addType: 2, cardName: 'Maria', ...always };
  expect((await site.api('POST', '/api/v1/identity-card/add', { query })).status).toBe(200);
}
async function alarms(n: number): Promise<readonly unknown[]> {
  const { body } = await site.api('GET', '/api/v1/gateway/alarms', { query: { pageSize: 1000 } });
  return body.list.filter(({ lockId }) => lockId === site.lockId(n)).map((alarm) => alarm['kind']);
}

test('a lost card is proven dead at ten doors, and two that are away are open until they come back; only then it is certain', async () => {
  for (const n of doors) await add(n, n === 3 ? reversed : card);
  await add(1, '5550001');
  for (const n of away) site.lock(n).cutNetwork();
  for (const n of away) await site.whenOnline(n, false);

  const reported = await site.api('POST', '/api/v1/access/cards/lost', { body: { cardNumber: card, reason: 'in town' } });
  expect(reported.status).toBe(200);
  const { revocationId, certain } = reported.body as unknown as Report;
  expect(certain).toBe(false);
  await until(async () => (await reportOf(revocationId)).doors.dead === 10, 'ten doors have proven it');
  const report = await reportOf(revocationId);
  expect(statesOf(report)).toEqual(doors.map((n) => (away.includes(n) ? 'offline' : 'gone')));
  expect(report).toMatchObject({ certain: false, doors: { dead: 10, open: 2 } });
  for (const { state, proof, admitsUntil, do: advice } of report.locks) {
    if (state === 'gone') expect(['reply', 'digest', 'list']).toContain(proof?.basis);
    else expect([admitsUntil, advice?.[0]]).toEqual([null, 'bring it online']);
  }
  expect(doors.filter((n) => !away.includes(n)).flatMap(memoryOf)).toEqual(['5550001']);

  // It still opens a door that is away, and the gateway hears of it when that is back: with an alarm, and then it opens nothing.
  expect(await site.lock(11).swipeCard(card)).toMatchObject({ done: true });
  expect(await site.lock(1).swipeCard(card)).toMatchObject({ done: false });
  await until(async () => (await alarms(1)).includes('lost-credential-used'), 'the refused swipe is an alarm');
  site.lock(11).restoreNetwork();
  await until(async () => statesOf(await reportOf(revocationId))[10] === 'gone', 'the door that is back has proven it');
  await until(async () => (await alarms(11)).includes('lost-credential-used'), 'the swipe at the door that was away is an alarm');
  expect(await site.lock(11).swipeCard(card)).toMatchObject({ done: false });
  expect(await reportOf(revocationId)).toMatchObject({ certain: false, doors: { dead: 11, open: 1 } });

  await site.kill9();
  site.lock(12).restoreNetwork();
  await site.start();
  await until(async () => (await reportOf(revocationId)).certain, 'it is certain');
  expect(await reportOf(revocationId)).toMatchObject({ certain: true, doors: { dead: 12, open: 0 } });
  expect(doors.flatMap(memoryOf)).toEqual(['5550001']);
});

test('a phone that puts a lost card on a lock has it taken off again, and the alarm of its use is ended by a person alone', async () => {
  site.lock(5).learn({ kind: 'card', number: card, ...always });
  site.lock(5).cutNetwork();
  await site.whenOnline(5, false);
  site.lock(5).restoreNetwork();
  await site.whenOnline(5);
  await until(() => memoryOf(5).length === 0, 'it is off');
  expect(await alarms(1)).toContain('lost-credential-used');
  expect((await site.api('DELETE', `/api/v1/gateway/alarms/lost-credential-used/${site.lockId(1)}`)).status).toBe(200);
  expect(await alarms(1)).not.toContain('lost-credential-used');
});

test('the command line shows the same as a table, and adding a lost card is refused until it is found', async () => {
  const run = runs.begin(['card', 'lost', card, '--data-dir', site.dataDir]);
  expect(await run.ended).toBe(0);
  expect(run.stdout().split('\n')[0]).toMatch(/^lock +name +state +proof +opens until +what to do$/);
  expect(run.stdout().match(/ gone /g)).toHaveLength(12);
  expect(run.stderr()).toContain('it is dead everywhere (12 locks)');
  const query = { lockId: site.lockId(1), cardNumber: card, method: 'regular', addType: 2, ...always };
  expect((await site.api('POST', '/api/v1/identity-card/add', { query })).body.code).toBe('conflict');
  expect((await site.api('POST', '/api/v1/access/cards/found', { body: { cardNumber: card } })).status).toBe(200);
  expect((await site.api('POST', '/api/v1/identity-card/add', { query })).status).toBe(200);
  expect(memoryOf(1)).toContain(card);
});

test('a card that nobody had when it was lost is on no lock when a person gets it, the entry says why, and it is there once it is found', async () => {
  const number = '5550042';
  const ask = (method: string, path: string, body: object) => site.api(method, `/api/v1/access/${path}`, { body });
  expect((await ask('POST', 'cards/lost', { cardNumber: number, reason: 'found in the street' })).status).toBe(200);
  const person = { name: 'Max', credentials: [{ kind: 'card', cardNumber: number }], grants: [{ lockIds: [site.lockId(1)] }] };
  expect((await ask('PUT', 'people/external/HR-42', person)).status).toBe(201);
  const entry = async () => (await site.all(`/api/v1/access/locks/${site.lockId(1)}/entries`)).find((one) => one['number'] === number);
  await until(async () => (await entry()) !== undefined, 'there is an entry');
  expect(await entry()).toMatchObject({ status: 'ended', why: 'lost', name: 'Max' });
  expect(memoryOf(1)).not.toContain(number);
  expect((await ask('POST', 'cards/found', { cardNumber: number })).status).toBe(200);
  await until(async () => (await entry())?.['status'] === 'on-lock', 'it is on the lock');
  expect([memoryOf(1).includes(number), (await entry())?.['why']]).toEqual([true, null]);
});

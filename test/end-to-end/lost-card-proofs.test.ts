// How a lock lost a lost card: only what the lock itself has said is a proof (HTTP API 12.6).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sentCredentials } from '../support/lock-traffic.ts';
import { openSite, type Site, until } from '../support/site.ts';

const always = { startDate: 0, endDate: 0 };
let site: Site;

interface Report {
  readonly revocationId: number;
  readonly certain: boolean;
  readonly locks: readonly { readonly lockId: number; readonly state: string; readonly proof?: { readonly basis: string } }[];
}

beforeAll(async () => {
  const features = ['credentials', 'hours', 'once'];
  site = await openSite({ locks: [{ features }, { features }, {}], flags: ['--command-timeout-ms', '4000'] });
});
afterAll(() => site.close());

async function add(n: number, cardNumber: string, addType = 2): Promise<number> {
  const query = { lockId: site.lockId(n), cardNumber, method: 'regular', addType, cardName: 'Maria', ...always };
  const { status, body } = await site.api('POST', '/api/v1/identity-card/add', { query });
  expect(status).toBe(200);
  return Number(body['keyboardPwdId']);
}
async function lost(cardNumber: string): Promise<Report> {
  const { status, body } = await site.api('POST', '/api/v1/access/cards/lost', { body: { cardNumber, reason: '' } });
  expect(status).toBe(200);
  return body as unknown as Report;
}
const reportOf = async ({ revocationId }: Report) =>
  (await site.api('GET', `/api/v1/access/revocations/${revocationId}`)).body as unknown as Report;
const isHeld = (n: number, number: string) => site.lock(n).memory.cards.some(({ cardNumber }) => cardNumber === number);

test('a removal without a reply is proven by what the lock shows afterwards', async () => {
  await add(1, '5550001');
  site.lock(1).script([{ kind: 'lost-reply' }]);
  const report = await lost('5550001');
  await until(async () => (await reportOf(report)).certain, 'it is certain');
  const [lock] = (await reportOf(report)).locks;
  expect(lock).toMatchObject({ state: 'gone' });
  expect(['digest', 'list']).toContain(lock?.proof?.basis);
});

test('a card that was deleted long before is proven to be gone, too', async () => {
  const cardId = await add(1, '5550002');
  const query = { lockId: site.lockId(1), cardId, deleteType: 2 };
  expect((await site.api('DELETE', '/api/v1/identity-card/delete', { query })).status).toBe(200);
  expect((await lost('5550002')).locks[0]).toMatchObject({ state: 'gone', proof: { basis: 'reply' } });
});

test('a lock with a new memory may be another device: nobody knows where the card still opens', async () => {
  await add(2, '5550003');
  site.lock(2).cutNetwork();
  await site.whenOnline(2, false);
  const report = await lost('5550003');
  expect(report.locks[0]).toMatchObject({ state: 'offline' });
  site.lock(2).restoreNetwork();
  await site.lock(2).wipe();
  await site.whenOnline(2);
  await until(async () => (await reportOf(report)).locks[0]?.state !== 'offline', 'the lock is heard');
  await until(() => !isHeld(2, '5550003'), 'it is off');
  await until(async () => (await reportOf(report)).locks[0]?.state !== 'removing', 'the gateway knows it');
  expect(await reportOf(report)).toMatchObject({ certain: false, locks: [{ state: 'unknown' }] });
});

test('what a phone is said to have removed is proven only when the lock is heard again', async () => {
  site.lock(3).cutNetwork();
  await site.whenOnline(3, false);
  const cardId = await add(3, '5550004', 1);
  const query = { lockId: site.lockId(3), cardId, deleteType: 1 };
  expect((await site.api('DELETE', '/api/v1/identity-card/delete', { query })).status).toBe(200);
  const report = await lost('5550004');
  expect(report).toMatchObject({ certain: false, locks: [{ state: 'reported' }] });
  site.lock(3).restoreNetwork();
  await until(async () => (await reportOf(report)).certain, 'the lock has said so');
  const [lock] = (await reportOf(report)).locks;
  expect(lock).toMatchObject({ state: 'gone' });
  expect(['digest', 'list']).toContain(lock?.proof?.basis);
});

test('a card that is reported lost while a door goes before it is not put on the lock any more', async () => {
  const lockId = site.lockId(1);
  const body = { name: 'Erika', credentials: [{ kind: 'card', cardNumber: '5550005' }], grants: [{ lockIds: [lockId] }] };
  site.lock(1).script([{ kind: 'slow', delayMs: 2_000 }]);
  const unlocked = site.api('POST', '/api/v1/lock/unlock', { query: { lockId } });
  expect((await site.api('PUT', '/api/v1/access/people/external/erika', { body })).status).toBe(201);
  const entry = async () => (await site.all(`/api/v1/access/locks/${lockId}/entries`)).find(({ number }) => number === '5550005');
  await until(async () => (await entry())?.['status'] === 'unsure', 'it waits for the door');
  const report = await lost('5550005');
  expect((await unlocked).status).toBe(200);
  await until(async () => (await entry()) === undefined, 'nothing is left of it');
  expect(sentCredentials(site.wire).filter(({ number }) => number === '5550005')).toEqual([]);
  expect(await reportOf(report)).toMatchObject({ certain: true });
});

test('a card that somebody adds is refused when it is reported lost while a door goes before it', async () => {
  const lockId = site.lockId(2);
  site.lock(2).script([{ kind: 'slow', delayMs: 2_000 }]);
  const unlocked = site.api('POST', '/api/v1/lock/unlock', { query: { lockId } });
  const query = { lockId, cardNumber: '5550006', method: 'regular', addType: 2, ...always };
  const added = site.api('POST', '/api/v1/identity-card/add', { query });
  const entry = async () => (await site.all(`/api/v1/access/locks/${lockId}/entries`)).find(({ number }) => number === '5550006');
  await until(async () => (await entry())?.['status'] === 'unsure', 'it waits for the door');
  const report = await lost('5550006');
  expect((await unlocked).status).toBe(200);
  expect((await added).body.code).toBe('conflict');
  expect(await entry()).toBeUndefined();
  expect(sentCredentials(site.wire).filter(({ number }) => number === '5550006')).toEqual([]);
  expect(await reportOf(report)).toMatchObject({ certain: true });
});

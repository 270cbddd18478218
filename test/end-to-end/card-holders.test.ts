// Whose a card is: of a swipe that its lock tells of late (HTTP API 5.7 lock/records), and of a card that was on a lock before the gateway added it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';

let site: Site;
const always = { startDate: 0, endDate: 0 };
const phoned = { cardNumber: '5550001', ...always };

beforeAll(async () => {
  site = await openSite({ locks: [{}, { cards: [phoned] }], flags: ['--command-timeout-ms', '3000'] });
});
afterAll(() => site.close());

/** Noted, as a phone does it at a lock that is away. */
async function add(cardName: string): Promise<number> {
  const query = { lockId: site.lockId(1), cardNumber: '4711', method: 'regular', addType: 1, cardName, ...always };
  const { status, body } = await site.api('POST', '/api/v1/identity-card/add', { query });
  expect(status).toBe(200);
  return body.keyboardPwdId;
}

async function names(): Promise<readonly string[]> {
  const records = await site.all('/api/v1/lock/records', { lockId: site.lockId(1) });
  return records.filter(({ keyboardPwd }) => keyboardPwd === '4711').map(({ username }) => username);
}

/** Until the gateway's clock and the lock's, which may differ by what a slow machine takes, are both later than now. */
async function later(): Promise<void> {
  const now = Math.max(Date.now(), site.lock(1).clockNow ?? 0);
  await until(() => Math.min(Date.now(), site.lock(1).clockNow ?? 0) > now, 'both clocks have gone on');
}

test('a record names the holder of the card at that time, not of its number or name now, also after a kill', async () => {
  const lockId = site.lockId(1);
  const added = await site.api('POST', '/api/v1/identity-card/add', {
    query: { lockId, cardNumber: '4711', method: 'regular', addType: 2, cardName: 'Alice', ...always },
  });
  const cardId = added.body.keyboardPwdId;
  const lock = site.lock(1);
  lock.cutNetwork();
  await site.whenOnline(1, false);
  expect(await lock.swipeCard('4711')).toMatchObject({ done: true });
  await later();
  await site.api('PUT', '/api/v1/identity-card/rename', { query: { lockId, cardId, cardName: 'Ann', changeType: 1 } });
  await later();
  expect(await lock.swipeCard('4711')).toMatchObject({ done: true });
  await later();
  await site.api('DELETE', '/api/v1/identity-card/delete', { query: { lockId, cardId, deleteType: 1 } });
  await add('Bob');
  await later();
  expect(await lock.swipeCard('4711')).toMatchObject({ done: true });
  await site.kill9();
  await site.start();
  lock.restoreNetwork();
  await until(async () => (await names()).length === 3, 'the records are there');
  expect(await names()).toEqual(['Bob', 'Ann', 'Alice']);
});

test('a card that a phone had put on a lock stays there when the gateway adds it and hears no answer, and opens as before', async () => {
  const lockId = site.lockId(2);
  const lock = site.lock(2);
  const add = { lockId, cardNumber: phoned.cardNumber, method: 'regular', addType: 2, ...always };
  const settled = () => site.gateway.log.filter(({ code, lockId: of }) => code === 'card-settled' && of === lockId).length;
  /** The reply to the next command is lost, and that command is the one that is asked next: the gateway has nothing else to say. */
  const loseNextReply = async () => {
    expect((await site.api('POST', `/api/v1/access/locks/${lockId}/check`)).status).toBe(200);
    lock.script([{ kind: 'lost-reply' }]);
  };
  const addInVain = async () => {
    const before = settled();
    await loseNextReply();
    expect(await site.api('POST', '/api/v1/identity-card/add', { query: add })).toMatchObject({ status: 504 });
    await until(() => settled() > before, 'the add is settled');
    expect(lock.memory.cards).toEqual([phoned]);
    expect(await lock.swipeCard(phoned.cardNumber)).toEqual({ done: true });
  };
  // First nobody knows what was there; then the lock is asked.
  await addInVain();
  expect(site.gateway.log.some(({ code, lockId: of }) => code === 'card-left-on-lock' && of === lockId)).toBe(true);
  expect((await site.api('GET', '/api/v1/identity-card/on-lock', { query: { lockId } })).body.list).toEqual([{ ...phoned, known: false }]);
  await addInVain();
  // One that was not there is taken off again.
  await loseNextReply();
  expect(await site.api('POST', '/api/v1/identity-card/add', { query: { ...add, cardNumber: '5550002' } })).toMatchObject({ status: 504 });
  await until(() => lock.memory.cards.length === 1, 'the unconfirmed card is taken off');
  expect(lock.memory.cards).toEqual([phoned]);
});

// Cards on many locks, some of which are away, fail, forget or are reset, through the real daemon.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  addQueued,
  grantTo,
  killsDuringGrants,
  numbersOn,
  putsAgain,
  putsOf,
  removalsWithoutAnswer,
  statusOf,
  unlockTimes,
} from '../support/access-checks.ts';
import { sentCredentials } from '../support/lock-traffic.ts';
import { createRandom } from '../support/seeded-random.ts';
import { openSite, type Site, until } from '../support/site.ts';

const today = { features: ['credentials', 'hours', 'once'] };
const old = {};
const all = Array.from({ length: 20 }, (_, index) => index + 1);
let site: Site;

beforeAll(async () => {
  site = await openSite({ locks: all.map((lock) => (lock % 10 === 0 ? old : today)) });
});
afterAll(() => site.close());

const holds = (lock: number, number: string): boolean => numbersOn(site, lock).includes(number);

describe('a grant to twenty locks', () => {
  test('is at once on those that are there, on the others when they come, and no command leaves the session it was made for', async () => {
    const [there, away] = [all.filter((lock) => lock % 2 === 1), all.filter((lock) => lock % 2 === 0)];
    for (const lock of away) site.lock(lock).cutNetwork();
    for (const lock of away) await site.whenOnline(lock, false);
    const { body } = await grantTo(site, '4000001', all);
    const [grant] = body['grants'] as { readonly grantId: number }[];
    const progress = async () => (await site.api('GET', `/api/v1/access/grants/${grant?.grantId}`)).body['progress'];
    await until(() => there.every((lock) => holds(lock, '4000001')), 'it is on the locks that are there');
    await until(async () => ((await progress()) as Record<string, number>)['on-lock'] === there.length, 'the gateway says so');
    expect(await progress()).toMatchObject({ wanted: 20, 'on-lock': there.length, pending: away.length });
    for (const lock of away) site.lock(lock).restoreNetwork();
    await until(() => all.every((lock) => holds(lock, '4000001')), 'it is on all locks');
    await until(async () => ((await progress()) as Record<string, number>)['on-lock'] === all.length, 'the gateway says so');
    expect(putsAgain(site, ['4000001'])).toEqual([]);
    const sent = sentCredentials(site.wire).map(({ deviceId, commandId }) => ({ deviceId, ...site.wire.command(deviceId, commandId) }));
    const sessionOf = new Map<string, string | undefined>(all.map((lock) => [site.lock(lock).deviceId, site.lock(lock).session]));
    expect(sent.filter(({ deviceId, session }) => session !== sessionOf.get(deviceId))).toEqual([]);
  });

  test('ends the same when the gateway dies at any moment, and nothing is put on a lock again that has said ok to it', async () => {
    expect(await killsDuringGrants(site, all, 3, createRandom(3))).toEqual([]);
  });
});

test('what is given to a lock that is away and taken back before it comes is never sent to it', async () => {
  const [lock, card, granted] = [7, '4050001', '4050002'];
  site.lock(lock).cutNetwork();
  await site.whenOnline(lock, false);
  const cardId = await addQueued(site, lock, card);
  const { body } = await grantTo(site, granted, [lock]);
  await until(async () => (await statusOf(site, lock, granted)) === 'pending', 'both wait for the lock');
  expect(await statusOf(site, lock, card)).toBe('pending');
  const query = { lockId: site.lockId(lock), cardId, deleteType: 2, queue: 1 };
  expect((await site.api('DELETE', '/api/v1/identity-card/delete', { query })).status).toBe(200);
  const [grant] = body['grants'] as { readonly grantId: number }[];
  expect((await site.api('DELETE', `/api/v1/access/grants/${grant?.grantId}`)).status).toBe(200);
  site.lock(lock).restoreNetwork();
  await site.whenOnline(lock);
  // What comes later is there, so what was before it would have come, too.
  await addQueued(site, lock, '4050003');
  await until(() => holds(lock, '4050003'), 'the lock is as it must be');
  expect(sentCredentials(site.wire).filter(({ number }) => number === card || number === granted)).toEqual([]);
});

test('a card of fifty that a phone took off stays missing over a hundred reconnections; a new memory gets back the forty-nine', async () => {
  const [lock, handle] = [1, site.lock(1)];
  const before = numbersOn(site, lock).length;
  const numbers = Array.from({ length: 50 }, (_, index) => String(4_100_000 + index));
  for (const number of numbers) await addQueued(site, lock, number);
  await until(() => numbers.every((number) => holds(lock, number)), 'all are on the lock');
  const [taken = ''] = numbers;
  await until(async () => (await statusOf(site, lock, taken)) === 'on-lock', 'the gateway says so');
  const puts = putsOf(site, lock, taken);
  handle.forget({ kind: 'card', number: taken });
  for (let time = 0; time < 100; time++) {
    handle.cutNetwork();
    handle.restoreNetwork();
    await handle.whenOnline();
  }
  await until(async () => (await statusOf(site, lock, taken)) === 'missing', 'it is missing');
  expect([holds(lock, taken), numbersOn(site, lock).length]).toEqual([false, before + 49]);
  await handle.wipe();
  await until(() => numbersOn(site, lock).length >= before + 49, 'the others are back');
  await until(async () => (await statusOf(site, lock, numbers[49] ?? '')) === 'on-lock', 'the gateway says so');
  expect([holds(lock, taken), numbersOn(site, lock).length, await statusOf(site, lock, taken)]).toEqual([false, before + 49, 'missing']);
  expect(putsOf(site, lock, taken)).toBe(puts);
});

test('a lock that says ok and forgets is tried three times, then left alone, and the others open meanwhile', async () => {
  const [lock, number] = [2, '4200001'];
  site.lock(lock).faults.memory.add('forgets');
  await addQueued(site, lock, number);
  const opened = await unlockTimes(site, 3, 5);
  expect(opened.length).toBe(5);
  await until(async () => (await statusOf(site, lock, number)) === 'failed', 'it is given up for now');
  await unlockTimes(site, 3, 5);
  expect(putsOf(site, lock, number)).toBe(3);
  site.lock(lock).faults.memory.clear();
  site.lock(lock).cutNetwork();
  await site.whenOnline(lock, false);
  site.lock(lock).restoreNetwork();
  await until(() => holds(lock, number), 'a new session tries it once more');
  expect(putsOf(site, lock, number)).toBe(4);
});

test('a removal that nobody hears of ends as the lock has it, forgets no card, and takes no card of others', async () => {
  const locks = [1, 2, 3, 4, 5, 6];
  const own = await openSite({ locks: locks.map(() => today), flags: ['--command-timeout-ms', '1000'] });
  try {
    const random = createRandom(5);
    const wrong = await Promise.all(locks.map((lock) => removalsWithoutAnswer(own, lock, 3, random)));
    expect(wrong.flat()).toEqual([]);
  } finally {
    await own.close();
  }
});

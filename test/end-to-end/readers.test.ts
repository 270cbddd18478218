// A reader that gives cards reversed, and cards that become a person's at a reader, through the real daemon (HTTP API 12.7 and 12.8).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';
import { connectHandLock, type HandLock } from '../support/site-lock.ts';

const access = '/api/v1/access';
const [alices, bobs, carols, direct] = ['1325672378', '3661413478', '5550001', '11259375'];
let site: Site;
let hand: HandLock;
let handId = 0;

beforeAll(async () => {
  const features = ['credentials', 'hours', 'once'];
  site = await openSite({ locks: [{ features, byteOrder: 'reverse' }, {}] });
  const { body } = await site.api('POST', '/api/v1/gateway/locks', {
    body: { lockMac: '02:CC:00:00:00:77', lockName: 'hand', administrator: 'admin' },
  });
  handId = body.lockId;
  hand = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: body.deviceId, deviceKey: body.deviceKey });
  answerAll(hand);
});
afterAll(async () => {
  await hand.end();
  await site.close();
});

function answerAll(lock: HandLock): void {
  lock.client.on('message', (_topic, payload) => {
    const { id } = JSON.parse(payload.toString()) as { id: string };
    void lock.publish('reply', { id, ok: true }).catch(() => undefined);
  });
}

/** By text: shares nothing with the gateway's arithmetic. */
function reversed(number: string): string {
  const digits = BigInt(number).toString(16).padStart(8, '0');
  return String(BigInt(`0x${Buffer.from(digits, 'hex').reverse().toString('hex')}`));
}

async function ask<Answer>(method: string, path: string, body?: object): Promise<{ status: number; body: Answer & { code: string } }> {
  const { status, body: answer } = await site.api(method, `${access}/${path}`, body && { body });
  return { status, body: answer as unknown as Answer & { code: string } };
}
async function person(name: string, cardNumber?: string, lockIds: readonly number[] = []): Promise<number> {
  const { personId } = (await ask<{ personId: number }>('POST', 'people', { name })).body;
  if (cardNumber) expect((await ask('POST', `people/${personId}/credentials`, { kind: 'card', cardNumber, name: '' })).status).toBe(201);
  if (lockIds.length > 0) expect((await ask('POST', `people/${personId}/grants`, { lockIds })).status).toBe(201);
  return personId;
}
const numbersOn = (n: number) =>
  site
    .lock(n)
    .memory.cards.map(({ cardNumber }) => cardNumber)
    .sort();

interface Suggestion {
  readonly suggestionId: number;
  readonly lockId: number;
  readonly cards: number;
  readonly swipes: number;
  readonly directCards: number;
}
async function suggestions(): Promise<readonly Suggestion[]> {
  await site.lock(1).whenEventsAcknowledged();
  return (await ask<{ list: readonly Suggestion[] }>('GET', 'suggestions')).body.list;
}

test('a reversed reader is recognised by two cards; only what a person accepts opens, at the next swipe, and nobody else gets in', async () => {
  const lockId = site.lockId(1);
  await person('Alice', alices, [lockId, site.lockId(2)]);
  await person('Bob', bobs, [lockId]);
  await person('Carol', carols);
  const query = { lockId, cardNumber: direct, method: 'regular', addType: 2, startDate: 0, endDate: 0, cardName: 'Dora' };
  expect((await site.api('POST', '/api/v1/identity-card/add', { query })).status).toBe(200);
  await until(() => numbersOn(1).length === 3 && numbersOn(2).length === 1, 'all cards are on the locks');
  const printed = [alices, bobs, direct].sort();
  expect([numbersOn(1), numbersOn(2)]).toEqual([printed, [alices]]);

  // The reader sees Carol's card, who has no grant, and a card that reversed is nobody's.
  for (const number of [carols, '7770001']) expect(await site.lock(1).swipeCard(number)).toMatchObject({ done: false });
  expect(await suggestions()).toEqual([]);
  expect(await site.lock(1).swipeCard(alices)).toMatchObject({ done: false });
  await until(async () => (await suggestions()).length === 1, 'one card is a suggestion');
  expect(await suggestions()).toMatchObject([{ lockId, cards: 1, swipes: 1 }]);
  for (const number of [alices, bobs, direct]) expect(await site.lock(1).swipeCard(number)).toMatchObject({ done: false });
  await until(async () => (await suggestions())[0]?.cards === 3, 'all three cards speak for it');
  const [found] = await suggestions();
  expect(found).toMatchObject({ lockId, cards: 3, swipes: 4, directCards: 1 });
  expect(numbersOn(1)).toEqual(printed);

  expect((await ask('POST', `suggestions/${found?.suggestionId}/accept`)).status).toBe(200);
  // At no time does the lock hold both numbers of a card.
  await until(() => {
    const now = numbersOn(1);
    for (const number of printed) expect(now.includes(number) && now.includes(reversed(number))).toBe(false);
    return now.join() === printed.map(reversed).sort().join();
  }, 'the lock has the numbers that its reader sees');
  // Nothing of that has moved a bolt.
  expect(site.lock(1).movements).toEqual([]);
  for (const number of [alices, bobs, direct]) expect(await site.lock(1).swipeCard(number)).toMatchObject({ done: true });
  for (const number of [carols, '7770001', reversed(alices)]) expect(await site.lock(1).swipeCard(number)).toMatchObject({ done: false });
  expect([numbersOn(2), await suggestions()]).toEqual([[alices], []]);
  expect((await ask('POST', `suggestions/${found?.suggestionId}/accept`)).body.code).toBe('not-found');

  // It is remembered of the lock: another card goes there as its reader sees it, also after a restart.
  await site.kill9();
  await site.start();
  await site.whenOnline(1);
  await person('Dave', '12345678', [lockId]);
  await until(() => numbersOn(1).includes(reversed('12345678')), 'it is there as the reader sees it');
});

test('of all swipes only a live one of one unknown card can be enrolled, and it is a credential only when it is confirmed', async () => {
  hand = await connectAgain();
  await hand.hello({ epoch: 'e1', lastSeq: 10 });
  await until(isOnline, 'the lock is online');
  let seq = 10;
  const swipe = (credential: string, members: object = {}) => {
    seq += 1;
    const event = { seq, type: 'card-unlock', success: false, reason: 'unknown-card', date: Date.now(), credential, ...members };
    return hand.publish('events', { epoch: 'e1', events: [event] });
  };
  const personId = await person('Erika');
  const begin = async () => {
    const { status, body } = await ask<{ enrolmentId: string }>('POST', 'enrolments', { personId, lockId: handId, seconds: 60 });
    expect([status, body.code]).toEqual([201, undefined]);
    return body.enrolmentId;
  };
  const read = async (id: string) => (await ask<{ state: string; cardEnds?: string; width?: number }>('GET', `enrolments/${id}`)).body;
  const cards = async () => (await ask<{ credentials: readonly { cardNumber?: string }[] }>('GET', `people/${personId}`)).body.credentials;

  const first = await begin();
  expect((await ask('POST', 'enrolments', { personId, lockId: handId, seconds: 60 })).body.code).toBe('conflict');
  // A backlog that arrives only now, a swipe of before, and a card that was admitted.
  await hand.publish('events', {
    epoch: 'e1',
    events: [{ seq: 4, type: 'card-unlock', success: false, reason: 'unknown-card', date: Date.now(), credential: '9990001' }],
  });
  await swipe('9990002', { date: Date.now() - 60_000 });
  await swipe('9990003', { success: true, reason: undefined });
  expect((await read(first)).state).toBe('waiting');
  // Alice's card, as a reader of the other byte order gives it.
  await swipe(reversed(alices));
  await until(async () => (await read(first)).state === 'known', 'it is known');
  expect((await read(first)).cardEnds).toBeUndefined();

  const second = await begin();
  await swipe('9990004');
  await until(async () => (await read(second)).state === 'found', 'one card is found');
  await swipe('9990005');
  await until(async () => (await read(second)).state === 'contested', 'two cards came');
  expect((await ask('POST', `enrolments/${second}/confirm`, { cardEnds: '0004' })).body.code).toBe('conflict');

  const third = await begin();
  expect((await ask('DELETE', `enrolments/${third}`)).status).toBe(200);
  await swipe('9990006');
  expect((await read(third)).state).toBe('closed');

  const fourth = await begin();
  await swipe('9990007');
  await until(async () => (await read(fourth)).state === 'found', 'the card is found');
  hand = await connectAgain();
  await hand.hello({ session: 'handmade2', epoch: 'e1', lastSeq: seq });
  await until(async () => (await read(fourth)).state === 'closed', 'the lock has reconnected');
  expect(await cards()).toEqual([]);

  await until(isOnline, 'the lock is online');
  const fifth = await begin();
  await swipe('9990008');
  await until(async () => (await read(fifth)).state === 'found', 'the card is found');
  expect(await read(fifth)).toMatchObject({ cardEnds: '0008', width: 4 });
  expect((await ask('POST', `enrolments/${fifth}/confirm`, { cardEnds: '0007' })).body.code).toBe('conflict');
  expect((await ask('POST', `enrolments/${fifth}/confirm`, { cardEnds: '0008' })).status).toBe(201);
  expect(await cards()).toMatchObject([{ cardNumber: '9990008' }]);
  expect((await ask('POST', `enrolments/${fifth}/confirm`, { cardEnds: '0008' })).body.code).toBe('conflict');
});

async function isOnline(): Promise<boolean> {
  const { body } = await site.api('GET', '/api/v1/gateway/locks', { query: { pageSize: 1000 } });
  return body.list.find(({ lockId }) => lockId === handId)?.online === true;
}

async function connectAgain(): Promise<HandLock> {
  await hand.end();
  const { body } = await site.api('POST', `/api/v1/gateway/locks/${handId}/key`);
  const lock = await connectHandLock({
    ...{ mqttUrl: site.gateway.mqttUrl, deviceId: body.deviceId, deviceKey: body.deviceKey, session: `made${Date.now()}` },
  });
  answerAll(lock);
  return lock;
}

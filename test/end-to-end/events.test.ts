// Live events over the real daemon and real locks: at once, with the rights of the caller, and resumed over kill -9 and restarts.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiDocument, createJudge } from '../support/api-document.ts';
import { type EventClient, listenTo } from '../support/event-client.ts';
import { type Item, openSite, type Site, until } from '../support/site.ts';

let site: Site;
const clients: EventClient[] = [];

beforeAll(async () => {
  // Without a history the locks cannot send again what they have forgotten on a PUBACK: a broken promise shows.
  site = await openSite({ locks: [{ historyCapacity: 0 }, { historyCapacity: 0 }, {}] });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await site?.close();
});

async function listen(token = site.gateway.token, lastId?: string): Promise<EventClient> {
  const client = await listenTo(site.gateway.httpUrl, { token, ...(lastId !== undefined && { lastId }) });
  clients.push(client);
  return client;
}

async function allRecords(lockId: number): Promise<readonly Item[]> {
  return (await site.api('GET', '/api/v1/lock/records', { query: { lockId, pageSize: 1_000 } })).body.list;
}

describe('live events', () => {
  test('a client gets an event when a door is unlocked, a card is added, or a lock leaves', async () => {
    const lockId = site.lockId(1);
    const client = await listen();
    await client.whenHeard('ready');
    const lockIds = [1, 2, 3].map((n) => site.lockId(n));
    expect(client.of('lock').map((lock) => lock['lockId'])).toEqual(lockIds.sort((one, other) => one - other));
    expect(client.of('lock')[0]).toMatchObject({ role: 'administrator', online: true, state: 'locked', electricQuantity: 100 });
    await site.api('POST', '/api/v1/lock/unlock', { query: { lockId } });
    await client.whenHeard('state', (event) => event['lockId'] === lockId && event['state'] === 'unlocked');
    const record = await client.whenHeard('record', (event) => event['lockId'] === lockId);
    expect(record).toEqual((await allRecords(lockId))[0]);
    expect(record).toMatchObject({ recordType: 'unlock by gateway', username: 'admin' });
    const card = { lockId, cardNumber: '4711', method: 'regular', addType: 2, startDate: 0, endDate: 0, cardName: 'fob' };
    await site.api('POST', '/api/v1/identity-card/add', { query: card });
    expect(await client.whenHeard('card')).toMatchObject({ change: 'added', cardNumber: '4711', cardName: 'fob', senderUsername: 'admin' });
    const entry = await client.whenHeard('entry', ({ status }) => status === 'on-lock');
    expect([entry, JSON.stringify(entry).includes('4711')]).toMatchObject([
      { kind: 'card', name: 'fob', why: null, personId: null },
      false,
    ]);
    site.lock(3).cutNetwork();
    await client.whenHeard('online', (event) => event['lockId'] === site.lockId(3) && event['online'] === false);
    site.lock(3).restoreNetwork();
    await client.whenHeard('online', (event) => event['lockId'] === site.lockId(3) && event['online'] === true);
  });

  test('rights are those of this moment: given, lowered, taken away, and the token revoked', async () => {
    const lockId = site.lockId(2);
    const bob = await site.account('bob');
    const role = (name: string) => site.api('PUT', `/api/v1/gateway/locks/${lockId}/roles/bob`, { body: { role: name } });
    const client = await listen(bob);
    await client.whenHeard('ready');
    expect(client.of('lock')).toEqual([]);
    await role('manager');
    await client.whenHeard('lock', (lock) => lock['lockId'] === lockId && lock['role'] === 'manager');
    await site.lock(2).swipeCard('1234567');
    await client.whenHeard('record', (record) => record['keyboardPwd'] === '1234567');
    await role('operator');
    await client.whenHeard('lock', (lock) => lock['role'] === 'operator');
    await site.lock(2).swipeCard('7654321');
    await site.lock(2).whenEventsAcknowledged();
    await site.lock(2).turnThumb();
    await client.whenHeard('state', (event) => event['state'] === 'unlocked');
    expect(client.of('record')).toHaveLength(1);
    await site.api('DELETE', `/api/v1/gateway/locks/${lockId}/roles/bob`);
    await client.whenHeard('lock-gone', (event) => event['lockId'] === lockId);
    const { list } = (await site.api('GET', '/api/v1/gateway/tokens')).body;
    await site.api('DELETE', `/api/v1/gateway/tokens/${list.find(({ username }) => username === 'bob')?.tokenId}`);
    await client.whenOver();
  });

  test('a client that goes on behind its last id, over kill -9 and restarts, gets every record once and in order', async () => {
    const heard: number[] = [];
    let lastId = '';
    let swiped = 0;
    const before = new Set((await Promise.all([1, 2].map((n) => allRecords(site.lockId(n))))).flat().map(({ recordId }) => recordId));
    const first = await listen();
    await first.whenHeard('ready');
    lastId = first.lastId();
    first.close();
    for (let round = 0; round < 4; round++) {
      // Some while nobody listens, some while somebody does, and some while the gateway dies.
      for (let n = 0; n < 10; n++) await site.lock(1 + (n % 2)).swipeCard(String(5_000_000 + swiped++));
      await site.lock(1).whenEventsAcknowledged();
      const client = await listen(site.gateway.token, lastId);
      const swipes = (async () => {
        for (let n = 0; n < 30; n++) await site.lock(1 + (n % 2)).swipeCard(String(5_000_000 + swiped++));
      })();
      await until(() => client.of('record').length >= 15, 'some records are heard');
      if (round % 2 === 0) {
        await site.kill9();
        await client.whenOver();
        await site.start();
      } else expect(await site.restart()).toBe(0);
      await swipes;
      await client.whenOver();
      heard.push(...client.of('record').map(({ recordId }) => recordId as number));
      lastId = client.lastId();
    }
    await Promise.all([1, 2].map((n) => site.whenOnline(n)));
    await Promise.all([1, 2].map((n) => site.lock(n).whenEventsAcknowledged()));
    const stored = (await Promise.all([1, 2].map((n) => allRecords(site.lockId(n))))).flat();
    const fresh = stored.map(({ recordId }) => recordId).filter((id) => !before.has(id));
    const last = await listen(site.gateway.token, lastId);
    await last.whenHeard('ready');
    heard.push(...last.of('record').map(({ recordId }) => recordId as number));
    expect(heard).toEqual(fresh.toSorted((a, b) => a - b));
    const cards = new Set(stored.map(({ keyboardPwd }) => keyboardPwd));
    for (let n = 0; n < swiped; n++) expect(cards).toContain(String(5_000_000 + n));
  });

  test('the status of the gateway counts those who listen', async () => {
    const client = await listen();
    await client.whenHeard('ready');
    const { body } = await site.api('GET', '/api/v1/gateway/status');
    expect(body['events']).toEqual({ listeners: expect.any(Number), behind: expect.any(Number), slow: 0, refused: 0 });
  });

  test('every event says what the document of the API promises of its type', async () => {
    site.lock(1).setBattery(42);
    site.lock(1).tamper();
    const last = await listen();
    await last.whenHeard('alarm', (alarm) => alarm['kind'] === 'tampered');
    await site.api('DELETE', `/api/v1/gateway/alarms/tampered/${site.lockId(1)}`);
    await last.whenHeard('alarm-ended');
    const document = (await (await fetch(`${site.gateway.httpUrl}/openapi.json`)).json()) as ApiDocument;
    const judge = createJudge(document);
    const heard = clients.flatMap(({ events }) => events);
    expect([...new Set(heard.map(({ type }) => type))].sort()).toEqual(
      ['alarm', 'alarm-ended', 'battery', 'card', 'entry', 'lock', 'lock-gone', 'online', 'ready', 'record', 'state'].sort(),
    );
    for (const { type, data, lastId } of heard) {
      const event = { event: type, data, ...(['record', 'ready'].includes(type) && { id: Number(lastId) }) };
      expect([event, judge.fits({ $ref: '#/components/schemas/LiveEvent' }, event)]).toEqual([event, true]);
    }
  });
});

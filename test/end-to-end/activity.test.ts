// Activity through the real daemon: what a card, an account and a stranger did, for whom, over a kill; and as a table.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Item, openSite, type Site, until } from '../support/site.ts';

let site: Site;
let personId: number;
beforeAll(async () => {
  site = await openSite({ locks: [{ features: ['credentials', 'hours'] }, {}] });
  const made = await site.api('POST', '/api/v1/access/people', { body: { name: 'Erika M.' } });
  personId = made.body['personId'] as number;
  await site.api('POST', `/api/v1/access/people/${personId}/credentials`, {
    body: { kind: 'card', cardNumber: '1325672378', name: '', startDate: 0, endDate: 0 },
  });
  await site.api('POST', `/api/v1/access/people/${personId}/grants`, { body: { lockIds: [site.lockId(1)], startDate: 0, endDate: 0 } });
  const lock = site.lock(1);
  await until(() => lock.memory.cards.length === 1, 'the first lock has her card');
  // Its clock is behind by as long as the message took that set it: a swipe that it dates before she had the card there is not hers.
  const placed = Date.now();
  await until(() => (lock.clockNow ?? 0) > placed, 'the clock of the lock goes on to when it got her card');
  expect(await lock.swipeCard('1325672378')).toMatchObject({ done: true });
});
afterAll(() => site?.close());

const activity = async (query: Record<string, string | number> = {}, token?: string) =>
  (await site.api('GET', '/api/v1/activity', { query, ...(token !== undefined && { token }) })).body;
const ofErika = ({ personId: of }: Item) => of === personId;

describe('activity', () => {
  test('has what happened at all doors, newest first, with the person behind a card, also after a kill', async () => {
    await site.lock(2).swipeCard('999');
    await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(2) } });
    const isWhole = async () => {
      const { list } = await activity();
      return (
        list.some(ofErika) &&
        list.some(({ username }) => username === 'admin') &&
        list.some(({ kind, lockId }) => kind === 'refused' && lockId === site.lockId(2))
      );
    };
    await until(isWhole, 'all three are there');
    await site.kill9();
    await site.start();
    const { list, next } = (await activity()) as { list: readonly Item[]; next?: unknown };
    const ids = list.map(({ recordId }) => recordId);
    expect([ids, next]).toEqual([[...ids].sort((one, other) => other - one), null]);
    expect(list.find(({ username }) => username === 'admin')).toMatchObject({ lockId: site.lockId(2), kind: 'unlock', personId: null });
    expect(list.find(({ kind }) => kind === 'refused')).toMatchObject({ lockId: site.lockId(2), personId: null });
    const hers = list.filter((line) => ofErika(line) && line['kind'] === 'unlock');
    expect(hers[0]).toMatchObject({ lockId: site.lockId(1), personName: 'Erika M.', recordType: 'unlock by IC card', success: 1 });
    const asked = (await activity({ personId, kind: 'unlock' })).list;
    expect(asked.map(({ recordId }) => recordId)).toEqual(hers.map(({ recordId }) => recordId));
    expect((await activity({ personId: personId + 1 })).list).toEqual([]);
  });

  test('is for managers: an operator, and an account without a role, see nothing', async () => {
    const token = await site.account('ole');
    expect((await activity({}, token)).list).toEqual([]);
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(1)}/roles/ole`, { body: { role: 'operator' } });
    expect((await activity({}, token)).list).toEqual([]);
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(1)}/roles/ole`, { body: { role: 'manager' } });
    const { list } = await activity({}, token);
    expect([list.length > 0, list.every(({ lockId }) => lockId === site.lockId(1))]).toEqual([true, true]);
  });

  test('is a table that is sent as it is made', async () => {
    const { httpUrl, token } = site.gateway;
    const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
    const response = await fetch(`${httpUrl}/api/v1/activity?kind=unlock`, { headers });
    expect(response.headers.get('content-type')).toContain('text/csv');
    const lines = (await response.text()).split('\r\n');
    expect(lines[0]).toContain('recordId,lockId,lockName');
    expect(lines.slice(1, -1).every((line) => line.includes(',unlock,1,'))).toBe(true);
    expect(lines.length).toBeGreaterThan(3);
  });
});

// Cards on a lock that nobody wants there, through the real daemon (HTTP API 8.1, 12.1).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  const features = ['credentials', 'hours', 'once'];
  site = await openSite({ locks: [{ features }], flags: ['--metrics-enabled', 'true'] });
});
afterAll(() => site.close());

const path = () => `/api/v1/gateway/locks/${site.lockId(1)}`;
const decide = (strangers: string, token?: string) => site.api('PUT', path(), { body: { strangers }, ...(token && { token }) });
const check = async () => (await site.api('POST', `/api/v1/access/locks/${site.lockId(1)}/check`)).body;
const cards = () => site.lock(1).memory.cards.length;
/** As with the app of the lock. */
function learn(from: number, count: number): void {
  for (let n = from; n < from + count; n++) site.lock(1).learn({ kind: 'card', number: String(7_000_000 + n), startDate: 0, endDate: 0 });
}

describe('cards on a lock that nobody wants there', () => {
  test('stay until somebody decides, and go when the lock is to lose strangers', async () => {
    await site.api('POST', '/api/v1/identity-card/add', {
      query: { lockId: site.lockId(1), cardNumber: '1001', method: 'regular', addType: 2, startDate: 0, endDate: 0 },
    });
    learn(1, 1);
    expect(await check()).toMatchObject({ same: 1, extraneous: 1 });
    expect(cards()).toBe(2);
    expect((await decide('remove')).body).toMatchObject({ strangers: 'remove' });
    await until(() => cards() === 1, 'the stranger is taken off');
    expect(await check()).toMatchObject({ same: 1, extraneous: 0 });
    expect((await site.api('GET', '/api/v1/gateway/locks')).body.list).toMatchObject([{ strangers: 'remove' }]);
  });

  test('that are many at once stay all the same, and stand in the figures of the gateway', async () => {
    learn(100, 11);
    expect(await check()).toMatchObject({ same: 1, extraneous: 11 });
    expect(await check()).toMatchObject({ same: 1, extraneous: 11 });
    expect(cards()).toBe(12);
    const { body } = await site.api('GET', '/api/v1/gateway/status');
    expect(body['credentials']).toMatchObject({ entries: { 'on-lock': 1, stranger: 11, pending: 0 }, oldestPendingDate: null, failing: 0 });
    const metrics = await (await fetch(`${site.gateway.httpUrl}/metrics`)).text();
    for (const line of [
      'latchd_entries{status="stranger"} 11',
      'latchd_entries_oldest_pending_timestamp_seconds 0',
      'latchd_entries_failing 0',
    ])
      expect(metrics).toContain(line);
  });

  test('are decided about by gateway administrators who are managers of the lock, and by nobody else', async () => {
    const boss = await site.account('boss', true);
    expect([(await decide('remove', boss)).status, (await decide('keep', boss)).body.code]).toEqual([200, 'forbidden']);
    await site.api('PUT', `${path()}/roles/boss`, { body: { role: 'manager' } });
    expect((await decide('keep', boss)).body).toMatchObject({ strangers: 'keep' });
    const clerk = await site.account('clerk');
    await site.api('PUT', `${path()}/roles/clerk`, { body: { role: 'manager' } });
    expect((await decide('remove', clerk)).body.code).toBe('forbidden');
    expect((await decide('all')).body).toMatchObject({
      code: 'invalid-parameter',
      errors: [{ parameter: 'strangers', message: 'must be keep or remove' }],
    });
  });
});

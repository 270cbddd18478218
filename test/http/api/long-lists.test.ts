// Long lists over HTTP: searched, ordered and filtered, by who may see them (HTTP API 1.3).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { callers, lockId } from '../../support/domain.ts';
import { serveDomain } from '../../support/served-domain.ts';

let world: Awaited<ReturnType<typeof serveDomain>>;
beforeAll(async () => {
  world = await serveDomain(() => ({}));
});
afterAll(() => world.server.stop());

async function ask(path: string, token = world.tokens.admin) {
  return request(world.origin).get(`/api/v1/${path}`).set('Authorization', `Bearer ${token}`);
}
async function column(path: string, member: string, token = world.tokens.admin): Promise<unknown[]> {
  const { body } = await ask(path, token);
  return body.list.map((row: Record<string, unknown>) => row[member]);
}

describe('A long list', () => {
  test('accounts are found by a part of the name and by their rights, in any order', async () => {
    const { accountService } = world;
    for (const [username, accessManager] of [
      ['night.zoe', false],
      ['night.Anton', true],
      ['NIGHT.10', false],
      ['night.9', true],
    ] as const) {
      await world.clock.advance(1_000);
      await accountService.createAccount(callers.admin, username, { gatewayAdministrator: false, accessManager });
    }
    const found = (query: string) => column(`gateway/accounts?search=Night&${query}`, 'username');
    expect(await found('')).toEqual(['night.zoe', 'night.Anton', 'NIGHT.10', 'night.9']);
    expect(await found('sort=username')).toEqual(['night.9', 'NIGHT.10', 'night.Anton', 'night.zoe']);
    expect(await found('sort=-username&pageSize=1&pageNo=2')).toEqual(['night.Anton']);
    expect(await found('sort=-createDate')).toEqual(['night.9', 'NIGHT.10', 'night.Anton', 'night.zoe']);
    expect(await found('sort=accessManager')).toEqual(['night.Anton', 'night.9', 'night.zoe', 'NIGHT.10']);
    expect(await found('accessManager=1&sort=username')).toEqual(['night.9', 'night.Anton']);
    expect(await found('gatewayAdministrator=1')).toEqual([]);
    expect((await ask('gateway/accounts?search=night&pageSize=3')).body).toMatchObject({ total: 4, pages: 2 });
  });

  test('tokens are found by name and account, those that have expired apart, and what never expires comes last', async () => {
    const { accountService, clock } = world;
    const make = (name: string, expiresInDays?: number) =>
      accountService.createToken(callers.admin, { username: callers.operator.username, name, ...(expiresInDays && { expiresInDays }) });
    await make('Boiler');
    await make('Gate', 1);
    await make('Lift', 3);
    await clock.advance(2 * 86_400_000);
    const found = (query: string) => column(`gateway/tokens?search=${callers.operator.username}&${query}`, 'name');
    expect(await found('sort=expireDate')).toEqual(['Gate', 'Lift', 'test', 'Boiler']);
    expect(await found('expired=1')).toEqual(['Gate']);
    expect(await found('expired=0&sort=-expireDate')).toContain('Boiler');
    expect(await column('gateway/tokens?search=LIF', 'name')).toEqual(['Lift']);
  });

  test('locks are found by what they are called, where they are and who has them', async () => {
    await world.registrationService.change(callers.admin, lockId, { alias: 'Loading bay', groupName: 'Yard' });
    const found = (query: string) => column(`gateway/locks?${query}`, 'lockAlias');
    expect(await found('search=bay')).toEqual(['Loading bay']);
    expect(await found('search=yard')).toEqual(['Loading bay']);
    expect((await found('sort=-groupName'))[0]).toBe('Loading bay');
    expect(await found('online=1&search=bay')).toEqual(['Loading bay']);
    expect(await found('online=0&search=bay')).toEqual([]);
  });

  test('cards are found by number and name, and by whether they open now', async () => {
    const always = { startDate: 0, endDate: 0 };
    const cards = [
      ['4711', 'Maria', always],
      ['4712', 'anton', { startDate: 1, endDate: 2 }],
      ['99', 'Late', { startDate: 4e12, endDate: 0 }],
    ] as const;
    for (const [cardNumber, cardName, { startDate, endDate }] of cards) await add(cardNumber, cardName, startDate, endDate);
    const found = (query: string) =>
      column(`identity-card/list?lockId=${lockId}&pageSize=10&${query}`, 'cardName', world.tokens.administrator);
    expect(await found('search=471')).toEqual(['Maria', 'anton']);
    expect(await found('search=471&sort=cardName')).toEqual(['anton', 'Maria']);
    expect(await found('valid=later')).toEqual(['Late']);
    expect(await found('valid=over')).toEqual(['anton']);
    expect(await found('valid=now&search=maria')).toEqual(['Maria']);

    async function add(cardNumber: string, name: string, startDate: number, endDate: number): Promise<void> {
      const card = { cardNumber, byteOrder: 'regular', name, startDate: 0, endDate: 0 } as const;
      const cardId = await world.cardService.add(callers.administrator, lockId, card, 'phone', new AbortController().signal);
      const validity = { startDate, endDate };
      await world.cardService.changeValidity(callers.administrator, lockId, cardId, validity, 'phone', new AbortController().signal);
    }
  });

  test('what is asked wrongly is said, and who may not see a list learns nothing by searching it', async () => {
    for (const [query, why] of [
      ['gateway/accounts?sort=password', 'must be one of username, gatewayAdministrator, accessManager, createDate, or that after a -'],
      ['gateway/tokens?sort=', 'must be one of name, username, createDate, expireDate, or that after a -'],
      ['gateway/tokens?expired=yes', 'must be an integer in plain decimal digits'],
      ['gateway/audit?sort=username', 'must be date or -date'],
      [`gateway/locks?search=${'x'.repeat(65)}`, 'must have at most 64 characters'],
    ] as const) {
      const { status, body } = await ask(query);
      expect([status, body.errors[0].message]).toEqual([400, why]);
    }
    for (const path of ['gateway/accounts', 'gateway/tokens', 'gateway/locks', 'gateway/audit'])
      expect((await ask(`${path}?search=a`, world.tokens.operator)).status).toBe(403);
  });
});

// The three lists that programs ask for most: what has changed shows at once, and to nobody who may not see it (Specification 4.1, 4.2).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { LockId, OpenState } from '../../../src/domain/locks/lock.ts';
import type { Page } from '../../../src/domain/page.ts';
import { callers, lockId, otherLockId, stays } from '../../support/domain.ts';
import { serveDomain } from '../../support/served-domain.ts';

let world: Awaited<ReturnType<typeof serveDomain>>;
beforeAll(async () => {
  world = await serveDomain(() => ({}));
});
afterAll(() => world.server.stop());

async function list(path: string, token = world.tokens.administrator): Promise<Page<Record<string, unknown>>> {
  const answer = await request(world.origin).get(`/api/v1/${path}`).query({ pageSize: 10 }).set('Authorization', `Bearer ${token}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

const lockSeven = async (token?: string) => (await list('lock/list', token)).list.find((item) => item['lockId'] === lockId);

describe('A list asked twice shows what has changed between', () => {
  test('the list of locks shows a new alias and battery level, and lockData to the present administrator alone', async () => {
    expect(await lockSeven()).toMatchObject({ lockAlias: 'Door 7', electricQuantity: -1, lockData: 'opaque' });
    expect(await lockSeven(world.tokens.operator)).toMatchObject({ lockAlias: 'Door 7', electricQuantity: -1, lockData: '' });
    world.statuses.patch(lockId, { batteryPercent: 83, state: 'locked' satisfies OpenState });
    await world.lockService.rename(callers.administrator, lockId, 'Entrance');
    expect(await lockSeven(world.tokens.operator)).toMatchObject({ lockAlias: 'Entrance', electricQuantity: 83, lockData: '' });
    expect(await lockSeven()).toMatchObject({ lockAlias: 'Entrance', electricQuantity: 83, lockData: 'opaque' });
    world.statuses.patch(lockId, { batteryPercent: 82 });
    expect(await lockSeven()).toMatchObject({ electricQuantity: 82 });
    await world.locks.update(lockId, (lock) => ({ ...lock, administrator: callers.stranger.accountId }));
    expect(await lockSeven()).toBeUndefined();
    expect(await lockSeven(await world.tokenOf(callers.stranger))).toMatchObject({ lockData: 'opaque' });
    await world.locks.update(lockId, (lock) => ({ ...lock, administrator: callers.administrator.accountId }));
  });

  test('a lock leaves the list of an account with its role, and the total says so', async () => {
    const { operator } = world.tokens;
    expect(await list('lock/list', operator)).toMatchObject({ list: [{ lockId }], total: 1, pages: 1 });
    expect((await list('lock/list', world.tokens.administrator)).list.map((item) => item['lockId'])).toEqual([lockId, otherLockId]);
    await world.locks.update(lockId, (lock) => ({ ...lock, roles: [] }));
    expect(await list('lock/list', operator)).toEqual({ list: [], pageNo: 1, pageSize: 10, pages: 0, total: 0 });
  });

  test('both lists of locks can be searched by a part of the alias and by the group', async () => {
    await world.registrationService.change(callers.admin, lockId, { alias: 'Gate north', groupName: 'Yard' });
    await world.registrationService.change(callers.admin, otherLockId, { alias: 'Gate south' });
    const { groupId = 0 } = world.locks.get(lockId) ?? {};
    expect(groupId).toBeGreaterThan(0);
    const found = async (query: string) => {
      const [managed, own] = await Promise.all([list(`gateway/locks?${query}`, world.tokens.admin), list(`lock/list?${query}`)]);
      expect(managed.total).toBe(own.total);
      expect(managed.list.map((item) => item['lockId'])).toEqual(own.list.map((item) => item['lockId']));
      return managed.list.map((item) => item['lockId']);
    };
    expect(await found('lockAlias=GATE')).toEqual([lockId, otherLockId]);
    expect(await found('lockAlias=north')).toEqual([lockId]);
    expect(await found(`groupId=${groupId}`)).toEqual([lockId]);
    expect(await found('groupId=0')).toEqual([otherLockId]);
    expect(await found(`lockAlias=south&groupId=${groupId}`)).toEqual([]);
    await world.registrationService.change(callers.admin, otherLockId, { groupName: 'Yard' });
    expect(await found(`groupId=${groupId}`)).toEqual([lockId, otherLockId]);
    await world.registrationService.change(callers.admin, lockId, { groupName: '' });
    expect(await found(`groupId=${groupId}`)).toEqual([otherLockId]);
    expect((await list('gateway/locks', world.tokens.admin)).total).toBe(2);
  });

  test('the list of cards shows a new name and new dates, and no removed card', async () => {
    const cards = () => list(`identity-card/list?lockId=${lockId}`);
    const [card] = (await cards()).list;
    const cardId = card?.['cardId'] as Parameters<typeof world.cardService.rename>[2];
    await world.cardService.rename(callers.administrator, lockId, cardId, 'red fob');
    expect((await cards()).list).toEqual([{ ...card, cardName: 'red fob' }]);
    await world.cardService.changeValidity(callers.administrator, lockId, cardId, { startDate: 1, endDate: 2 }, 'phone', stays());
    expect((await cards()).list).toEqual([{ ...card, cardName: 'red fob', startDate: 1, endDate: 2 }]);
    await world.cardService.remove(callers.administrator, lockId, cardId, 'phone', stays());
    expect(await cards()).toMatchObject({ list: [], total: 0 });
  });

  test('the list of records shows the newest first, and the others unchanged', async () => {
    const records = () => list(`lock/records?lockId=${lockId}`);
    const happens = (seq: number, of: LockId = lockId) =>
      world.records.append(of, 'e', [
        {
          ...{ seq, type: 'card-unlock', success: true, credential: '1', username: 'Jörg "Ö"' },
          ...{ lockDate: world.clock.now(), serverDate: world.clock.now() },
        },
      ]);
    await happens(1);
    const before = (await records()).list;
    await happens(2);
    await happens(1, otherLockId);
    const [newest, ...others] = (await records()).list;
    expect(newest).toMatchObject({ lockId, recordType: 'unlock by IC card', success: 1, username: 'Jörg "Ö"' });
    expect(others).toEqual(before);
  });

  test('the list of records shows a passcode to the administrator of the lock alone, whoever asked before', async () => {
    const dates = { lockDate: world.clock.now(), serverDate: world.clock.now() };
    const used = { seq: 3, type: 'passcode-unlock', success: true, credential: '246813', username: '', ...dates };
    await world.records.append(lockId, 'e', [used]);
    const shown = async (token: string) => (await list(`lock/records?lockId=${lockId}`, token)).list[0]?.['keyboardPwd'];
    await world.locks.update(lockId, (lock) => ({ ...lock, roles: [{ accountId: callers.manager.accountId, role: 'manager' }] }));
    const [administrator, manager] = [world.tokens.administrator, await world.tokenOf(callers.manager)];
    for (let n = 0; n < 4; n++) expect([await shown(manager), await shown(administrator)]).toEqual(['****', '246813']);
  });
});

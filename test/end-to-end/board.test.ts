// The board and the locking of a group through the real daemon, over a restart.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite({ locks: [{}, {}, {}] });
  for (const number of [1, 2])
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(number)}`, { body: { groupName: number === 1 ? 'West' : 'East' } });
  await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(3)}`, { body: { groupName: 'East' } });
});
afterAll(() => site?.close());

interface BoardBody {
  readonly groups: readonly {
    readonly groupId: number;
    readonly name: string;
    readonly locks: readonly { readonly lockId: number; readonly [member: string]: unknown }[];
  }[];
  readonly attention: readonly object[];
  readonly favourites: readonly number[];
}

const board = async (): Promise<BoardBody> => (await site.api('GET', '/api/v1/board')).body as unknown as BoardBody;
const seen = async (number: number) =>
  (await board()).groups.flatMap(({ locks }) => locks).find(({ lockId }) => lockId === site.lockId(number));
const unlock = (number: number) => site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(number) } });

describe('the board', () => {
  test('shows each door as it is, with its last record, in the order that was set, also after a restart', async () => {
    expect((await unlock(1)).body).toEqual({ success: true });
    const last = { recordType: 'unlock by gateway', username: 'admin', success: 1, lockDate: expect.any(Number) };
    await until(async () => (await seen(1))?.['last'] !== null, 'its record is there');
    expect(await seen(1)).toMatchObject({ state: 'unlocked', online: true, alarms: [], passage: false, autoLockAt: null, last });
    const groups = (await board()).groups.map(({ groupId, name }) => [name, groupId] as const);
    expect(groups.map(([name]) => name)).toEqual(['West', 'East']);
    expect((await site.api('PUT', '/api/v1/gateway/groups/order', { body: { groupIds: [groups[1]?.[1]] } })).status).toBe(200);
    const favourites = [site.lockId(3), site.lockId(1)];
    expect((await site.api('PUT', '/api/v1/account/favourites', { body: { lockIds: favourites } })).status).toBe(200);
    await site.kill9();
    await site.start();
    await site.whenOnline(1);
    const after = await board();
    expect(after.groups.map(({ name, locks }) => [name, locks.length])).toEqual([
      ['East', 2],
      ['West', 1],
    ]);
    expect(after.favourites).toEqual(favourites);
    expect(await seen(1)).toMatchObject({ state: 'unlocked', last });
  });

  test('all doors of a group are told to lock, one that is away stays as it is, and the audit log says so', async () => {
    for (const number of [2, 3]) await site.whenOnline(number);
    for (const number of [2, 3]) expect((await unlock(number)).body).toEqual({ success: true });
    site.lock(3).cutNetwork();
    await site.whenOnline(3, false);
    const groupId = (await board()).groups.find(({ name }) => name === 'East')?.groupId;
    const { body } = await site.api('POST', `/api/v1/gateway/groups/${groupId}/lock`);
    expect(body['locks']).toEqual([
      { lockId: site.lockId(2), result: 'locked' },
      { lockId: site.lockId(3), result: 'offline' },
    ]);
    await until(() => site.lock(2).state === 'locked', 'its bolt has moved');
    expect([site.lock(1).state, site.lock(3).state]).toEqual(['unlocked', 'unlocked']);
    site.lock(3).restoreNetwork();
    await site.whenOnline(3);
    expect(site.lock(3).state).toBe('unlocked');
    const audit = await site.all('/api/v1/gateway/audit');
    expect(audit.find(({ action }) => action === 'group-lock')).toMatchObject({
      ...{ username: 'admin', object: `group ${groupId}`, detail: '1 locked, 1 offline', outcome: 'ok' },
    });
    expect(audit.some(({ action }) => action === 'group-order')).toBe(true);
  });
});

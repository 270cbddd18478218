// TTLock logins as gateway administrators manage them.
import { describe, expect, it } from '@jest/globals';
import { callers, codeOf, createDomain } from '../../support/domain.ts';

const { admin, operator, manager } = callers;
const page = { pageNo: 1, pageSize: 2 };
const url = 'https://building.example.org/doors';

describe('the TTLock logins', () => {
  it('are for gateway administrators alone', async () => {
    const { ttlockLogins: service } = (await createDomain()).ttlock;
    for (const work of [
      () => service.create(operator, { username: operator.username, name: 'mine' }),
      () => service.list(operator, page),
      () => service.change(operator, 1, { name: 'x' }),
      () => service.renewPassword(operator, 1),
      () => service.remove(operator, 1),
    ])
      expect(await codeOf(work)).toBe('forbidden');
  });

  it('are made for accounts that there are, changed, and removed; no number is given twice', async () => {
    const { ttlock, clock, storage, accountService } = await createDomain();
    const { ttlockLogins: service } = ttlock;
    expect(await codeOf(() => service.create(admin, { username: 'nobody', name: 'x' }))).toBe('not-found');
    expect(storage.writes).toEqual([]);
    const first = await service.create(admin, { username: operator.username, name: 'one', callback: url });
    const second = await service.create(admin, { username: manager.username, name: 'two' });
    await service.create(admin, { username: operator.username, name: 'three' });
    expect(await service.list(admin, page)).toMatchObject({
      total: 3,
      list: [
        {
          login: { loginId: first.loginId, name: 'one', callback: url, createdAt: clock.now() },
          username: operator.username,
          lastUsedAt: null,
        },
        { login: { loginId: second.loginId, name: 'two', callback: null }, username: manager.username },
      ],
    });
    expect(await service.change(admin, first.loginId, { callback: null })).toMatchObject({ login: { name: 'one', callback: null } });
    await Promise.all([service.change(admin, first.loginId, { name: 'uno' }), service.renewPassword(admin, first.loginId)]);
    expect((await service.list(admin, page)).list[0]?.login).toMatchObject({ name: 'uno', clientId: first.clientId });
    await service.remove(admin, second.loginId);
    for (const work of [
      () => service.change(admin, second.loginId, { name: 'x' }),
      () => service.renewPassword(admin, second.loginId),
      () => service.remove(admin, second.loginId),
    ])
      expect(await codeOf(work)).toBe('not-found');
    const [third] = (await service.list(admin, { pageNo: 2, pageSize: 1 })).list;
    expect((await service.create(admin, { username: manager.username, name: 'four' })).loginId).toBeGreaterThan(third?.login.loginId ?? 0);
    await accountService.removeAccount(admin, manager.username);
    expect((await service.list(admin, page)).list.map(({ username }) => username)).toEqual([operator.username, operator.username]);
  });

  it('stay as they are when the disk is full, and when nothing may be sent to their callback', async () => {
    const { ttlock, ttlockStore, storage, webhookStore } = await createDomain();
    const { ttlockLogins: service } = ttlock;
    const away = { username: operator.username, name: 'x', callback: 'ftp://9.9.9.9/' };
    await expect(service.create(admin, away)).rejects.toMatchObject({
      code: 'invalid-parameter',
      parameters: [{ parameter: 'callback', message: 'must be a URL that begins with http:// or https://' }],
    });
    const { loginId } = await service.create(admin, { ...away, callback: url });
    const before = ttlockStore.all();
    expect(await codeOf(() => service.change(admin, loginId, { callback: away.callback }))).toBe('invalid-parameter');
    storage.fails = (write) => write.startsWith('ttlockLogins.');
    for (const work of [
      () => service.create(admin, { ...away, callback: url }),
      () => service.change(admin, loginId, { callback: null }),
      () => service.renewPassword(admin, loginId),
      () => service.remove(admin, loginId),
    ])
      expect(await codeOf(work)).toBe('storage-unavailable');
    expect(ttlockStore.all()).toEqual(before);
    expect((await webhookStore.all()).map(({ webhook }) => [webhook.loginId, webhook.url])).toEqual([[loginId, url]]);
    storage.fails = () => false;
    await service.remove(admin, loginId);
    expect([ttlockStore.all(), await webhookStore.all()]).toEqual([[], []]);
  });
});

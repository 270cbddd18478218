import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import { callers, codeOf, createDomain, lockId, otherLockId, someLock, stays } from '../../support/domain.ts';
import { settled } from '../../support/settable-clock.ts';

const { admin, administrator, manager, operator, stranger } = callers;
const page = { pageNo: 1, pageSize: 10 };

describe('roles', () => {
  it('are taken from the administrator before, and a lesser one from the one appointed (HTTP API 8.1)', async () => {
    const { roleService, locks, lockService } = await createDomain();
    await roleService.appoint(admin, lockId, 'max');
    expect(locks.get(lockId)).toMatchObject({
      administrator: manager.accountId,
      roles: [{ accountId: operator.accountId, role: 'operator' }],
    });
    expect(await codeOf(() => lockService.state(administrator, lockId))).toBe('forbidden');
  });

  it('and accounts are changed when the log of who may what has the change on the disk, not before', async () => {
    const { access, roleService, accountService } = await createDomain();
    let store = (): void => {};
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    Object.assign(access, { stored: () => stored });
    const done: string[] = [];
    const rights = { gatewayAdministrator: false, accessManager: true };
    const changes = [
      roleService.grant(administrator, lockId, 'ole', 'manager').then(() => done.push('role')),
      accountService.setRights(admin, 'ole', rights).then(() => done.push('rights')),
    ];
    await settled();
    expect(done).toEqual([]);
    store();
    await Promise.all(changes);
    expect(done).toHaveLength(2);
  });

  it('are listed for callers who may give them, the administrator first (HTTP API 8.1)', async () => {
    const { roleService } = await createDomain();
    for (const caller of [admin, administrator])
      expect(roleService.list(caller, lockId, page)).toMatchObject({
        list: [
          { username: 'ada', role: 'administrator' },
          { username: 'max', role: 'manager' },
          { username: 'ole', role: 'operator' },
        ],
        total: 3,
      });
    expect(await codeOf(async () => roleService.list(manager, lockId, page))).toBe('forbidden');
  });

  it('replace the one that an account had (HTTP API 8.1)', async () => {
    const { roleService, locks } = await createDomain();
    await roleService.grant(administrator, lockId, 'ole', 'manager');
    expect(locks.get(lockId)?.roles).toEqual([
      { accountId: manager.accountId, role: 'manager' },
      { accountId: operator.accountId, role: 'manager' },
    ]);
  });

  it('are a conflict for the administrator of the lock, and not-found for an unknown account or a missing role (HTTP API 4)', async () => {
    const { roleService, locks } = await createDomain();
    const before = locks.get(lockId);
    expect(await codeOf(() => roleService.grant(admin, lockId, 'ada', 'operator'))).toBe('conflict');
    expect(await codeOf(() => roleService.grant(admin, lockId, 'nobody', 'operator'))).toBe('not-found');
    expect(await codeOf(() => roleService.revoke(admin, lockId, 'nobody'))).toBe('not-found');
    expect(await codeOf(() => roleService.revoke(admin, lockId, 'sam'))).toBe('not-found');
    expect(await codeOf(() => roleService.revoke(admin, lockId, 'ada'))).toBe('not-found');
    expect(await codeOf(() => roleService.appoint(admin, lockId, 'nobody'))).toBe('not-found');
    expect(locks.get(lockId)).toEqual(before);
  });

  it('are given on that lock alone (HTTP API 3)', async () => {
    const { roleService, lockService } = await createDomain();
    await roleService.grant(administrator, lockId, 'sam', 'operator');
    expect(lockService.list(stranger, page).list.map(({ lock }) => lock.lockId)).toEqual([lockId]);
    expect(await codeOf(() => lockService.setBolt(stranger, otherLockId, 'unlocked', stays()))).toBe('forbidden');
  });

  it.each(['grant', 'revoke'] as const)(
    '%s by an administrator who is replaced at the same moment does nothing (HTTP API 3)',
    async (what) => {
      const { roleService, locks } = await createDomain();
      const appointed = roleService.appoint(admin, lockId, 'sam');
      const late = codeOf(() =>
        what === 'grant' ? roleService.grant(administrator, lockId, 'ole', 'manager') : roleService.revoke(administrator, lockId, 'ole'),
      );
      await appointed;
      expect(await late).toBe('forbidden');
      expect(locks.get(lockId)?.roles).toEqual(someLock().roles);
    },
  );

  it('can be taken from an account that is gone, by its name, unless somebody else has that name now (HTTP API 8.1)', async () => {
    const { roleService, accountService, accounts, locks, leftRoles } = await createDomain();
    // Removed, and its role is still there: as after a stop.
    await leftRoles.stop();
    await accounts.remove(operator.accountId, 1);
    expect(await codeOf(() => roleService.revoke(administrator, lockId, 'ole'))).toBe('done');
    expect(locks.get(lockId)?.roles).toEqual([{ accountId: manager.accountId, role: 'manager' }]);
    expect(await codeOf(() => roleService.revoke(administrator, lockId, 'ole'))).toBe('not-found');
    await accounts.remove(manager.accountId, 1);
    await accountService.createAccount(admin, 'max', { gatewayAdministrator: false, accessManager: false });
    expect(await codeOf(() => roleService.revoke(administrator, lockId, 'max'))).toBe('not-found');
  });

  it('are not given to an account that is removed at the same moment (HTTP API 8.4)', async () => {
    const { roleService, accountService, locks } = await createDomain();
    const removed = accountService.removeAccount(admin, 'sam');
    const granted = codeOf(() => roleService.grant(administrator, lockId, 'sam', 'operator'));
    await removed;
    expect(await granted).toBe('not-found');
    expect(locks.get(lockId)?.roles).toEqual(someLock().roles);
  });

  it('are storage-unavailable when they cannot be kept (HTTP API 4)', async () => {
    const { roleService, storage, locks } = await createDomain();
    storage.fails = () => true;
    for (const change of [
      () => roleService.grant(admin, lockId, 'sam', 'operator'),
      () => roleService.revoke(admin, lockId, 'ole'),
      () => roleService.appoint(admin, lockId, 'sam'),
    ]) {
      expect(await codeOf(change)).toBe('storage-unavailable');
    }
    expect(locks.get(lockId)).toEqual(someLock());
  });

  it('of very many accounts are looked up, listed and taken away like those of a few', async () => {
    const { roleService, accountService, lockService } = await createDomain();
    const names = Array.from({ length: 30 }, (_, n) => `user${String(n).padStart(2, '0')}`);
    const accounts: Caller[] = [];
    for (const name of names)
      accounts.push(await accountService.createAccount(admin, name, { gatewayAdministrator: false, accessManager: false }));
    for (const name of names.toReversed()) await roleService.grant(administrator, lockId, name, 'operator');
    const listed = () => roleService.list(admin, lockId, { pageNo: 1, pageSize: 100 }).list.map(({ username }) => username);
    expect(listed()).toEqual(['ada', 'max', 'ole', ...names]);
    const states = () => Promise.all(accounts.map((account) => codeOf(() => lockService.state(account, lockId))));
    expect(new Set(await states())).toEqual(new Set(['state-unknown']));
    await accountService.removeAccount(admin, 'user07');
    expect(listed()).toEqual(['ada', 'max', 'ole', ...names.filter((name) => name !== 'user07')]);
    await roleService.revoke(administrator, lockId, 'user08');
    expect(await codeOf(() => lockService.state(accounts[8] as Caller, lockId))).toBe('forbidden');
    expect(listed()).not.toContain('user08');
    await roleService.appoint(admin, lockId, 'user09');
    expect(listed().slice(0, 2)).toEqual(['user09', 'max']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { localAdministrator } from '../../../src/domain/accounts/account.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import { callers, codeOf, createDomain, lockId, otherLockId, someCard } from '../../support/domain.ts';

const { admin } = callers;
const page = { pageNo: 1, pageSize: 10 };

describe('a registered lock', () => {
  it('loses its connection, cards and status with its removal (HTTP API 8.1)', async () => {
    const { registrationService, reports, link, locks, cards, statuses } = await createDomain({ cards: [someCard()] });
    reports.state(lockId, { state: 'locked' });
    await registrationService.remove(admin, lockId);
    expect(locks.get(lockId)).toBeUndefined();
    expect(cards.now(lockId)).toEqual({ cards: [], open: [] });
    expect(statuses.get(lockId).state).toBeNull();
    expect(link.disconnects).toMatchObject([{ lockId }]);
  });

  it.each(['removedLocks.add', 'locks.remove'])(
    'keeps its connection when it cannot be removed, because of %s (HTTP API 8.1)',
    async (write) => {
      const { registrationService, removedLocks, storage, link, locks } = await createDomain();
      storage.fails = (name) => name === write;
      expect(await codeOf(() => registrationService.remove(admin, lockId))).toBe('storage-unavailable');
      expect(locks.get(lockId)).toBeDefined();
      expect(removedLocks.all()).toEqual([]);
      expect(link.disconnects).toEqual([]);
    },
  );

  it('of which something is left on the disk is removed all the same: it is gone from the list, its session has ended, and the answer says so (HTTP API 8.1)', async () => {
    const { registrationService, removedLocks, link, locks, statuses, storage, reports } = await createDomain();
    reports.state(lockId, { state: 'locked' });
    storage.left = new DomainError('storage-unavailable', 'lock 7 is removed, but the file of its cards is left');
    await expect(registrationService.remove(admin, lockId)).rejects.toBe(storage.left);
    expect(registrationService.removed(admin, page).total).toBe(1);
    expect([locks.get(lockId), statuses.get(lockId).state]).toEqual([undefined, null]);
    expect(link.disconnects).toMatchObject([{ lockId }]);
    expect(removedLocks.get(lockId)).toBeDefined();
  });

  it('says at its removal how many cards it may still open for; null when it has never said (HTTP API 8.1)', async () => {
    const { registrationService, reports } = await createDomain();
    reports.hello(lockId, { cards: { count: 12, digest: '0'.repeat(16) } });
    expect(await registrationService.remove(admin, lockId)).toMatchObject({ cardsOnLock: 12 });
    expect(await registrationService.remove(admin, otherLockId)).toMatchObject({ cardsOnLock: null });
  });

  it('is listed among the removed ones, the newest first, whatever becomes of the accounts (HTTP API 8.1)', async () => {
    const { registrationService, accountService, clock } = await createDomain();
    await registrationService.remove(admin, lockId);
    const removedAt = clock.now();
    await clock.advance(1);
    await registrationService.remove(localAdministrator, otherLockId);
    expect(await codeOf(() => accountService.removeAccount(admin, 'ada'))).toBe('done');
    const { list, total } = registrationService.removed(admin, page);
    expect(total).toBe(2);
    expect(list).toMatchObject([
      { removed: { lockId: otherLockId, name: 'door 8', alias: 'Back door' }, administrator: '', removedBy: '(this machine)' },
      { removed: { lockId, deviceId: 'a4c1387f02e7', removedAt }, administrator: '', removedBy: 'admin' },
    ]);
  });

  it('that two callers remove at once is removed once, and stays in the list of removed locks', async () => {
    const { registrationService, removedLocks } = await createDomain();
    const remove = () => codeOf(() => registrationService.remove(admin, lockId));
    expect(await Promise.all([remove(), remove()])).toEqual(['done', 'lock-not-found']);
    expect(removedLocks.get(lockId)).toBeDefined();
  });
});

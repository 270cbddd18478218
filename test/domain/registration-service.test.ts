import { describe, expect, it } from '@jest/globals';
import type { DeviceId, LockId } from '../../src/domain/lock.ts';
import { callers, codeOf, createDomain, lockId, otherLockId, someCard, someLock, stays } from '../support/domain.ts';
import { settled } from '../support/settable-clock.ts';

const { admin, administrator, manager, operator, stranger } = callers;
const newLock = { deviceId: '0123456789ab' as DeviceId, name: 'Cellar' };
const page = { pageNo: 1, pageSize: 10 };

describe('registering a lock', () => {
  it('gives an id and a key that is kept as a hash only (HTTP API 6)', async () => {
    const { registrationService, locks, secrets } = await createDomain();
    const issued = await registrationService.register(admin, newLock);
    expect(issued.deviceId).toBe(newLock.deviceId);
    expect(locks.get(issued.lockId)).toMatchObject({ keyHash: secrets.hash(issued.deviceKey), lockId: issued.lockId });
    expect(JSON.stringify(locks.all())).not.toContain(issued.deviceKey);
  });

  it('defaults to the name as alias, no group, and the account that registers as administrator (HTTP API 3 and 5)', async () => {
    const { registrationService, locks, clock } = await createDomain();
    const { lockId: id } = await registrationService.register(admin, newLock);
    expect(locks.get(id)).toMatchObject({
      name: 'Cellar',
      alias: 'Cellar',
      groupId: 0,
      groupName: '',
      superPasscode: '',
      lockData: '',
      timezoneOffsetMs: 0,
      administrator: admin.accountId,
      roles: [],
      initialisedAt: clock.now(),
    });
  });

  it('gives a group name the same id for ever (HTTP API 3)', async () => {
    const { registrationService, locks } = await createDomain();
    const first = await registrationService.register(admin, { ...newLock, groupName: 'North' });
    const second = await registrationService.register(admin, { ...newLock, deviceId: '0123456789ac' as DeviceId, groupName: 'North' });
    await registrationService.change(admin, first.lockId, { groupName: '' });
    await registrationService.change(admin, first.lockId, { groupName: 'North' });
    const groups = [first, second].map(({ lockId: id }) => locks.get(id)?.groupId);
    expect(groups).toEqual([groups[1], groups[0]]);
    expect(groups[0]).toBeGreaterThan(0);
  });

  it('is a conflict for a MAC that is registered, also at the same moment (HTTP API 2)', async () => {
    const { registrationService } = await createDomain();
    const register = () => codeOf(() => registrationService.register(admin, newLock));
    expect(await Promise.all([register(), register()])).toEqual(['done', 'conflict']);
  });

  it('is not-found for an administrator who is not there, and nothing is registered (HTTP API 2)', async () => {
    const { registrationService, locks } = await createDomain();
    expect(await codeOf(() => registrationService.register(admin, { ...newLock, administrator: 'nobody' }))).toBe('not-found');
    expect(locks.all()).toHaveLength(2);
  });

  it('by an account that is removed at the same moment leaves no lock without an administrator (HTTP API 5)', async () => {
    const { registrationService, accountService, locks } = await createDomain();
    const second = await accountService.createAccount(admin, 'second', true);
    const removed = accountService.removeAccount(admin, 'second');
    const registered = codeOf(() => registrationService.register(second, newLock));
    await removed;
    expect(await registered).toBe('not-found');
    expect(locks.all()).toHaveLength(2);
  });

  it('never gives an id twice, not even when the lock could not be kept (HTTP API 2)', async () => {
    const { registrationService, storage, locks } = await createDomain();
    storage.fails = (write) => write === 'locks.add';
    expect(await codeOf(() => registrationService.register(admin, newLock))).toBe('storage-unavailable');
    storage.fails = () => false;
    const { lockId: id } = await registrationService.register(admin, newLock);
    expect(id).toBe(1_002);
    expect(locks.all()).toHaveLength(3);
  });
});

describe('a registered lock', () => {
  it('is listed with whether it is online and its administrator (HTTP API 6)', async () => {
    const { registrationService } = await createDomain();
    expect(registrationService.managed(admin, page).list).toMatchObject([
      { lock: { lockId }, online: true, administrator: 'ada' },
      { lock: { lockId: otherLockId }, online: false, administrator: 'ada' },
    ]);
  });

  it('changes only in what was given (HTTP API 6)', async () => {
    const { registrationService, locks } = await createDomain();
    await registrationService.change(admin, lockId, { name: 'new', superPasscode: '' });
    expect(locks.get(lockId)).toEqual(someLock({ name: 'new', superPasscode: '' }));
  });

  it('loses its connection, cards and status with its removal (HTTP API 6)', async () => {
    const { registrationService, reports, link, locks, cards, statuses } = await createDomain({ cards: [someCard()] });
    reports.state(lockId, { state: 'locked' });
    await registrationService.remove(admin, lockId);
    expect(locks.get(lockId)).toBeUndefined();
    expect(cards.of(lockId)).toEqual({ cards: [], intents: [] });
    expect(statuses.get(lockId).state).toBeNull();
    expect(link.disconnects).toMatchObject([{ lockId }]);
  });

  it('keeps its connection when it cannot be removed (HTTP API 2)', async () => {
    const { registrationService, storage, link, locks } = await createDomain();
    storage.fails = () => true;
    expect(await codeOf(() => registrationService.remove(admin, lockId))).toBe('storage-unavailable');
    expect(locks.get(lockId)).toBeDefined();
    expect(link.disconnects).toEqual([]);
  });

  it('is disconnected when its key is renewed, once the new key is kept (HTTP API 6)', async () => {
    const { registrationService, storage, link, locks, secrets } = await createDomain();
    const release = storage.hold();
    const renewed = registrationService.renewKey(admin, lockId);
    await settled();
    expect(link.disconnects).toEqual([]);
    release();
    const { deviceKey } = await renewed;
    expect(locks.get(lockId)?.keyHash).toBe(secrets.hash(deviceKey));
    expect(link.disconnects).toMatchObject([{ lockId }]);
  });
});

describe('a changed time zone', () => {
  it('is told to a lock that is online at once, and to none that is away (Protocol 5.1 set-clock)', async () => {
    const { registrationService, link, clock } = await createDomain();
    await registrationService.change(admin, lockId, { alias: 'Cellar' });
    expect(link.sent).toEqual([]);
    await registrationService.change(admin, lockId, { timezoneOffsetMs: 7_200_000 });
    expect(link.sent.map(({ command }) => command)).toEqual([{ op: 'set-clock', now: clock.now(), timezoneRawOffset: 7_200_000 }]);
    link.lose(lockId);
    await registrationService.change(admin, lockId, { timezoneOffsetMs: 0 });
    expect(link.sent).toHaveLength(1);
  });
});

describe('roles', () => {
  it('are taken from the administrator before, and a lesser one from the one appointed (HTTP API 5)', async () => {
    const { registrationService, locks, lockService } = await createDomain();
    await registrationService.appoint(admin, lockId, 'max');
    expect(locks.get(lockId)).toMatchObject({
      administrator: manager.accountId,
      roles: [{ accountId: operator.accountId, role: 'operator' }],
    });
    expect(await codeOf(() => lockService.state(administrator, lockId))).toBe('forbidden');
  });

  it('are listed for who may give them, the administrator first (HTTP API 6)', async () => {
    const { registrationService } = await createDomain();
    for (const caller of [admin, administrator])
      expect(registrationService.roles(caller, lockId, page)).toMatchObject({
        list: [
          { username: 'ada', role: 'administrator' },
          { username: 'max', role: 'manager' },
          { username: 'ole', role: 'operator' },
        ],
        total: 3,
      });
    expect(await codeOf(async () => registrationService.roles(manager, lockId, page))).toBe('forbidden');
  });

  it('replace the one that an account had (HTTP API 6)', async () => {
    const { registrationService, locks } = await createDomain();
    await registrationService.grant(administrator, lockId, 'ole', 'manager');
    expect(locks.get(lockId)?.roles).toEqual([
      { accountId: manager.accountId, role: 'manager' },
      { accountId: operator.accountId, role: 'manager' },
    ]);
  });

  it('are a conflict for the administrator of the lock, and not-found where there is nobody or nothing to take (HTTP API 2)', async () => {
    const { registrationService, locks } = await createDomain();
    const before = locks.get(lockId);
    expect(await codeOf(() => registrationService.grant(admin, lockId, 'ada', 'operator'))).toBe('conflict');
    expect(await codeOf(() => registrationService.grant(admin, lockId, 'nobody', 'operator'))).toBe('not-found');
    expect(await codeOf(() => registrationService.revoke(admin, lockId, 'nobody'))).toBe('not-found');
    expect(await codeOf(() => registrationService.revoke(admin, lockId, 'sam'))).toBe('not-found');
    expect(await codeOf(() => registrationService.revoke(admin, lockId, 'ada'))).toBe('not-found');
    expect(await codeOf(() => registrationService.appoint(admin, lockId, 'nobody'))).toBe('not-found');
    expect(locks.get(lockId)).toEqual(before);
  });

  it('are given on that lock alone (HTTP API 5)', async () => {
    const { registrationService, lockService } = await createDomain();
    await registrationService.grant(administrator, lockId, 'sam', 'operator');
    expect(lockService.list(stranger, page).list.map(({ lock }) => lock.lockId)).toEqual([lockId]);
    expect(await codeOf(() => lockService.move(stranger, otherLockId, 'unlocked', stays()))).toBe('forbidden');
  });

  it.each(['grant', 'revoke'] as const)(
    '%s by an administrator who is replaced at the same moment does nothing (HTTP API 5)',
    async (what) => {
      const { registrationService, locks } = await createDomain();
      const appointed = registrationService.appoint(admin, lockId, 'sam');
      const late = codeOf(() =>
        what === 'grant'
          ? registrationService.grant(administrator, lockId, 'ole', 'manager')
          : registrationService.revoke(administrator, lockId, 'ole'),
      );
      await appointed;
      expect(await late).toBe('forbidden');
      expect(locks.get(lockId)?.roles).toEqual(someLock().roles);
    },
  );

  it('are not given to an account that is removed at the same moment (HTTP API 5)', async () => {
    const { registrationService, accountService, locks } = await createDomain();
    const removed = accountService.removeAccount(admin, 'sam');
    const granted = codeOf(() => registrationService.grant(administrator, lockId, 'sam', 'operator'));
    await removed;
    expect(await granted).toBe('not-found');
    expect(locks.get(lockId)?.roles).toEqual(someLock().roles);
  });

  it('are storage-unavailable when they cannot be kept (HTTP API 2)', async () => {
    const { registrationService, storage, locks } = await createDomain();
    storage.fails = () => true;
    for (const change of [
      () => registrationService.grant(admin, lockId, 'sam', 'operator'),
      () => registrationService.revoke(admin, lockId, 'ole'),
      () => registrationService.appoint(admin, lockId, 'sam'),
    ]) {
      expect(await codeOf(change)).toBe('storage-unavailable');
    }
    expect(locks.get(lockId as LockId)).toEqual(someLock());
  });
});

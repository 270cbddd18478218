// The board (HTTP API 13.2): what is on it, who sees what of it, and when it is another one.
import { describe, expect, it } from '@jest/globals';
import type { Board } from '../../../src/domain/board/board-service.ts';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import { callers, codeOf, createDomain, lockId, otherLockId, someLock } from '../../support/domain.ts';

const { admin, administrator, manager, operator, stranger } = callers;

async function withGroups() {
  const domain = await createDomain();
  for (const name of ['East', 'West', 'Yard']) await domain.counters.groupId(name);
  await domain.locks.update(lockId, (lock) => ({ ...lock, groupId: 2, groupName: 'West' }));
  await domain.locks.add(someLock({ lockId: 9 as LockId, deviceId: '00000000000a' as DeviceId, groupId: 1, groupName: 'East' }));
  return domain;
}
const firstLock = ({ groups: [group] }: Board) => [...(group?.locks ?? [])][0];
const event = (seq: number, lockDate: number) =>
  ({ seq, type: 'card-unlock', success: true, credential: '123', username: 'Maria', lockDate, serverDate: lockDate }) as const;

describe('the board', () => {
  it('has the locks of the caller in the order of their groups, those without one last', async () => {
    const { board } = await withGroups();
    const shape = async (caller = administrator) =>
      (await board.board(caller)).groups.map(({ name, locks }) => [name, Array.from(locks, (lock) => lock.lockId)]);
    expect(await shape()).toEqual([
      ['East', [9]],
      ['West', [lockId]],
      ['', [otherLockId]],
    ]);
    await board.orderGroups(admin, [3, 2]);
    expect(await shape()).toEqual([
      ['West', [lockId]],
      ['East', [9]],
      ['', [otherLockId]],
    ]);
    expect(await shape(operator)).toEqual([
      ['West', [lockId]],
      ['East', [9]],
    ]);
    expect([await shape(stranger), await shape(admin)]).toEqual([[], []]);
  });

  it('shows what each lock has said, when it locks itself, and its last record to managers alone', async () => {
    const { board, clock, lastRecords, locks, records, statuses } = await createDomain();
    await locks.update(lockId, (lock) => ({ ...lock, autoLockSeconds: 5 }));
    statuses.patch(lockId, { state: 'unlocked', stateAt: 1_000, batteryPercent: 83 });
    await records.append(lockId, 'e', [event(1, clock.now() - 9), event(2, clock.now() - 5)]);
    await lastRecords.ready();
    const lockSeen = async (caller = manager) => firstLock(await board.board(caller));
    expect(await lockSeen()).toEqual({
      ...{ lockId, alias: 'Door 7', state: 'unlocked', stateSure: true, stateAt: 1_000, online: true, batteryPercent: 83 },
      ...{ alarms: [], passage: false, autoLockAt: 6_000 },
      last: { recordId: 2, type: 'card-unlock', username: 'Maria', success: true, lockDate: clock.now() - 5 },
    });
    expect(await lockSeen(operator)).toMatchObject({ state: 'unlocked', last: null });
    await locks.update(lockId, (lock) => ({ ...lock, settings: { ...lock.settings, passageMode: 1 } }));
    expect(await lockSeen()).toMatchObject({ passage: true, autoLockAt: null });
    statuses.patch(lockId, { state: 'locked' });
    await locks.update(lockId, (lock) => ({ ...lock, settings: { ...lock.settings, passageMode: 2 } }));
    expect(await lockSeen()).toMatchObject({ passage: false, autoLockAt: null });
    await clock.advance(200 * 86_400_000);
    expect(await lockSeen()).toMatchObject({ last: null });
  });

  it('knows the last records of before the start, once they are read', async () => {
    const { records, lastRecords } = await createDomain();
    await records.append(lockId, 'e', [event(1, 5)]);
    await records.append(otherLockId, 'e', [event(1, 6), event(2, 4)]);
    await lastRecords.ready();
    expect([lastRecords.of(lockId)?.lockDate, lastRecords.of(otherLockId)?.lockDate]).toEqual([5, 4]);
  });

  it('says what needs attention: all alarms to managers, to operators what they may read anyway, those of the gateway to its administrators', async () => {
    const { alarms, board, locks } = await createDomain();
    await locks.update(otherLockId, (lock) => ({ ...lock, administrator: stranger.accountId }));
    alarms.raise('low-battery', lockId, { reason: 'r', since: 20 });
    alarms.raise('jammed', lockId, { reason: 'r', since: 30 });
    alarms.raise('offline', otherLockId, { reason: 'r', since: 10 });
    alarms.raise('clock-suspect', null, { reason: 'r', since: 40 });
    const seen = async (caller = manager) => (await board.board(caller)).attention.map(({ lockId: of, kind, since }) => [of, kind, since]);
    expect(await seen()).toEqual([
      [lockId, 'jammed', 30],
      [lockId, 'low-battery', 20],
    ]);
    expect(firstLock(await board.board(manager))?.alarms).toEqual(['jammed', 'low-battery']);
    expect(await seen(operator)).toEqual([[lockId, 'low-battery', 20]]);
    expect(firstLock(await board.board(operator))?.alarms).toEqual(['low-battery']);
    expect([await seen(stranger), await seen(admin)]).toEqual([[[otherLockId, 'offline', 10]], [[null, 'clock-suspect', 40]]]);
  });

  it('shows no lock that was removed, or on which the role ended, while the board is made', async () => {
    const { board, locks } = await createDomain();
    const { groups } = await board.board(administrator);
    await locks.remove(lockId);
    await locks.update(otherLockId, (lock) => ({ ...lock, administrator: stranger.accountId }));
    expect(groups.flatMap((group) => [...group.locks])).toEqual([]);
  });

  it('has the favourites in the order of the person, without locks on which the role is gone', async () => {
    const { board, locks } = await createDomain();
    await board.chooseFavourites(administrator, [otherLockId, lockId]);
    await board.chooseFavourites(operator, [lockId]);
    expect((await board.board(administrator)).favourites).toEqual([otherLockId, lockId]);
    await locks.update(lockId, (lock) => ({ ...lock, roles: [] }));
    expect([(await board.board(operator)).favourites, (await board.board(administrator)).favourites]).toEqual([[], [otherLockId, lockId]]);
    expect(await codeOf(() => board.chooseFavourites(operator, [lockId]))).toBe('forbidden');
    expect(await codeOf(() => board.chooseFavourites(operator, [99 as LockId]))).toBe('lock-not-found');
    expect(await codeOf(() => board.chooseFavourites(administrator, [lockId, lockId]))).toBe('invalid-parameter');
  });

  it('lets gateway administrators alone order the groups, each of which exists and stands once', async () => {
    const { board } = await withGroups();
    expect(await codeOf(() => board.orderGroups(administrator, [1]))).toBe('forbidden');
    expect(await codeOf(() => board.orderGroups(admin, [1, 1]))).toBe('invalid-parameter');
    expect(await codeOf(() => board.orderGroups(admin, [1, 9]))).toBe('not-found');
  });

  it('has another version when anything on it has changed, and the same when only others have', async () => {
    const { alarms, board, clock, emit, link, locks, records, roleService, statuses } = await withGroups();
    const versions = (): string[] => [administrator, manager, admin].map((caller) => board.version(caller));
    const changedBy = async (change: () => unknown): Promise<string> => {
      const before = versions();
      await change();
      const after = versions();
      return ['administrator', 'manager', 'admin'].filter((_, n) => before[n] !== after[n]).join(' ');
    };
    const ofLock = 'administrator manager';
    expect(await changedBy(() => undefined)).toBe('');
    expect(await changedBy(() => statuses.patch(lockId, { state: 'locked', stateAt: 1 }))).toBe(ofLock);
    expect(await changedBy(() => statuses.patch(lockId, { lastSeenAt: 5 }))).toBe('');
    expect(await changedBy(() => records.append(lockId, 'e', [event(1, clock.now())]))).toBe(ofLock);
    expect(await changedBy(() => records.append(otherLockId, 'e', [event(1, clock.now())]))).toBe('administrator');
    expect(await changedBy(() => link.lose(lockId))).toBe('');
    expect(await changedBy(() => emit('lock-offline', { lockId, reason: 'r' }))).toBe(ofLock);
    expect(await changedBy(() => locks.update(otherLockId, (lock) => ({ ...lock, alias: 'Side door' })))).toBe('administrator');
    const raised = (of: LockId | null) => () => {
      alarms.raise('jammed', of, { reason: 'r' });
      return clock.advance(3_000);
    };
    expect(await changedBy(raised(lockId))).toContain('manager');
    expect(await changedBy(() => board.orderGroups(admin, [2]))).toContain(ofLock);
    expect(await changedBy(() => board.chooseFavourites(manager, [lockId]))).toContain('manager');
    expect(await changedBy(() => roleService.revoke(administrator, lockId, manager.username))).toContain('manager');
  });
});

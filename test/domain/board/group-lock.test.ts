// All doors of a group are told to lock (HTTP API 13.5): for who is a manager of each, a result for each, and never an unlock.
import { describe, expect, it } from '@jest/globals';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import { callers, codeOf, createDomain, lockId, otherLockId, someLock, stays } from '../../support/domain.ts';
import { ok, type Replier, refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const { administrator, manager, operator } = callers;
const groupId = 3;
const inGroup = { groupId, groupName: 'Yard' };

/** Locks 7, and 100 and on, in a group; each answers as `replier` says. */
async function withGroup(count: number, replier?: Replier) {
  const domain = await createDomain();
  const ids = Array.from({ length: count }, (_, n) => (100 + n) as LockId);
  await domain.locks.update(lockId, (lock) => ({ ...lock, ...inGroup }));
  for (const id of ids) {
    await domain.locks.add(someLock({ ...inGroup, lockId: id, deviceId: `0000000${String(id).padStart(5, '0')}` as DeviceId }));
    domain.link.connect(id, replier);
  }
  if (replier) domain.link.reply(lockId, replier);
  return { ...domain, ids };
}

describe('the locking of a group', () => {
  it('tells each of its locks to lock once, and says what came of it', async () => {
    const { groupLock, link, ids } = await withGroup(3, () => ok);
    const [first, second] = ids as [LockId, LockId];
    link.lose(first);
    link.reply(second, () => refusal('jammed'));
    expect(await groupLock.lockGroup(manager, groupId, stays())).toEqual([
      { lockId, result: 'locked' },
      { lockId: first, result: 'offline' },
      { lockId: second, result: 'jammed' },
      { lockId: 102, result: 'locked' },
    ]);
    expect(link.sent.map(({ session, command }) => [session.lockId, command.op])).toEqual([
      [lockId, 'lock'],
      [second, 'lock'],
      [102, 'lock'],
    ]);
  });

  it('is refused with the first lock of which the caller is no manager, before anything is sent', async () => {
    const { groupLock, link, locks } = await withGroup(2, () => ok);
    await locks.update(100 as LockId, (lock) => ({ ...lock, roles: [{ accountId: manager.accountId, role: 'operator' }] }));
    const refused = groupLock.lockGroup(manager, groupId, stays());
    await expect(refused).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('lock 100') });
    expect(await codeOf(() => groupLock.lockGroup(operator, groupId, stays()))).toBe('forbidden');
    expect(await codeOf(() => groupLock.lockGroup(administrator, 9, stays()))).toBe('not-found');
    expect(link.sent).toEqual([]);
  });

  it('has 50 commands under way at most, and begins none when the client has left', async () => {
    const { groupLock, link } = await withGroup(119);
    const leaving = new AbortController();
    const locking = groupLock.lockGroup(manager, groupId, leaving.signal);
    await settled();
    expect(link.sent).toHaveLength(50);
    for (const { answer } of link.sent.slice(0, 10)) answer(ok);
    await settled();
    expect(link.sent).toHaveLength(60);
    leaving.abort();
    for (const { answer } of link.sent) answer(ok);
    const results = await locking;
    expect(link.sent).toHaveLength(60);
    expect(results.map(({ result }) => result).filter((result) => result === 'not-sent')).toHaveLength(60);
    expect(results.map((one) => one.lockId)).toEqual([lockId, ...Array.from({ length: 119 }, (_, n) => 100 + n)]);
  });

  it('gives each door its own time, whatever time its caller has for one', async () => {
    const { groupLock, link } = await withGroup(2);
    const locking = groupLock.lockGroup(manager, groupId, { ...stays(), deadline: Number.NEGATIVE_INFINITY });
    await settled();
    for (const { answer } of link.sent) answer(ok);
    expect((await locking).map(({ result }) => result)).toEqual(['locked', 'locked', 'locked']);
  });

  it('sends nothing to a lock on which the role is gone before its turn', async () => {
    const { groupLock, link, locks } = await withGroup(50);
    const locking = groupLock.lockGroup(manager, groupId, stays());
    await settled();
    await locks.update(149 as LockId, (lock) => ({ ...lock, roles: [{ accountId: manager.accountId, role: 'operator' }] }));
    for (const { answer } of link.sent) answer(ok);
    expect((await locking).at(-1)).toEqual({ lockId: 149, result: 'forbidden' });
    expect(link.sent.some(({ session }) => session.lockId === 149 || session.lockId === otherLockId)).toBe(false);
  });
});

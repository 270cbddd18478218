import { describe, expect, it } from '@jest/globals';
import { createLeftRoles } from '../../../src/domain/accounts/orphaned-roles.ts';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import { callers, createDomain, lockId, someLock } from '../../support/domain.ts';
import { settled } from '../../support/settable-clock.ts';

const { admin, manager, operator } = callers;
const ofManager = { accountId: manager.accountId, role: 'manager' } as const;
const ofOperator = { accountId: operator.accountId, role: 'operator' } as const;

/** Locks from 100 on, with the usual roles. */
async function withLocks(count: number) {
  const domain = await createDomain();
  const ids = Array.from({ length: count }, (_, n) => (100 + n) as LockId);
  for (const id of ids) await domain.locks.add(someLock({ lockId: id, deviceId: `0000000${String(id).padStart(5, '0')}` as DeviceId }));
  const rolesOf = () => ids.map((id) => domain.locks.get(id)?.roles);
  return { ...domain, ids, rolesOf };
}

describe('the roles of an account that is removed', () => {
  it('go from every lock, one after the other, when the account is gone already and the answer is given', async () => {
    const { accountService, accounts, leftRoles, rolesOf, storage, locks } = await withLocks(20);
    const writesBefore = storage.writes.length;
    expect(await accountService.removeAccount(admin, 'ole')).toEqual({ roles: 21 });
    expect(accounts.byName('ole')).toBeUndefined();
    expect(rolesOf().at(-1)).toEqual([ofManager, ofOperator]);
    await leftRoles.idle();
    expect(rolesOf()).toEqual(Array.from({ length: 20 }, () => [ofManager]));
    expect(locks.get(lockId)?.roles).toEqual([ofManager]);
    const writes = storage.writes.slice(writesBefore);
    expect([writes[0], writes.filter((write) => write === 'locks.update').length]).toEqual(['accounts.remove', 21]);
  });

  it('go after the next start, when a stop or a full disk has left some', async () => {
    const { accountService, accounts, events, leftRoles, rolesOf, storage, locks } = await withLocks(5);
    let writes = 0;
    storage.fails = (write) => write === 'locks.update' && ++writes > 2;
    await accountService.removeAccount(admin, 'ole');
    await leftRoles.idle();
    storage.fails = () => false;
    expect(rolesOf().filter((roles) => roles?.length === 2).length).toBeGreaterThan(0);
    const next = createLeftRoles({ locks, accounts, events });
    await next.start();
    await next.idle();
    expect(rolesOf()).toEqual(Array.from({ length: 5 }, () => [ofManager]));
  });

  it('are not waited for by a stop longer than one lock takes', async () => {
    const { accounts, leftRoles: stopped, events, rolesOf, storage, locks } = await withLocks(10);
    await stopped.stop();
    await accounts.remove(operator.accountId, 1);
    const release = storage.hold();
    const leftRoles = createLeftRoles({ locks, accounts, events });
    await leftRoles.start();
    await settled();
    const stop = leftRoles.stop();
    release();
    await stop;
    expect(rolesOf().filter((roles) => roles?.length === 2).length).toBeGreaterThanOrEqual(9);
  });

  it('and no others: those of an account that is there stay, at a start, too', async () => {
    const { accounts, events, leftRoles, rolesOf, storage, locks } = await withLocks(3);
    const before = storage.writes.length;
    const next = createLeftRoles({ locks, accounts, events });
    await next.start();
    await Promise.all([next.idle(), leftRoles.idle()]);
    expect(storage.writes.length).toBe(before);
    expect(rolesOf()).toEqual(Array.from({ length: 3 }, () => [ofManager, ofOperator]));
  });
});

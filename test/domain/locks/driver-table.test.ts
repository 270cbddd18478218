import { describe, expect, it } from '@jest/globals';
import { createDriverTable } from '../../../src/domain/locks/driver-table.ts';
import type { Lock, LockId } from '../../../src/domain/locks/lock.ts';
import { lockId, noLockId, otherLockId, someLock } from '../../support/domain.ts';
import { bareCapabilities, createFakeDriver } from '../../support/fake-driver.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

function setUp() {
  const locks = new Map<LockId, Lock>([
    [lockId, someLock({ driver: { kind: 'plain', address: '0007', options: {}, keyHash: null } })],
    [otherLockId, someLock({ lockId: otherLockId, driver: { kind: 'wooden', address: 'barn', options: {}, keyHash: null } })],
  ]);
  const driver = createFakeDriver({ clock: createSettableClock() });
  const table = createDriverTable({ locks: { get: (id) => locks.get(id) } });
  table.add(driver);
  return { locks, driver, table };
}

describe('the drivers of a gateway', () => {
  it('are one for each kind', () => {
    const { table, driver } = setUp();
    expect(() => table.add(driver)).toThrow('there are two drivers of the kind plain');
    expect(table.ofKind('plain')).toBe(driver);
    expect(table.ofKind('native')).toBeUndefined();
  });

  it('find and end the session of a lock also when it was just removed', () => {
    const { table, driver, locks } = setUp();
    const session = driver.link.connect(lockId);
    locks.delete(lockId);
    expect(table.session(lockId)).toBe(session);
    table.disconnect(lockId, 'the lock was removed');
    expect(table.session(lockId)).toBeUndefined();
    expect(driver.link.disconnects).toEqual([{ lockId, reason: 'the lock was removed' }]);
  });

  it('say what a lock can do, which is nothing when it or its driver is not there', () => {
    const { table } = setUp();
    for (const id of [lockId, otherLockId, noLockId]) expect(table.can(id, 'cards')).toBe(false);
    const { table: able, driver, locks } = setUp();
    locks.set(lockId, someLock());
    able.add({ ...driver, kind: 'native', capabilities: () => ({ ...bareCapabilities, cards: true }) });
    expect([able.can(lockId, 'cards'), able.can(lockId, 'query')]).toEqual([true, false]);
    expect([able.capabilities(someLock()).cards, table.capabilities(someLock()).cards]).toEqual([true, false]);
  });

  it('say which commands go out also to a lock that is so already, of a lock with a driver', () => {
    const { table, driver, locks } = setUp();
    locks.set(lockId, someLock());
    table.add({ ...driver, kind: 'native', alwaysSends: ({ lockId: id }, op) => id === lockId && op === 'unlock' });
    const asked = [lockId, otherLockId, noLockId].map((id) => [table.alwaysSends(id, 'unlock'), table.alwaysSends(id, 'lock')]);
    expect(asked).toEqual([
      [true, false],
      [false, false],
      [false, false],
    ]);
  });
});

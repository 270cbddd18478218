// Which locks a change of a person opens, and that nobody looks through the locks of a large group for a change that opens none.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Lock, LockId } from '../../../src/domain/locks/lock.ts';
import type { LockStore } from '../../../src/domain/locks/lock-ports.ts';
import type { Grant, Person } from '../../../src/domain/people/person.ts';
import { createWidening } from '../../../src/domain/people/widening.ts';
import { createMemoryAccounts } from '../../support/memory-stores.ts';
import { now, sampleLocks, samplePeople } from '../../support/sample-people.ts';

const locks = { get: (lockId: LockId) => sampleLocks.find((lock) => lock.lockId === lockId) as Lock | undefined } as LockStore;
const lockIdsOf = (groupId: number): ReadonlySet<LockId> =>
  new Set(sampleLocks.filter((lock) => lock.groupId === groupId).map(({ lockId }) => lockId));

function world() {
  const asked: number[] = [];
  const of = (groupId: number) => {
    asked.push(groupId);
    return lockIdsOf(groupId);
  };
  const { locksWidened } = createWidening({ locks, groups: { of }, accounts: createMemoryAccounts() });
  return { asked, locksWidened };
}

const grant = { grantId: 1, lockIds: [6], groupIds: [1], startDate: 0, endDate: 0, scheduleId: null, excluded: [] } as unknown as Grant;
const person = { personId: 5, name: 'Maria', suspended: false, removed: false, credentials: [], grants: [grant] } as unknown as Person;

test('a new grant opens the locks that it reaches', () => {
  const { locksWidened } = world();
  const another: Grant = { ...grant, lockIds: [7 as LockId], groupIds: [2] };
  expect([...locksWidened({ ...person, grants: [] }, person, now)]).toEqual([6, 1, 2]);
  expect([...locksWidened(person, { ...person, grants: [grant, another] }, now)]).toEqual([7, 3, 4]);
});

test('a change of the name, and a grant that is taken away, open nothing, and ask for the locks of no group', () => {
  const { asked, locksWidened } = world();
  expect(locksWidened(person, { ...person, name: 'Mary' }, now).size).toBe(0);
  expect(locksWidened(person, { ...person, grants: [] }, now).size).toBe(0);
  expect(asked).toEqual([]);
});

test('what is the same object opens what its copy would', () => {
  const { locksWidened } = world();
  fc.assert(
    fc.property(samplePeople, fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }), (people, coins) => {
      const [one, other = one] = people;
      if (one === undefined || other === undefined) return;
      const grants = [...one.grants, ...other.grants].filter((_, n) => coins[n]);
      const credentials = coins[21] === true ? one.credentials : other.credentials;
      const after = { ...one, grants, credentials, suspended: coins[22] === true, removed: coins[23] === true };
      expect(locksWidened(one, after, now)).toEqual(locksWidened(structuredClone(one), after, now));
    }),
    { numRuns: 500 },
  );
});

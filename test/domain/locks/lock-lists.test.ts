import { describe, expect, test } from '@jest/globals';
import type { AccountId } from '../../../src/domain/accounts/account.ts';
import { type Lock, type LockId, roleOn } from '../../../src/domain/locks/lock.ts';
import { createLockLists, everyLock, type LockLists, type WantedLocks } from '../../../src/domain/locks/lock-lists.ts';
import { sampleLock } from '../../stores/files/support/samples.ts';
import { createMemoryLocks } from '../../support/memory-stores.ts';
import { createRandom } from '../../support/seeded-random.ts';

const accounts = [1, 2, 3, 4] as AccountId[];
const words = ['Front', 'front', 'Back', 'Attic', 'İzmir', 'STRASSE', ''];

function searched(lists: LockLists, accountId: AccountId, wanted: WantedLocks) {
  return lists.page(accountId, wanted, { pageNo: 1, pageSize: 1_000 }).list;
}

describe('the locks that an account sees', () => {
  test('are those that a look at each lock finds, with and without an alias, as administrator alone or in any role, whatever has changed', async () => {
    const random = createRandom(11);
    const { locks } = createMemoryLocks([1, 2, 3].map((number) => sampleLock(number)));
    const lists = createLockLists(locks);
    const change = async (lockId: LockId): Promise<void> => {
      const before = locks.get(lockId);
      const given = accounts.filter(() => random.chance(0.4)).map((accountId) => ({ accountId, role: 'operator' as const }));
      const administrator = random.pick(accounts);
      const fresh = { administrator, roles: given, groupId: random.pick([0, 2, 3]), alias: `${random.pick(words)} ${random.pick(words)}` };
      if (before === undefined) await locks.add({ ...sampleLock(lockId), ...fresh });
      else if (random.chance(0.3)) await locks.remove(lockId);
      else await locks.update(lockId, (lock) => ({ ...lock, ...(random.chance(0.5) ? fresh : { alias: fresh.alias }) }));
      lists.changed(before, locks.get(lockId));
    };
    for (let n = 0; n < 400; n++) {
      await change((1 + random.below(12)) as LockId);
      expect(searched(lists, everyLock, {})).toEqual(locks.all());
      for (const groupId of [0, 2, 3]) {
        const found = locks.all().filter((lock: Lock) => lock.groupId === groupId);
        expect(searched(lists, everyLock, { groupId })).toEqual(found);
      }
      for (const accountId of accounts) {
        const own = locks.all().filter((lock: Lock) => roleOn(lock, { accountId }) !== undefined);
        expect(lists.of(accountId)).toEqual(own.map(({ lockId }) => lockId));
        const administered = own.filter(({ administrator }) => administrator === accountId);
        expect(searched(lists, accountId, { administered: true })).toEqual(administered);
        expect(searched(lists, accountId, { administered: true, groupId: 3 })).toEqual(administered.filter(({ groupId }) => groupId === 3));
        for (const alias of ['front', 'BACK', 'r', 'STRASSE', 'nowhere']) {
          const found = own.filter((lock) => lock.alias.toLowerCase().includes(alias.toLowerCase()));
          expect(searched(lists, accountId, { alias })).toEqual(found);
          const ofGroup = found.filter(({ groupId }) => groupId === 2);
          expect(searched(lists, accountId, { alias, groupId: 2 })).toEqual(ofGroup);
        }
      }
    }
  });

  test('are found by many more texts than are kept', () => {
    const { locks } = createMemoryLocks(Array.from({ length: 300 }, (_, n) => ({ ...sampleLock(n + 1), alias: `Door ${n + 1}.` })));
    const lists = createLockLists(locks);
    const { administrator } = sampleLock(1);
    for (const round of [1, 2])
      for (let n = 1; n <= 300; n++)
        expect([round, searched(lists, administrator, { alias: `door ${n}.` })]).toEqual([round, [locks.get(n as LockId)]]);
  });
});

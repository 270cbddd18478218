import { describe, expect, test } from '@jest/globals';
import type { AccountId, Caller } from '../../../src/domain/accounts/account.ts';
import { createActiveAlarms } from '../../../src/domain/alarms/active-alarms.ts';
import { type Alarm, type AlarmKind, alarmKinds } from '../../../src/domain/alarms/alarm.ts';
import { type LockId, roleOn } from '../../../src/domain/locks/lock.ts';
import { createLockLists } from '../../../src/domain/locks/lock-lists.ts';
import { sampleLock } from '../../stores/files/support/samples.ts';
import { createMemoryLocks } from '../../support/memory-stores.ts';
import { createRandom } from '../../support/seeded-random.ts';

const callers: Caller[] = [1, 2, 3].map((number) => {
  return { accountId: number as AccountId, username: `user ${number}`, gatewayAdministrator: number === 1 };
});

describe('the active alarms', () => {
  test('are shown the newest first to whom they concern, whatever begins, ends or changes its rights', async () => {
    const random = createRandom(5);
    const { locks } = createMemoryLocks([1, 2, 3, 4].map((number) => ({ ...sampleLock(number), administrator: 9 as AccountId })));
    const lists = createLockLists(locks);
    const active = createActiveAlarms(locks, lists);
    let expected: Alarm[] = [];
    const mayEndIt = (caller: Caller, lockId: LockId | null): boolean => {
      const lock = lockId === null ? undefined : locks.get(lockId);
      const role = lock && roleOn(lock, caller);
      return caller.gatewayAdministrator || role === 'manager' || role === 'administrator';
    };
    for (let n = 0; n < 600; n++) {
      const kind = random.pick(alarmKinds) as AlarmKind;
      const lockId = random.chance(0.1) ? null : ((1 + random.below(4)) as LockId);
      const known = active.find(kind, lockId);
      if (lockId !== null && random.chance(0.2)) {
        const before = locks.get(lockId);
        const role = random.pick(['manager', 'operator'] as const);
        const after = await locks.update(lockId, (lock) => {
          return { ...lock, roles: random.chance(0.5) ? [] : [{ accountId: random.pick(callers).accountId, role }] };
        });
        lists.changed(before, after);
      } else if (known === undefined) {
        const alarm = { kind, lockId, since: random.below(30), reason: `${n}` };
        active.add({ alarm, goneAt: undefined });
        expected = [...expected, alarm].sort((a, b) => b.since - a.since);
      } else {
        active.remove(known);
        expected = expected.filter((alarm) => alarm !== known.alarm);
      }
      for (const caller of callers) {
        const shown = expected.filter((alarm) => mayEndIt(caller, alarm.lockId));
        const { list, total } = active.page(caller, { pageNo: 2, pageSize: 3 });
        expect([list, total]).toEqual([shown.slice(3, 6), shown.length]);
      }
      expect([...active.ofKind(kind)].map(({ alarm }) => alarm.lockId).sort()).toEqual(
        expected
          .filter((alarm) => alarm.kind === kind)
          .map((alarm) => alarm.lockId)
          .sort(),
      );
      if (lockId !== null) expect(active.ofLock(lockId)).toHaveLength(expected.filter((alarm) => alarm.lockId === lockId).length);
    }
  });
});

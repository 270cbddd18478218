// Activity against brute force: random records over sealed days and today, random roles and filters, and every page followed to its end. What
// it shows is what a look at the records of each lock by itself shows.
import { expect, test } from '@jest/globals';
import type { AccountId, Caller } from '../../../src/domain/accounts/account.ts';
import { type ActivityFilter, activityKindOf, activityKinds } from '../../../src/domain/activity/activity.ts';
import { type ActivityService, createActivityService } from '../../../src/domain/activity/activity-service.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createLockLists } from '../../../src/domain/locks/lock-lists.ts';
import type { LockRecord } from '../../../src/domain/records/record.ts';
import { createRecordService } from '../../../src/domain/records/record-service.ts';
import { manualClock, startedStore, withDirectory } from '../../stores/files/support/directory.ts';
import { sampleEvent, sampleLock } from '../../stores/files/support/samples.ts';
import { stays } from '../../support/domain.ts';
import { createRandom, type Random } from '../../support/seeded-random.ts';

const dayMs = 86_400_000;
const types = ['card-unlock', 'auto-lock', 'remote-lock', 'passcode-unlock', 'tamper', 'jammed', 'door-open', 'own word'];
const names = ['', 'Erika', 'Mustafa', '=1+1'];
const callers: readonly Caller[] = [2, 3, 4].map((id) => ({
  ...{ accountId: id as AccountId, username: `account ${id}`, gatewayAdministrator: id === 4 },
}));

function anyFilter(random: Random, locks: readonly LockId[], now: number): ActivityFilter {
  const startDate = now - random.below(5 * dayMs);
  return {
    ...(random.chance(0.2) && { lockId: random.pick(locks) }),
    ...(random.chance(0.2) && { groupId: random.below(3) }),
    ...(random.chance(0.2) && { username: random.pick(names) }),
    ...(random.chance(0.3) && { kind: random.pick(activityKinds) }),
    ...(random.chance(0.3) && { success: random.chance(0.5) }),
    ...(random.chance(0.4) && { startDate, ...(random.chance(0.5) && { endDate: startDate + random.below(2 * dayMs) }) }),
  };
}

async function allPages(activity: ActivityService, caller: Caller, filter: ActivityFilter, pageSize: number, known: ReadonlySet<number>) {
  const ids: number[] = [];
  for (let next: number | null = Number.MAX_SAFE_INTEGER; next !== null; ) {
    const page = await activity.page(caller, filter, { pageSize, before: next }, stays());
    expect(page.list.length).toBeLessThanOrEqual(pageSize);
    ids.push(...page.list.map(({ record }) => record.recordId));
    next = page.next;
    // A record that the caller may read, and no other, says where to go on.
    if (next !== null) expect(known.has(next)).toBe(true);
  }
  return ids;
}

test('whoever asks for whatever gets exactly what lock/records would show, and no cursor tells of other records', () =>
  withDirectory(async (directory) => {
    const random = createRandom(18);
    const clock = manualClock();
    const { store } = await startedStore(directory, { clock });
    const { locks, records, removedLocks, entries, people } = store.ports;
    for (let id = 1; id <= 9; id++) {
      const roles = callers.flatMap(({ accountId }) =>
        random.chance(0.6) ? { accountId, role: random.pick(['operator', 'manager'] as const) } : [],
      );
      await locks.add(sampleLock(id, { groupId: random.below(3), roles }));
    }
    for (let day = 0; day < 3; day++) {
      if (day > 0) clock.advance(dayMs);
      for (let n = 0; n < 90; n++) {
        const drafts = Array.from({ length: 30 }, (_, at) =>
          sampleEvent(n * 30 + at + 1, {
            ...{ type: random.pick(types), success: random.chance(0.7), username: random.pick(names) },
            ...{ lockDate: clock.now() - random.below(2 * dayMs), serverDate: clock.now() },
          }),
        );
        await records.append((1 + random.below(9)) as LockId, `e${day}`, drafts);
      }
    }
    await store.maintenance.sealDays();
    const shared = { clock, locks, removedLocks, records, entries, clockIsSuspect: () => false, recordDays: 184 };
    const activity = createActivityService({
      ...{ ...shared, accounts: store.ports.accounts, people, lists: createLockLists(locks), log: store.ports.access },
      recorder: { allCaughtUp: async () => undefined },
    });
    const recordService = createRecordService(shared);
    const lockIds = locks.all().map(({ lockId }) => lockId);
    for (const caller of callers) {
      const seen: LockRecord[] = [];
      for (const lockId of lockIds) {
        for (let pageNo = 1, pages = 1; pageNo <= pages; pageNo++) {
          const range = { startDate: 0, endDate: 0, pageNo, pageSize: 1_000 };
          const page = await recordService.page(caller, lockId, range).catch(() => ({ list: [], pages: 0 }));
          seen.push(...page.list);
          pages = page.pages;
        }
      }
      const known = new Set(seen.map(({ recordId }) => recordId));
      for (let n = 0; n < 25; n++) {
        const filter = anyFilter(random, lockIds, clock.now());
        const asked = allPages(activity, caller, filter, random.pick([1_000, 333]), known);
        if (filter.lockId !== undefined && !seen.some((record) => record.lockId === filter.lockId)) {
          await expect(asked).rejects.toMatchObject({ code: 'forbidden' });
          continue;
        }
        const { startDate = 0, endDate = Number.MAX_SAFE_INTEGER } = filter;
        const expected = seen.filter(
          (record) =>
            (filter.lockId === undefined || record.lockId === filter.lockId) &&
            (filter.groupId === undefined || locks.get(record.lockId)?.groupId === filter.groupId) &&
            (filter.username === undefined || record.username === filter.username) &&
            (filter.kind === undefined || activityKindOf(record) === filter.kind) &&
            (filter.success === undefined || record.success === filter.success) &&
            startDate <= record.lockDate &&
            record.lockDate <= endDate,
        );
        expect(await asked).toEqual(expected.map(({ recordId }) => recordId).sort((one, other) => other - one));
      }
    }
    await store.stop();
  }));

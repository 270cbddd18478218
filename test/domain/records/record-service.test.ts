import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import { createRecordService } from '../../../src/domain/records/record-service.ts';
import { callers, codeOf, createDomain, lockId, otherLockId } from '../../support/domain.ts';

const cutoff = Date.UTC(2026, 4, 21, 9);
const now = Date.UTC(2026, 10, 21, 9);
const open = { startDate: 0, endDate: 0, pageNo: 1, pageSize: 10 };

async function setUp(...dates: number[]) {
  const domain = await createDomain();
  const events = dates.map((lockDate, n) => ({
    seq: n + 1,
    type: 'tamper',
    success: true,
    credential: '',
    username: '',
    lockDate,
    serverDate: now,
  }));
  await domain.records.append(lockId, 'e', events);
  const page = (range = {}) => domain.recordService.page(callers.manager, lockId, { ...open, ...range });
  const dated = async (range = {}) => (await page(range)).list.map(({ lockDate }) => lockDate);
  return { ...domain, page, dated };
}

describe('a page of records', () => {
  it('is newest first by recordId, whatever the dates, with exact totals (HTTP API 5.7)', async () => {
    const { page } = await setUp(now, now - 5_000, now - 1_000);
    const { list, total, pages } = await page();
    expect(list.map(({ lockDate }) => lockDate)).toEqual([now - 1_000, now - 5_000, now]);
    expect([total, pages]).toEqual([3, 1]);
  });

  it('shows passcodes to the administrator of the lock alone, of a removed one to its last one (HTTP API 5.7)', async () => {
    const { recordService, locks, removedLocks } = await setUp(now);
    const shown = async (caller: Caller) => (await recordService.page(caller, lockId, open)).showsPasscodes;
    expect([await shown(callers.administrator), await shown(callers.manager)]).toEqual([true, false]);
    const { clock, records, entries } = await setUp(now);
    const removed = { ...removedLocks, get: () => ({ administrator: callers.administrator.accountId }) as never };
    const options = { recordDays: 184, clock, records, entries, clockIsSuspect: () => false };
    const after = createRecordService({ ...options, locks: { ...locks, get: () => undefined }, removedLocks: removed });
    const root = { ...callers.manager, gatewayAdministrator: true };
    expect((await after.page(callers.administrator, lockId, open)).showsPasscodes).toBe(true);
    expect((await after.page(root, lockId, open)).showsPasscodes).toBe(false);
  });

  it('holds both ends of its range; 0 is open (HTTP API 5.7)', async () => {
    const { dated } = await setUp(now - 3, now - 2, now - 1, now);
    expect(await dated({ startDate: now - 2, endDate: now - 1 })).toEqual([now - 1, now - 2]);
    expect(await dated({ startDate: now - 1 })).toEqual([now, now - 1]);
    expect(await dated({ endDate: now - 2 })).toEqual([now - 2, now - 3]);
  });

  it('never holds what is older than six calendar months, purged or not (Specification 8)', async () => {
    const { dated, clock } = await setUp(cutoff - 1, cutoff, cutoff + 1);
    expect(await dated()).toEqual([cutoff + 1, cutoff]);
    expect(await dated({ startDate: 1, endDate: cutoff })).toEqual([cutoff]);
    await clock.advance(2);
    expect(await dated()).toEqual([]);
  });

  it('holds everything while the clock is suspect: ten years ahead, all records would seem too old (Fault T19)', async () => {
    const { clock, locks, removedLocks, records, entries } = await setUp(cutoff - 1, cutoff);
    const service = createRecordService({ recordDays: 184, clock, locks, removedLocks, records, entries, clockIsSuspect: () => true });
    const page = async (range: object) => (await service.page(callers.manager, lockId, { ...open, ...range })).total;
    expect([await page({}), await page({ endDate: cutoff - 1 })]).toEqual([2, 1]);
  });

  it('holds the days that are configured, and an error for older ones says so', async () => {
    const daysAgo = (days: number) => now - days * 86_400_000;
    const { clock, locks, removedLocks, records, entries } = await setUp(daysAgo(91), daysAgo(90), daysAgo(1));
    const service = createRecordService({ recordDays: 90, clock, locks, removedLocks, records, entries, clockIsSuspect: () => false });
    expect((await service.page(callers.manager, lockId, open)).list.map(({ lockDate }) => lockDate)).toEqual([daysAgo(1), daysAgo(90)]);
    await expect(service.page(callers.manager, lockId, { ...open, endDate: daysAgo(91) })).rejects.toThrow(
      `records are kept for 90 days: nothing before ${new Date(daysAgo(90)).toISOString()}`,
    );
  });

  it('is outside-retention when the whole range is older, to the millisecond (HTTP API 5.7)', async () => {
    const { page } = await setUp(cutoff);
    expect(await codeOf(() => page({ endDate: cutoff - 1 }))).toBe('outside-retention');
    expect(await codeOf(() => page({ startDate: 1, endDate: 2 }))).toBe('outside-retention');
    expect(await codeOf(() => page({ endDate: cutoff }))).toBe('done');
  });

  it('is outside-retention before anybody asks for the lock: parameters come before existence (HTTP API 1.4)', async () => {
    const { recordService } = await setUp();
    const missing = 99 as typeof lockId;
    expect(await codeOf(() => recordService.page(callers.manager, missing, { ...open, endDate: 1 }))).toBe('outside-retention');
    expect(await codeOf(() => recordService.page(callers.manager, missing, open))).toBe('lock-not-found');
  });

  it('holds records that a lock with a fast clock has dated ahead (HTTP API 5.7)', async () => {
    const { dated } = await setUp(now + 3_600_000);
    expect(await dated()).toEqual([now + 3_600_000]);
  });

  it('is of that lock alone', async () => {
    const { recordService } = await setUp(now);
    expect((await recordService.page(callers.administrator, otherLockId, open)).total).toBe(0);
  });
});

describe('the records of a lock that was removed', () => {
  it('are for its last administrator and for gateway administrators; for all others there is no such lock', async () => {
    const { recordService, registrationService } = await setUp(now);
    await registrationService.remove(callers.admin, lockId);
    const seen = async (caller: Caller) => {
      const code = await codeOf(() => recordService.page(caller, lockId, open));
      return code === 'done' ? (await recordService.page(caller, lockId, open)).total : code;
    };
    expect(await Promise.all(Object.values(callers).map(seen))).toEqual([1, 1, 'lock-not-found', 'lock-not-found', 'lock-not-found']);
  });

  it('are forbidden to gateway administrators while the lock is registered', async () => {
    const { recordService } = await createDomain();
    expect(await codeOf(() => recordService.page(callers.admin, lockId, open))).toBe('forbidden');
  });
});

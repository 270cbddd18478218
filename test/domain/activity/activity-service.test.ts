// Activity (HTTP API 13.3): its spans, its bound, and what a caller may not learn.
import { describe, expect, it } from '@jest/globals';
import { activityKindOf } from '../../../src/domain/activity/activity.ts';
import { createActivityService } from '../../../src/domain/activity/activity-service.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createLockLists } from '../../../src/domain/locks/lock-lists.ts';
import type { RecordDraft } from '../../../src/domain/records/record.ts';
import type { NewestFirst, NewestFirstStep } from '../../../src/domain/records/record-ports.ts';
import { callers, codeOf, createDomain, lockId, otherLockId, stays } from '../../support/domain.ts';
import { settled } from '../../support/settable-clock.ts';

const { admin, administrator, manager, operator, stranger } = callers;
const dayMs = 86_400_000;
const event = (seq: number, changes: Partial<RecordDraft> = {}): RecordDraft => ({
  ...{ seq, type: 'card-unlock', success: true, credential: '1325672378', username: 'Maria', lockDate: 1_763_715_700_000, serverDate: 1 },
  ...changes,
});

describe('activity', () => {
  it('shows managers the records of their locks, and nothing to anybody else', async () => {
    const { activity, clock, records } = await createDomain();
    const lockDate = clock.now();
    await records.append(lockId, 'e', [event(1, { lockDate })]);
    await records.append(otherLockId, 'e', [event(1, { lockDate })]);
    const seen = async (caller = manager) =>
      (await activity.page(caller, {}, { pageSize: 10 }, stays())).list.map(({ record }) => record.lockId);
    expect(await Promise.all([administrator, manager, operator, stranger, admin].map(seen))).toEqual([
      [otherLockId, lockId],
      [lockId],
      [],
      [],
      [],
    ]);
    expect(await codeOf(() => activity.page(operator, { lockId }, { pageSize: 1 }, stays()))).toBe('forbidden');
    expect(await codeOf(() => activity.page(manager, { lockId: 99 as LockId }, { pageSize: 1 }, stays()))).toBe('lock-not-found');
  });

  it('takes any span of a lock or of all, and 31 days with another filter', async () => {
    const { activity, clock, records } = await createDomain();
    const now = clock.now();
    await records.append(lockId, 'e', [event(1, { lockDate: now - 100 * dayMs }), event(2, { lockDate: now - 5 * dayMs })]);
    const ask = (filter: Parameters<typeof activity.page>[1]) => activity.page(manager, filter, { pageSize: 10 }, stays());
    const found = async (filter: Parameters<typeof activity.page>[1]) => (await ask(filter)).list.map(({ record }) => record.recordId);
    expect([await found({}), await found({ lockId }), await found({ startDate: now - 150 * dayMs })]).toEqual([
      [2, 1],
      [2, 1],
      [2, 1],
    ]);
    expect(await found({ success: true })).toEqual([2]);
    expect(await found({ kind: 'unlock', startDate: now - 101 * dayMs, endDate: now - 90 * dayMs })).toEqual([1]);
    // A month with 31 days in which summer time ends.
    const month = { startDate: Date.parse('2026-10-01T00:00:00+02:00'), endDate: Date.parse('2026-10-31T23:59:59.999+01:00') };
    expect(await found({ success: true, ...month })).toEqual([]);
    for (const filter of [
      { success: true, startDate: now - 60 * dayMs, endDate: now - 20 * dayMs },
      { groupId: 1, startDate: now - 32 * dayMs },
      { username: 'Maria', endDate: now },
    ])
      expect(await codeOf(() => ask(filter))).toBe('invalid-parameter');
    expect(await codeOf(() => ask({ endDate: now - 200 * dayMs }))).toBe('outside-retention');
  });

  it('says of each record what kind it is', () => {
    const kinds = (type: string) => [activityKindOf({ type, success: true }), activityKindOf({ type, success: false })];
    expect(['card-unlock', 'auto-lock', 'door-open', 'tamper', 'own word'].map(kinds)).toEqual([
      ['unlock', 'refused'],
      ['lock', 'refused'],
      ['door', 'door'],
      ['alarm', 'alarm'],
      [null, 'refused'],
    ]);
  });

  it('names the person who has the card now and had it then', async () => {
    const { activity, people, records, clock } = await createDomain();
    const lockDate = clock.now() - 10 * dayMs;
    const made = { createdAt: lockDate, createdBy: 'a' };
    const card = {
      credentialId: 12,
      kind: 'card',
      number: '1325672378',
      width: null,
      name: '',
      startDate: 0,
      endDate: 0,
      lost: null,
      once: false,
      ...made,
    };
    await people.add({
      ...{ personId: 5, externalId: null, name: 'Erika M.', note: '', suspended: false, removed: false, ...made },
      ...{ credentials: [card], grants: [] },
    } as never);
    await records.append(lockId, 'e', [
      event(1, { lockDate }),
      event(2, { lockDate: lockDate - 1 }),
      event(3, { lockDate, credential: '7' }),
    ]);
    const { list } = await activity.page(manager, { lockId, startDate: 0 }, { pageSize: 10 }, stays());
    expect(list.map(({ record, personId, personName }) => [record.seq, personId, personName])).toEqual([
      [3, null, null],
      [2, null, null],
      [1, 5, 'Erika M.'],
    ]);
  });

  it('reads what a person had for nobody who manages no lock', async () => {
    const domain = await createDomain();
    const { clock, accounts, locks, removedLocks, entries, people, records } = domain;
    let reads = 0;
    const about = async () => {
      reads += 1;
      return [];
    };
    const activity = createActivityService({
      ...{ clock, locks, removedLocks, entries, people, log: { about }, lists: createLockLists(locks), records, accounts },
      ...{ recorder: { allCaughtUp: async () => undefined }, clockIsSuspect: () => false, recordDays: 184 },
    });
    const ask = (caller = stranger) => activity.page(caller, { personId: 5 }, { pageSize: 10 }, stays());
    expect([await ask(), await ask(operator), reads]).toEqual([{ list: [], next: null }, { list: [], next: null }, 0]);
    await ask(manager);
    expect(reads).toBe(1);
  });

  /** A service over a log that the test scripts: steps of a filter that finds nothing. */
  async function withSteps(steps: (query: NewestFirst) => AsyncGenerator<NewestFirstStep>) {
    const domain = await createDomain();
    const { clock, accounts, locks, removedLocks, entries, people, access } = domain;
    return createActivityService({
      ...{ clock, locks, removedLocks, entries, people, log: access, lists: createLockLists(locks), records: { newestFirst: steps } },
      ...{ recorder: { allCaughtUp: async () => undefined }, clockIsSuspect: () => false, recordDays: 184, accounts },
    });
  }

  it('stops after many records without a match, at one that the caller may read, and goes on from there', async () => {
    let asked = 0;
    const activity = await withSteps(async function* ({ before }) {
      asked = before;
      for (let id = 10_000; id > 0; id -= 1) yield { records: [], lowest: id % 3 === 0 ? id : undefined, looked: 4_096 };
    });
    const page = await activity.page(manager, { kind: 'alarm' }, { pageSize: 10 }, stays());
    expect(page.list).toEqual([]);
    expect(page.next).toBeGreaterThan(9_000);
    expect((page.next as number) % 3).toBe(0);
    await activity.page(manager, { kind: 'alarm' }, { pageSize: 10, before: page.next as number }, stays());
    expect(asked).toBe(page.next);
  });

  it('looks for one question of an account at a time, ends when its client leaves, and refuses what is too much', async () => {
    let underWay = 0;
    let most = 0;
    let isOpen = true;
    const activity = await withSteps(async function* () {
      underWay += 1;
      most = Math.max(most, underWay);
      try {
        while (isOpen) {
          yield { records: [], lowest: undefined, looked: 1 };
          await new Promise(setImmediate);
        }
      } finally {
        underWay -= 1;
      }
    });
    const leaving = new AbortController();
    const first = activity.page(manager, { kind: 'door' }, { pageSize: 10 }, leaving.signal);
    const others = Array.from({ length: 16 }, () => activity.page(manager, { kind: 'door' }, { pageSize: 10 }, stays()));
    const tooMuch = codeOf(() => activity.page(manager, { kind: 'door' }, { pageSize: 10 }, stays()));
    const ofAnother = activity.page(administrator, { kind: 'door' }, { pageSize: 10 }, stays());
    await settled();
    expect([underWay, await tooMuch]).toEqual([2, 'rate-limited']);
    leaving.abort();
    expect((await first).list).toEqual([]);
    isOpen = false;
    await Promise.all([...others, ofAnother]);
    expect([most, underWay]).toEqual([2, 0]);
  });

  it('tells nothing more through a session or a token that has ended meanwhile', async () => {
    let isEnded = false;
    const activity = await withSteps(async function* () {
      isEnded = true;
      yield { records: [], lowest: undefined, looked: 1 };
    });
    const screen = { ...manager, session: { sessionId: 's', isEnded: () => isEnded } };
    expect(await codeOf(() => activity.page(screen, {}, { pageSize: 10 }, stays()))).toBe('token-invalid');
    const revoked = { ...manager, tokenId: 999 };
    expect(await codeOf(() => activity.page(revoked, {}, { pageSize: 10 }, stays()))).toBe('token-invalid');
  });
});

// What is deleted because of its age, and that nothing is while the clock may be wrong (Fault T19).
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { recordDaysAtMost } from '../../../../src/domain/records/record.ts';
import { createSecrets } from '../../../../src/stores/files/documents/secrets.ts';
import { filesToPurge } from '../../../../src/stores/files/records/retention.ts';
import { createStore, type Store } from '../../../../src/stores/files/store.ts';
import { captureLog, type ManualClock, manualClock, startedStore, testStore, withDirectory } from '../support/directory.ts';
import { everything, lockId, sampleEvent } from '../support/samples.ts';

const dayMs = 86_400_000;
const one = lockId(1);

const named = (...days: string[]) => days.map((day, n) => ({ name: { day, firstRecordId: n + 1 } }));
const daysOf = (files: readonly { name: { day: string } }[]): string[] => files.map(({ name }) => name.day);
const purgeable = (now: string, ...days: string[]): string[] => daysOf(filesToPurge(named(...days), Date.parse(now), recordDaysAtMost));

describe('a day file is old enough', () => {
  test('when six calendar months have passed since its end, and the day that a lock may be ahead', () => {
    const days = ['2026-05-18', '2026-05-19', '2026-05-20', '2026-05-21'];
    expect(purgeable('2026-11-20T23:59:59.999Z', ...days)).toEqual(['2026-05-18']);
    expect(purgeable('2026-11-21T00:00:00Z', ...days)).toEqual(['2026-05-18', '2026-05-19']);
    expect(purgeable('2026-08-31T12:00:00Z', '2026-02-25', '2026-02-26', '2026-02-27', '2026-02-28')).toEqual(['2026-02-25', '2026-02-26']);
  });

  test('earlier, when records are stored for fewer days', () => {
    const days = named('2026-10-18', '2026-10-19', '2026-10-20', '2026-10-21');
    expect(daysOf(filesToPurge(days, Date.parse('2026-11-20T00:00:00Z'), 30))).toEqual(['2026-10-18', '2026-10-19']);
  });

  test('for at most seven days in one run, the oldest first', () => {
    const days = Array.from({ length: 20 }, (_, n) => `2026-01-${String(n + 1).padStart(2, '0')}`);
    expect(purgeable('2026-11-21T00:00:00Z', ...days)).toEqual(days.slice(0, 7));
  });

  test('never before a file with older records, whatever day a wrong clock named it after', () => {
    expect(purgeable('2026-11-21T00:00:00Z', '2026-11-18', '1970-01-01', '2026-11-19')).toEqual([]);
    expect(purgeable('2026-11-21T00:00:00Z', '2026-01-01', '1970-01-01', '2026-11-19')).toEqual(['2026-01-01', '1970-01-01']);
    expect(purgeable('2026-11-21T00:00:00Z', '2026-01-01', '2036-01-01', '2026-11-19')).toEqual(['2026-01-01']);
    expect(purgeable('2026-11-21T00:00:00Z', '2026-01-01', '2036-01-01', '2026-01-02')).toEqual(['2026-01-01', '2036-01-01', '2026-01-02']);
    expect(purgeable('2026-11-21T00:00:00Z', '2036-01-01')).toEqual([]);
  });
});

async function started(directory: string, clock: ManualClock, isSynchronised = false): Promise<{ store: Store; lines: string[] }> {
  const log = captureLog();
  const isClockSynchronised = async (): Promise<boolean> => isSynchronised;
  const store = createStore({ directory, clock, log, secrets: createSecrets(), onFatal: () => undefined, isClockSynchronised });
  await store.start();
  return { store, lines: log.lines };
}
/** One record a day for `count` days, the clock left on the last of them. */
async function recordDaily(store: Store, clock: ManualClock, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) {
    if (n > 1) clock.advance(dayMs);
    await store.ports.records.append(one, 'e', [sampleEvent(n, { serverDate: clock.now(), lockDate: clock.now() })]);
  }
  await store.maintenance.sealDays();
}
const total = async (store: Store): Promise<number> => (await store.ports.records.page({ lockId: one, ...everything })).total;

describe('a purge', () => {
  test.each([
    ['nothing since', 0],
    ['a day that has just begun', 1],
  ])('leaves the newest sealed day, which remembers what was stored before: with %s behind it', (_what, later) =>
    withDirectory(async (directory) => {
      const clock = manualClock(Date.UTC(2026, 0, 1, 9));
      const { store } = await startedStore(directory, { clock });
      await recordDaily(store, clock, 3);
      clock.advance(40 * dayMs);
      await store.maintenance.sealDays();
      for (let n = 0; n < later; n++) await store.ports.records.append(lockId(2), 'e', [sampleEvent(1)]);
      expect((await store.maintenance.purge(clock.now(), 30)).deleted).toEqual(['2026-01-01-1.jsonl', '2026-01-02-2.jsonl']);
      await store.stop();
      const { store: second } = await startedStore(directory, { clock });
      expect(
        await second.ports.records.append(
          one,
          'e',
          [1, 2, 3].map((n) => sampleEvent(n)),
        ),
      ).toMatchObject({ stored: 0, duplicates: 3 });
      await second.stop();
    }),
  );

  test('deletes whole old days with their indexes, and what it deleted is not stored again', () =>
    withDirectory(async (directory) => {
      const clock = manualClock(Date.UTC(2026, 0, 1, 9));
      const { store } = await startedStore(directory, { clock });
      await recordDaily(store, clock, 190);
      const outcome = await store.maintenance.purge(clock.now(), recordDaysAtMost);
      expect(outcome).toEqual({
        deleted: [
          '2026-01-01-1.jsonl',
          '2026-01-02-2.jsonl',
          '2026-01-03-3.jsonl',
          '2026-01-04-4.jsonl',
          '2026-01-05-5.jsonl',
          '2026-01-06-6.jsonl',
          '2026-01-07-7.jsonl',
        ],
        clockIsSuspect: false,
      });
      expect(await total(store)).toBe(183);
      expect((await store.maintenance.purge(clock.now(), recordDaysAtMost)).deleted).toEqual([]);
      expect(await store.ports.records.append(one, 'e', [sampleEvent(3)])).toMatchObject({ duplicates: 1 });
      await store.stop();
      expect((await readdir(`${directory}/records`)).sort()[0]).toBe('2026-01-08-8.index');
      const again = await startedStore(directory, { clock });
      expect(again.store.ports.records.count()).toBe(183);
      expect(await again.store.ports.records.append(one, 'e', [sampleEvent(3)])).toMatchObject({ duplicates: 1 });
      await again.store.stop();
    }));
});

describe('a suspect clock', () => {
  const record = async (directory: string, clock: ManualClock): Promise<void> => {
    const { store } = await started(directory, clock);
    await recordDaily(store, clock, 3);
    expect(store.clockTrust.clockIsSuspect()).toBe(false);
    await store.stop();
  };

  test.each([
    ['before the newest record', -1],
    ['more than seven days after it', 400],
  ])('at a start %s deletes nothing until a person accepts it', (_title, days) =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      await record(directory, clock);
      const newest = clock.now();
      clock.set(newest + days * dayMs);
      const { store, lines } = await started(directory, clock);
      expect(store.clockTrust.clockIsSuspect()).toBe(true);
      expect(lines.join()).toContain('the clock is far from the newest record');
      expect(await store.maintenance.purge(clock.now(), recordDaysAtMost)).toEqual({ deleted: [], clockIsSuspect: true });
      // Records written under the wrong clock do not make it right at the next start.
      await store.ports.records.append(one, 'e', [sampleEvent(10, { serverDate: clock.now() })]);
      await store.stop();
      const second = await started(directory, clock);
      expect(second.store.clockTrust.clockIsSuspect()).toBe(true);
      expect(second.lines.filter((line) => line.includes('clock-suspect'))).toEqual([
        expect.stringMatching(/^warn the clock has been suspect since before this start: .* NTP .* `latchd clock accept`/),
      ]);
      await second.store.clockTrust.acceptClock();
      expect(second.store.clockTrust.clockIsSuspect()).toBe(false);
      const { deleted, clockIsSuspect } = await second.store.maintenance.purge(clock.now(), recordDaysAtMost);
      expect(clockIsSuspect).toBe(false);
      // The newest of three stays.
      expect(deleted).toHaveLength(days > 0 ? 2 : 0);
      await second.store.stop();
      const third = await started(directory, clock);
      expect(third.store.clockTrust.clockIsSuspect()).toBe(false);
      await third.store.stop();
    }),
  );

  test('is one that shows a time before latchd, with no record to compare it with', () =>
    withDirectory(async (directory) => {
      const clock = manualClock(Date.UTC(1970, 0, 2));
      const { store, lines } = await started(directory, clock);
      expect(store.clockTrust.clockIsSuspect()).toBe(true);
      expect(lines.join()).toContain('warn the clock shows 1970-01-02T00:00:00.000Z: nothing is deleted');
      await store.stop();
    }));

  test('is not one that is asked before the store is started, as by the metrics of a node that waits', () =>
    withDirectory(async (directory) => {
      const { store, log } = testStore(directory);
      expect(store.clockTrust.clockIsSuspect()).toBe(false);
      await store.start();
      expect(store.clockTrust.clockIsSuspect()).toBe(false);
      expect(log.lines.filter((line) => line.includes('clock-suspect'))).toEqual([]);
      await store.stop();
    }));

  test('is not one that was off for seven days or less', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      await record(directory, clock);
      clock.set(clock.now() + 7 * dayMs);
      const { store } = await started(directory, clock);
      expect(store.clockTrust.clockIsSuspect()).toBe(false);
      await store.stop();
    }));

  test('is trusted again when the kernel says that it is synchronised', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      await record(directory, clock);
      clock.set(clock.now() + 400 * dayMs);
      const { store } = await started(directory, clock, true);
      expect(store.clockTrust.clockIsSuspect()).toBe(true);
      expect((await store.maintenance.purge(clock.now(), recordDaysAtMost)).deleted).toHaveLength(2);
      expect(store.clockTrust.clockIsSuspect()).toBe(false);
      await store.stop();
    }));

  test.each([10 * 365 * dayMs, -365 * dayMs, dayMs + 1])(
    'is one that jumps by %d ms while the gateway runs; records are still stored',
    (jump) =>
      withDirectory(async (directory) => {
        const clock = manualClock();
        const { store } = await started(directory, clock);
        await recordDaily(store, clock, 3);
        clock.set(clock.now() + jump);
        expect(store.clockTrust.clockIsSuspect()).toBe(true);
        expect(await store.ports.records.append(one, 'e', [sampleEvent(10, { serverDate: clock.now() })])).toMatchObject({ stored: 1 });
        await store.maintenance.sealDays();
        expect((await store.maintenance.purge(clock.now(), recordDaysAtMost)).clockIsSuspect).toBe(true);
        expect(await total(store)).toBe(4);
        clock.set(clock.now() - jump);
        expect(store.clockTrust.clockIsSuspect()).toBe(true);
        await store.clockTrust.acceptClock();
        clock.advance(5 * dayMs);
        expect(store.clockTrust.clockIsSuspect()).toBe(false);
        await store.stop();
      }),
  );

  test('is assumed when clock.json is damaged', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      await writeFile(`${directory}/clock.json`, '{');
      const { store } = await started(directory, clock);
      expect(store.clockTrust.clockIsSuspect()).toBe(true);
      await store.clockTrust.acceptClock();
      await store.stop();
      expect(JSON.parse(await readFile(`${directory}/clock.json`, 'utf8'))).toEqual({ schemaVersion: 1, suspectSince: null });
    }));
});

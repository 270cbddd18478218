// The partitions of the records: where a record goes, and what of it goes when it is too old.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { recordDaysAtMost } from '../../../src/domain/records/record.ts';
import type { Database } from '../../../src/stores/postgres/database.ts';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { everything, lockId, sampleEvent } from '../files/support/samples.ts';
import { type Side, withRecordSides } from './support/records.ts';

const one = lockId(1);

describe('partitions', () => {
  let server: PostgresDatabases;
  beforeAll(async () => {
    server = await serverOfRun();
  });

  /** Puts the newest record to where it would be if it had been stored so many days ago. */
  async function age({ database }: { readonly database: Database }, recordId: number, days: number): Promise<void> {
    await database.transaction((query) =>
      query('UPDATE record SET stored_at = stored_at - make_interval(days => $2) WHERE record_id = $1', [recordId, days]),
    );
  }
  async function weekAgo({ database }: { readonly database: Database }, days: number): Promise<string> {
    const [row] = await database.query<{ from: string; to: string; name: string }>(
      `SELECT from_day::text AS from, (from_day + 7)::text AS to, 'record_' || to_char(from_day, 'YYYY_MM_DD') AS name FROM (
         SELECT date_trunc('week', (now() AT TIME ZONE 'UTC') - make_interval(days => $1))::date AS from_day) AS week`,
      [days],
    );
    const { from, to, name } = row as { from: string; to: string; name: string };
    await database.transaction((query) =>
      query(`CREATE TABLE IF NOT EXISTS ${name} PARTITION OF record FOR VALUES FROM ('${from} 00:00+00') TO ('${to} 00:00+00')`),
    );
    return name;
  }
  const idsOf = async ({ records }: Side) =>
    (await records.page({ lockId: one, ...everything })).list.map(({ recordId }) => recordId).toReversed();
  const purge = async (side: Side) => (await side.records.purge(Date.now(), recordDaysAtMost)).deleted;

  test('are there for this week and the weeks to come, once; what a wrong clock dates otherwise is stored all the same', () =>
    withRecordSides(server, async (given) => {
      const side = await given.open(Date.now);
      const partitionsOf = async () =>
        (await given.database.query<{ name: string }>('SELECT tableoid::regclass::text AS name FROM record ORDER BY record_id')).map(
          ({ name }) => name,
        );
      const before = side.stats().days;
      expect(before).toBeGreaterThanOrEqual(10);
      await side.seal();
      expect(side.stats().days).toBe(before);
      await side.records.append(one, 'e', [sampleEvent(1), sampleEvent(2)]);
      await age(given, 2, -3_650);
      const [today, inTenYears] = await partitionsOf();
      expect([today, inTenYears]).toEqual([await weekAgo(given, 0), 'record_default']);
      expect(await idsOf(side)).toEqual([1, 2]);
    }));

  test('one whose records are all too old goes, whole, and one a night; records are counted exactly before and after', () =>
    withRecordSides(server, async (given) => {
      const side = await given.open(Date.now);
      for (let seq = 1; seq <= 6; seq++) await side.records.append(one, 'e', [sampleEvent(seq)]);
      const weeks = [await weekAgo(given, 250), await weekAgo(given, 240), await weekAgo(given, 100)];
      for (const [recordId, days] of [
        [1, 250],
        [2, 250],
        [3, 240],
        [4, 100],
      ] as const)
        await age(given, recordId, days);
      await side.seal();
      expect([await idsOf(side), side.records.count()]).toEqual([[1, 2, 3, 4, 5, 6], 6]);
      expect(await purge(side)).toEqual([weeks[0]]);
      expect([await idsOf(side), side.records.count()]).toEqual([[3, 4, 5, 6], 4]);
      expect(await purge(side)).toEqual([weeks[1]]);
      expect(await purge(side)).toEqual([]);
      expect([await idsOf(side), side.records.count()]).toEqual([[4, 5, 6], 3]);
      await side.records.append(one, 'e', [sampleEvent(7)]);
      const again = await given.open(Date.now);
      expect([await idsOf(again), again.records.count(), again.records.newest()]).toEqual([[4, 5, 6, 7], 4, 7]);
      const found: number[] = [];
      for await (const some of again.records.since(0, () => true)) found.push(...some.map(({ recordId }) => recordId));
      expect(found).toEqual([4, 5, 6, 7]);
    }));

  test('one that a wrong clock has put young records into stays, until they are old as well', () =>
    withRecordSides(server, async (given) => {
      const side = await given.open(Date.now);
      for (let seq = 1; seq <= 4; seq++) await side.records.append(one, 'e', [sampleEvent(seq)]);
      await weekAgo(given, 250);
      const later = await weekAgo(given, 240);
      for (const [recordId, days] of [
        [1, 250],
        [2, 240],
        [3, 250],
      ] as const)
        await age(given, recordId, days);
      expect(await purge(side)).toEqual([later]);
      expect(await idsOf(side)).toEqual([1, 3, 4]);
    }));

  test('what a wrong clock has dated into the far future goes when everything around it has gone', () =>
    withRecordSides(server, async (given) => {
      const side = await given.open(Date.now);
      for (let seq = 1; seq <= 4; seq++) await side.records.append(one, 'e', [sampleEvent(seq)]);
      await weekAgo(given, 250);
      for (const [recordId, days] of [
        [1, 250],
        [2, -3_650],
        [3, 250],
      ] as const)
        await age(given, recordId, days);
      expect(await purge(side)).toHaveLength(1);
      expect([await idsOf(side), side.records.count()]).toEqual([[4], 1]);
    }));

  test('somebody who reads a partition delays its end, and nothing else', () =>
    withRecordSides(server, async (given) => {
      const side = await given.open(Date.now);
      await side.records.append(one, 'e', [sampleEvent(1)]);
      const week = await weekAgo(given, 250);
      await age(given, 1, 250);
      let release = (): void => undefined;
      let isRead = (): void => undefined;
      const read = new Promise<void>((resolve) => {
        isRead = resolve;
      });
      const reading = given.database.transaction(async (query) => {
        await query(`SELECT FROM ${week}`);
        isRead();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      });
      await read;
      const purging = purge(side);
      await side.records.append(one, 'e', [sampleEvent(2)]);
      release();
      await reading;
      expect(await purging).toEqual([week]);
      expect(await idsOf(side)).toEqual([2]);
    }));
});

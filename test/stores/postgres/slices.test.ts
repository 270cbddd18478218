// What a node reads of every lock before it serves: some rows at a time, and nothing is left out.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createClock } from '../../../src/platform/clock.ts';
import { createBatteryTable } from '../../../src/stores/postgres/battery-table.ts';
import type { Database, Query } from '../../../src/stores/postgres/database.ts';
import { createDatabase } from '../../../src/stores/postgres/database.ts';
import { takeWriting } from '../../../src/stores/postgres/fence.ts';
import { createStatusTable } from '../../../src/stores/postgres/status-table.ts';
import { rememberedOf } from '../../../src/stores/postgres/stored-streams.ts';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { captureLog } from '../files/support/directory.ts';
import { lockId } from '../files/support/samples.ts';

const locks = 12_000;
const fill = `INSERT INTO status (lock_id, state) SELECT n, CASE WHEN n % 2 = 0 THEN 'locked' ELSE 'unlocked' END FROM generate_series(1, ${locks}) AS n;
  INSERT INTO battery SELECT n, json_build_array(json_build_object('at', n, 'percent', n % 100)) FROM generate_series(1, ${locks}) AS n;
  INSERT INTO stream SELECT n, chr(97 + e), n, int8multirange(int8range(1, n), int8range(n + 1, n + 2)), n
    FROM generate_series(1, ${locks}) AS n, generate_series(0, n % 3) AS e;
  INSERT INTO used_command SELECT n, int8multirange(int8range(n, n + 1)) FROM generate_series(1, ${locks}) AS n`;

describe('what is read of all locks', () => {
  let server: PostgresDatabases;
  beforeAll(async () => {
    server = await serverOfRun();
  });

  /** `mostRows`: of one answer. */
  async function withLocks(
    run: (given: { readonly database: Database; readonly query: Query; mostRows(): number }) => Promise<void>,
  ): Promise<void> {
    const made = await server.newDatabase();
    const clock = createClock();
    const database = createDatabase({ address: made.address, password: async () => undefined, clock, log: captureLog(), name: 'test' });
    let most = 0;
    const query: Query = async <R>(sql: string, values?: readonly unknown[]) => {
      const rows = await database.query<R>(sql, values);
      most = Math.max(most, rows.length);
      return rows;
    };
    try {
      await takeWriting(database);
      await database.query(fill);
      await run({ database, query, mostRows: () => most });
    } finally {
      await database.stop();
      await made.drop();
    }
  }
  const every = Array.from({ length: locks }, (_, n) => lockId(n + 1));
  const parts = (database: Database, query: Query) => ({
    ...{ database: { query }, writer: database.openWriter(), clock: createClock(), log: captureLog(), emit: () => undefined },
  });

  test('the last reports and the battery levels of a large building come in several answers', () =>
    withLocks(async ({ database, query, mostRows }) => {
      const statuses = createStatusTable(parts(database, query));
      const batteries = createBatteryTable(parts(database, query));
      await statuses.open();
      await batteries.open();
      expect(mostRows()).toBeLessThan(locks);
      for (const lock of every) {
        expect(statuses.get(lock).state).toBe(lock % 2 === 0 ? 'locked' : 'unlocked');
        expect(await batteries.levels(lock)).toEqual([{ at: lock, percent: lock % 100 }]);
      }
    }));

  test('what a lock reports before the others are read stays, unless another node served again meanwhile', () =>
    withLocks(async ({ database, query }) => {
      const statuses = createStatusTable(parts(database, query));
      const [one, two] = [lockId(1), lockId(2)];
      await database.query('UPDATE status SET battery_percent = 70 WHERE lock_id = 2');
      statuses.patch(one, { state: 'locked', stateAt: 9 });
      statuses.forget();
      statuses.patch(two, { state: 'unlocked', stateAt: 9 });
      await statuses.open();
      const { state, batteryPercent } = statuses.get(two);
      expect([statuses.get(one).state, state, batteryPercent]).toEqual(['unlocked', 'unlocked', 70]);
      await statuses.close();
      expect(await query('SELECT state FROM status WHERE lock_id = $1', [two])).toEqual([{ state: 'unlocked' }]);
    }));

  test('which events are stored comes in several answers, also when a lock has epochs in two of them', () =>
    withLocks(async ({ query, mostRows }) => {
      const [epochs, commands]: [string[], number[]] = [[], []];
      for await (const some of rememberedOf(query, null)) {
        for (const { lockId: lock, epoch, version, newestAt, ranges } of some.epochs) {
          expect([version, newestAt, ranges.at(-1)]).toEqual([lock, lock, [lock + 1, lock + 1]]);
          epochs.push(`${lock} ${epoch}`);
        }
        for (const { lockId: lock, ranges } of some.commands) {
          expect(ranges).toEqual([[lock, lock]]);
          commands.push(lock);
        }
      }
      expect(mostRows()).toBeLessThan(locks);
      expect(epochs).toEqual(every.flatMap((lock) => ['a', 'b', 'c'].slice(0, 1 + (lock % 3)).map((epoch) => `${lock} ${epoch}`)));
      expect(commands).toEqual(every);
    }));

  test('of some locks alone nothing else is read', () =>
    withLocks(async ({ query }) => {
      const found: number[] = [];
      for await (const { epochs, commands } of rememberedOf(query, [lockId(7), lockId(11_999)]))
        found.push(...epochs.map((one) => one.lockId), ...commands.map((one) => one.lockId));
      expect(found).toEqual([7, 7, 11_999, 11_999, 11_999, 7, 11_999]);
    }));
});

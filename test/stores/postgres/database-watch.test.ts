// What the watch sees of a real server: its clock, its standbys and the nodes that were lost.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Clock } from '../../../src/domain/clock.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { connect } from '../../../src/stores/postgres/connection.ts';
import { createDatabase } from '../../../src/stores/postgres/database.ts';
import { createDatabaseWatch, type DatabaseWatch } from '../../../src/stores/postgres/database-watch.ts';
import { createNodeTable } from '../../../src/stores/postgres/node-table.ts';
import { type PostgresServer, startPostgres, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/site.ts';
import { type SynchronousReceiver, startReceiver } from '../../support/synchronous-receiver.ts';
import { captureLog } from '../files/support/directory.ts';

const realClock = createClock();
/** The watch looks far more often than every few seconds. */
const clock: Clock = { ...realClock, timer: (ms, onEnd) => realClock.timer(ms / 50, onEnd) };
const password = async () => undefined;

describe('the watch of a database', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  /** `aheadMs`: how far the wall clock of this machine seems to be ahead. */
  async function withWatch(
    run: (watch: DatabaseWatch, made: TestDatabase) => Promise<void>,
    { aheadMs = 0, prepare = async (_made: TestDatabase): Promise<unknown> => undefined, user = 'postgres' } = {},
  ): Promise<void> {
    const made = await server.newDatabase();
    await prepare(made);
    const address = { ...made.address, user };
    const database = createDatabase({ address, password, clock, log: captureLog(), name: 'box-1' });
    const watch = createDatabaseWatch({ database, clock: { ...clock, now: () => clock.now() + aheadMs } });
    watch.start();
    try {
      await run(watch, made);
    } finally {
      watch.stop();
      await database.stop();
      await made.drop();
    }
  }

  test('a clock that is right is near; one that is ten minutes ahead is not, and the database is behind it', async () => {
    await withWatch(async (watch) => {
      await until(() => watch.standbys() !== undefined, 'it has looked');
      expect(Math.abs(watch.clockAheadMs())).toBeLessThan(60_000);
      expect(watch.isClockNear()).toBe(true);
    });
    await withWatch(
      async (watch) => {
        await until(() => watch.standbys() !== undefined, 'it has looked');
        expect(watch.clockAheadMs()).toBeLessThan(-590_000);
        expect(watch.isClockNear()).toBe(false);
      },
      { aheadMs: 600_000 },
    );
  });

  test('a standby is missing from when it is demanded until it is there, and that it was demanded is remembered until somebody deletes it', () =>
    withWatch(async (watch, { query }) => {
      await until(() => watch.standbys() !== undefined, 'it has looked');
      expect(watch.standbys()).toEqual({ demanded: 0, there: 0, wasDemanded: false });
      await demand('box_2');
      let receiver: SynchronousReceiver | undefined;
      try {
        await until(() => watch.standbys()?.demanded === 1, 'it is demanded');
        expect(watch.standbys()).toEqual({ demanded: 1, there: 0, wasDemanded: false });
        receiver = startReceiver(server.port, 'box_2');
        await until(() => watch.standbys()?.there === 1, 'it is there');
        await until(() => watch.standbys()?.wasDemanded === true, 'it is remembered');
        await demand('');
        await until(() => watch.standbys()?.demanded === 0, 'it is not demanded any more');
        expect(watch.standbys()?.wasDemanded).toBe(true);
        await query('DELETE FROM latchd.standby_demanded');
        await until(() => watch.standbys()?.wasDemanded === false, 'it is forgotten');
      } finally {
        await demand('');
        await receiver?.stop();
      }
    }));

  test('a role that may not see standbys knows nothing of them', async () => {
    const receiver = startReceiver(server.port, 'box_2');
    try {
      await until(async () => (await server.query('SELECT FROM pg_stat_replication')).length === 1, 'it is there');
      await withWatch(
        async (watch) => {
          await until(() => watch.lostNodes().length > 0, 'it has looked');
          expect(watch.standbys()).toBeUndefined();
        },
        {
          user: 'plain',
          async prepare({ query }) {
            await query('CREATE ROLE plain LOGIN');
            await query('GRANT USAGE ON SCHEMA latchd TO plain');
            await query('GRANT SELECT ON ALL TABLES IN SCHEMA latchd TO plain');
            await query("INSERT INTO latchd.lost_node (name) VALUES ('box-2')");
          },
        },
      );
    } finally {
      await receiver.stop();
    }
  });

  async function demand(names: string): Promise<void> {
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await server.query('SELECT pg_reload_conf()');
  }

  test('a node that has booted anew within its lease is not lost: its former process is ended while the later one lives', () =>
    withWatch(
      async (watch) => {
        await until(() => watch.standbys() !== undefined, 'it has looked');
        expect(watch.lostNodes()).toEqual([]);
      },
      {
        async prepare(made) {
          const dial = () => connect({ address: made.address, password, clock, writer: randomUUID(), applicationName: 'test' });
          const table = createNodeTable({ clock, connect: dial });
          const [former, later] = [randomUUID(), randomUUID()];
          await table.register({ incarnation: former, name: 'box-2', url: null, bootId: 'boot', directory: null, leaseMs: 30_000 });
          await table.register({ incarnation: later, name: 'box-2', url: null, bootId: 'another', directory: null, leaseMs: 30_000 });
          expect(await table.end({ incarnation: former, beat: 0 })).toBe(true);
          expect(await table.end({ incarnation: later })).toBe(true);
          table.close();
        },
      },
    ));

  test('a node that was silent is lost until it registers again, one that has ended in order is not', () =>
    withWatch(
      async (watch) => {
        await until(() => watch.lostNodes().length > 0, 'it has looked');
        expect(watch.lostNodes()).toEqual([{ name: 'box-2', at: expect.any(Number) }]);
      },
      {
        async prepare(made) {
          const dial = () => connect({ address: made.address, password, clock, writer: randomUUID(), applicationName: 'test' });
          const table = createNodeTable({ clock, connect: dial });
          for (const [name, ends] of [
            ['box-1', 'in order'],
            ['box-2', 'in silence'],
            ['box-3', 'in silence'],
          ]) {
            const incarnation = randomUUID();
            await table.register({ incarnation, name: name as string, url: null, bootId: 'boot', directory: null, leaseMs: 30_000 });
            await table.end({ incarnation, ...(ends === 'in silence' && { beat: 0 }) });
          }
          // It came back, and then was stopped.
          const incarnation = randomUUID();
          await table.register({ incarnation, name: 'box-3', url: null, bootId: 'another', directory: null, leaseMs: 30_000 });
          await table.end({ incarnation });
          table.close();
        },
      },
    ));
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DomainError } from '../../../src/domain/errors.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { OutcomeUnknownError } from '../../../src/stores/postgres/connection.ts';
import { createDatabase, type Database, FencedError } from '../../../src/stores/postgres/database.ts';
import { takeWriting } from '../../../src/stores/postgres/fence.ts';
import { migrate } from '../../../src/stores/postgres/schema.ts';
import { lacksRoom, storageFailure } from '../../../src/stores/postgres/storage-failure.ts';
import { type PostgresServer, startPostgres, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/site.ts';
import { captureLog } from '../files/support/directory.ts';

describe('a database', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  async function withDatabase(
    run: (
      database: Database,
      given: { readonly made: TestDatabase; readonly lines: readonly string[]; readonly written: readonly number[]; other(): Database },
    ) => Promise<void>,
    options?: { readonly isEmpty?: boolean },
  ): Promise<void> {
    const made = await server.newDatabase(options);
    const log = captureLog();
    const written: number[] = [];
    const onWritten = (ms: number) => void written.push(ms);
    const { address } = made;
    const open = () => createDatabase({ address, password: async () => undefined, clock: createClock(), log, name: 'box-1', onWritten });
    const all = [open()];
    try {
      await run(all[0] as Database, {
        made,
        lines: log.lines,
        written,
        other() {
          const one = open();
          all.push(one);
          return one;
        },
      });
    } finally {
      await Promise.all(all.map((one) => one.stop()));
      await made.drop();
    }
  }

  test('numbers come as numbers, and each statement may have values', () =>
    withDatabase(async ({ query }) => {
      expect(await query('SELECT 9007199254740991::bigint AS n, $1::text AS said', ['yes'])).toEqual([
        { n: 9007199254740991, said: 'yes' },
      ]);
    }));

  test('each statement that has stored something is measured, and no other one', () =>
    withDatabase(async ({ query, openWriter }, { written }) => {
      const { write } = openWriter();
      await query('SELECT 1');
      await expect(write('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
      expect(written).toEqual([]);
      await Promise.all([write('SELECT pg_sleep(0.02)'), write('SELECT 1')]);
      expect(written).toEqual([expect.any(Number), expect.any(Number)]);
      // The whole of the statement, as it takes that long at least.
      expect(written[0]).toBeGreaterThan(15);
    }));

  test('a full disk is known from every other failure of a write, as its caller hears of it', () =>
    withDatabase(async ({ openWriter }) => {
      const { write } = openWriter();
      for (const [code, isFull] of [
        ['53100', true],
        ['53200', false],
        ['22012', false],
      ] as const) {
        const failure = await write(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`).catch((error: unknown) => error);
        expect([code, failure, lacksRoom(failure)]).toEqual([code, expect.any(Error), isFull]);
        const heard = await Promise.reject(failure)
          .catch(storageFailure)
          .catch((error: unknown) => error);
        expect([code, heard, lacksRoom(heard)]).toEqual([code, expect.any(DomainError), isFull]);
      }
      expect(lacksRoom('53100')).toBe(false);
    }));

  test('the schema is made once, by whichever of several comes first, and one of a newer program is refused', () =>
    withDatabase(
      async (database, { other }) => {
        await Promise.all([migrate(database), migrate(other()), migrate(other())]);
        expect(await database.query('SELECT feed, last FROM head WHERE feed = $1', ['change'])).toEqual([{ feed: 'change', last: 0 }]);
        await database.transaction((query) => query("INSERT INTO schema_step (name) VALUES ('of tomorrow')"));
        await expect(migrate(database)).rejects.toThrow('used by a newer latchd');
      },
      { isEmpty: true },
    ));

  test('who does not write is refused, also in the middle, and has changed nothing', () =>
    withDatabase(async (first, { other }) => {
      const second = other();
      const write = () => first.openWriter().write("SELECT write_document('a.json', 0, false, true, NULL, '{\"\"}', '{\"{}\"}') AS number");
      await expect(write()).rejects.toThrow(FencedError);
      await takeWriting(first);
      expect(await write()).toEqual([{ number: 1 }]);
      await takeWriting(second);
      await expect(first.openWriter().write("SELECT drop_document('a.json')")).rejects.toThrow(FencedError);
      expect(await second.query('SELECT name FROM document')).toEqual([{ name: 'a.json' }]);
    }));

  test('a warning with a success means that nobody knows, and the next statement has another connection', () =>
    withDatabase(async (database) => {
      const { write } = database.openWriter();
      const [before] = await write<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await expect(write("DO $$ BEGIN RAISE WARNING 'cancelled while waiting for the standby'; END $$")).rejects.toThrow(
        OutcomeUnknownError,
      );
      const [after] = await write<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      expect(after?.pid).not.toBe(before?.pid);
    }));

  test('a connection that is lost: a write is unknown, a read is asked again; an error of the server is itself', () =>
    withDatabase(async (database, { other }) => {
      const { write } = database.openWriter();
      const end = (what: string) =>
        other().query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE $1 AND pid <> pg_backend_pid()', [
          `%${what}%`,
        ]);
      const seen = async (what: string) => {
        const watching = other();
        while ((await watching.query(`SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1`, [`${what}%`])).length === 0);
      };
      const unknown = expect(write('SELECT 1, pg_sleep(60)')).rejects.toThrow(OutcomeUnknownError);
      await seen('SELECT 1, pg_sleep');
      await end('1, pg_sleep');
      await unknown;
      const read = database.query('SELECT 2 AS two, pg_sleep(0.5)');
      await seen('SELECT 2 AS two');
      await end('2 AS two');
      expect(await read).toMatchObject([{ two: 2 }]);
      await expect(write('SELECT nothing_of_the_kind')).rejects.toMatchObject({ code: '42703' });
    }));

  test('a database that dies and comes back is found again, with a line for each', () =>
    withDatabase(async (database, { lines }) => {
      const { write } = database.openWriter();
      await write('SELECT 1');
      await server.kill();
      const waiting = Promise.all([database.query('SELECT 1 AS one'), write('SELECT 2 AS two')]);
      await until(() => lines.length > 0, 'the database is away');
      await server.start();
      expect(await waiting).toEqual([[{ one: 1 }], [{ two: 2 }]]);
      // A slow one says that it starts, which is another reason.
      expect(lines.filter((line) => line.includes('database-') && !line.includes('is starting up'))).toEqual([
        expect.stringMatching(/^error the database does not answer.*"code":"database-away","reason":"127\.0\.0\.1:\d+: /),
        expect.stringMatching(/^info the database answers again/),
      ]);
    }));

  test('a read that is not answered says nothing about changes, and a write says that nothing was changed', () =>
    withDatabase(async (database) => {
      const { write } = database.openWriter();
      await database.stop();
      await expect(database.query('SELECT 1')).rejects.toThrow(/^The gateway stops$/);
      await expect(write('SELECT 1')).rejects.toThrow(/^The gateway stops; nothing was changed$/);
    }));

  test('of several hosts the primary is used, and the reasons against each are said when there is none', async () => {
    const made = await server.newDatabase();
    const log = captureLog();
    const address = { ...made.address, hosts: [{ host: '127.0.0.1', port: 1 }, ...made.address.hosts] };
    const database = createDatabase({ address, password: async () => undefined, clock: createClock(), log, name: 'box-1' });
    await database.start();
    expect(await database.query('SELECT current_database() AS name')).toEqual([{ name: made.address.database }]);
    await database.stop();
    await made.drop();
  });
});

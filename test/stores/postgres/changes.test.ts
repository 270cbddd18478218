// The rows of the feed of changes: one for each change, in its transaction, for seven days.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createClock } from '../../../src/platform/clock.ts';
import { createChangeFeed, deleteOldChanges, type FeedPlace } from '../../../src/stores/postgres/change-feed.ts';
import { createDatabase, type Database, type Query } from '../../../src/stores/postgres/database.ts';
import { takeWriting } from '../../../src/stores/postgres/fence.ts';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { captureLog } from '../files/support/directory.ts';

describe('the feed of changes', () => {
  let server: PostgresDatabases;
  beforeAll(async () => {
    server = await serverOfRun();
  });

  async function withWriter(run: (given: { readonly database: Database; readonly write: Query }) => Promise<void>): Promise<void> {
    const made = await server.newDatabase();
    const clock = createClock();
    const database = createDatabase({ address: made.address, password: async () => undefined, clock, log: captureLog(), name: 'test' });
    try {
      await takeWriting(database);
      await run({ database, write: database.openWriter().write });
    } finally {
      await database.stop();
      await made.drop();
    }
  }
  const put = (write: Query, name: string, version: number, isRepeated = false) =>
    write('SELECT write_document($1, $2, $3, true, NULL, $4, $5)', [name, version, isRepeated, [''], ['{}']]);
  const feed = (database: Database) => database.query('SELECT change_no, name, keys, was FROM change ORDER BY change_no');

  test('each change has a row of its number, which says what was changed; what was before the feed has one, too', () =>
    withWriter(async ({ database, write }) => {
      await put(write, 'hubs.json', 0);
      await write('SELECT write_document($1, 0, false, true, $2, $3, $4)', ['people.jsonl', '{}', ['a', 'b'], ['{}', '{}']]);
      await write('SELECT write_document($1, 2, false, false, NULL, $2, $3)', ['people.jsonl', ['b', 'c'], [null, '{}']]);
      await write("SELECT rename_document('hubs.json', 'hubs.json.damaged')");
      await write("SELECT drop_document('people.jsonl')");
      expect(await feed(database)).toEqual([
        { change_no: 0, name: '', keys: [], was: null },
        { change_no: 1, name: 'hubs.json', keys: null, was: null },
        { change_no: 2, name: 'people.jsonl', keys: null, was: null },
        { change_no: 3, name: 'people.jsonl', keys: ['b', 'c'], was: null },
        { change_no: 4, name: 'hubs.json.damaged', keys: null, was: 'hubs.json' },
        { change_no: 5, name: 'people.jsonl', keys: null, was: null },
      ]);
    }));

  test('what changes nothing has no row: an outdated write, a second attempt, and one of a node that was replaced', () =>
    withWriter(async ({ database, write }) => {
      await put(write, 'hubs.json', 0);
      await put(write, 'hubs.json', 0, true);
      await expect(put(write, 'hubs.json', 7)).rejects.toThrow();
      await database.query('UPDATE head SET writer = NULL');
      await expect(put(write, 'hubs.json', 1)).rejects.toThrow();
      expect(await feed(database)).toHaveLength(2);
    }));

  test('rows of seven days stay, and the newest one always; the others are deleted, however many they are', () =>
    withWriter(async ({ database, write }) => {
      await database.query(`INSERT INTO change (change_no, name, at)
        SELECT n, 'hubs.json', now() - interval '8 days' FROM generate_series(1, 12000) AS n`);
      await database.query("UPDATE head SET last = 12000 WHERE feed = 'change'");
      await put(write, 'people.jsonl', 0);
      await database.query("UPDATE change SET at = now() - interval '6 days' WHERE change_no = 11999");
      await deleteOldChanges(database.query);
      expect((await feed(database)).map((row) => (row as { change_no: number }).change_no)).toEqual([0, 11_999, 12_001]);
      await database.query("UPDATE change SET at = now() - interval '8 days'");
      await deleteOldChanges(database.query);
      expect(await feed(database)).toMatchObject([{ change_no: 12_001, name: 'people.jsonl' }]);
    }));

  test('a group of rows is whole also when so much was changed that several looks catch up', () =>
    withWriter(async ({ database, write }) => {
      const rows = (version: number, keys: readonly string[]) =>
        write('SELECT write_document($1, $2, false, $3, $4, $5, $6)', [
          ...['people.jsonl', version, version === 0, '{"of":"people","schemaVersion":1}'],
          ...[keys, keys.map(() => String(version + 1))],
        ]);
      await rows(0, ['a', 'b']);
      const sql = 'SELECT change_no AS last, mark, NULL AS writer FROM change WHERE change_no = 1';
      const [place] = await database.query<FeedPlace>(sql);
      for (let version = 1; version < 600; version += 1) await rows(version, ['a', 'b']);
      await rows(600, ['b', 'c']);
      const versions = new Map<string, number>();
      const feed = createChangeFeed({ query: database.query, versions });
      feed.readFrom(place as FeedPlace);
      const seen: object[] = [];
      feed.follow('people.jsonl', { changed: (content) => () => void seen.push(Object.fromEntries(content.rows)) });
      await feed.look();
      const whole = { a: '600', b: '601', c: '601' };
      expect(seen).toEqual([whole, whole]);
      expect([versions.get('people.jsonl'), feed.lag()]).toEqual([601, 0]);
    }));
});

// The documents and rows of a database as files: what is asked of it for many files at once.
import { expect, test } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { createEntryFiles } from '../../../src/stores/files/documents/entry-files.ts';
import { createDatabase, type Query } from '../../../src/stores/postgres/database.ts';
import { createDocumentTables, type DocumentTablesLayer, documentRoot } from '../../../src/stores/postgres/document-tables.ts';
import { takeWriting } from '../../../src/stores/postgres/fence.ts';
import { migrate } from '../../../src/stores/postgres/schema.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { captureLog } from '../files/support/directory.ts';
import { lockId, sampleEntry, sampleLock } from '../files/support/samples.ts';
import { withPostgresStore } from './support/store.ts';

const ignore = (): void => undefined;

test('past holders are forgotten by their date, and of all other locks no card is read', async () =>
  withPostgresStore(await serverOfRun(), async ({ store, address }) => {
    const holder = (id: number, to: number) => ({ cardId: id as CardId, cardNumber: '77', name: `to ${to}`, from: 1, to });
    for (const id of [1, 2, 3]) {
      await store.ports.locks.add(sampleLock(id));
      await store.ports.entries.update(lockId(id), () => ({ put: [sampleEntry(id, id)] }));
    }
    await store.ports.entries.update(lockId(1), () => ({ past: [holder(10, 50), holder(11, 150)] }));
    await store.ports.entries.update(lockId(2), () => ({ past: [holder(12, 100)] }));
    await store.stop();

    const clock = createClock();
    const database = createDatabase({ address, password: async () => undefined, clock, log: captureLog(), name: 'test' });
    await takeWriting(database);
    const read: unknown[] = [];
    const query: Query = (sql, values) => {
      if (sql.includes('body::text')) read.push(values?.[0]);
      return database.query(sql, values);
    };
    try {
      const files = createDocumentTables({ database: { ...database, query }, clock, onFenced: ignore, onFailed: ignore });
      files.serve();
      await files.load(async () => undefined);
      const owners = {
        ...{ has: () => true, hasCards: () => true, isDisabled: () => false, markCards: async () => undefined },
        whilePresent: <T>(_: unknown, work: () => Promise<T>) => work(),
      };
      const entryFiles = createEntryFiles({ files, directory: documentRoot, log: captureLog(), emit: ignore, owners });
      await entryFiles.open();
      read.length = 0;
      await entryFiles.forget(100);
      expect(new Set(read.flat())).toEqual(new Set(['cards/1.jsonl']));
      const past = async (id: number) => (await entryFiles.entries.of(lockId(id))).past('77').map(({ name }) => name);
      expect([await past(1), await past(2), await past(3)]).toEqual([['to 150'], ['to 100'], []]);
    } finally {
      await database.stop();
    }
  }));

/** Runs `run` on the tables of a new database. */
async function withTables(run: (files: DocumentTablesLayer, query: Query) => Promise<void>): Promise<void> {
  const made = await (await serverOfRun()).newDatabase();
  const database = createDatabase({
    ...{ address: made.address, password: async () => undefined, clock: createClock(), log: captureLog(), name: 'test' },
  });
  try {
    await migrate(database);
    await takeWriting(database);
    const files = createDocumentTables({ database, clock: createClock(), onFenced: ignore, onFailed: ignore });
    files.serve();
    await files.load(async () => undefined);
    await run(files, database.query);
  } finally {
    await database.stop();
    await made.drop();
  }
}
const written = ({ tables }: DocumentTablesLayer, name: string, key: string) =>
  tables?.writeRows(`${documentRoot}/${name}`, { of: 'sample', schemaVersion: 1 }, [[key, { name }]], false);

test('documents that are changed while a commit is under way share the next one, and each has a number of its own', () =>
  withTables(async (files, query) => {
    const names = Array.from({ length: 500 }, (_, n) => `many/${n}.jsonl`);
    await Promise.all(names.map((name) => written(files, name, 'a')));
    await Promise.all(names.map((name) => written(files, name, 'b')));
    const [seen] = await query<object>(
      "SELECT count(*)::int AS rows, count(DISTINCT change_no)::int AS numbers, count(DISTINCT xmin::text) < 50 AS together FROM change WHERE name LIKE 'many/%'",
    );
    expect(seen).toEqual({ rows: 1_000, numbers: 1_000, together: true });
    const [kept] = await query<object>("SELECT count(*)::int AS rows FROM document_row WHERE body->>'name' = name");
    expect(kept).toEqual({ rows: 1_000 });
  }));

test('what the server refuses of one document is refused to its writer alone', () =>
  withTables(async (files, query) => {
    const outcomes = await Promise.allSettled([
      written(files, 'first.jsonl', 'a'),
      written(files, 'good.jsonl', 'a'),
      written(files, 'bad.jsonl', 'no \u0000 in a text'),
      written(files, 'better.jsonl', 'a'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    await written(files, 'good.jsonl', 'b');
    expect(await query('SELECT name, key FROM document_row ORDER BY name, key')).toEqual([
      { name: 'better.jsonl', key: 'a' },
      { name: 'first.jsonl', key: 'a' },
      { name: 'good.jsonl', key: 'a' },
      { name: 'good.jsonl', key: 'b' },
    ]);
  }));

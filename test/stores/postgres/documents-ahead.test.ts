// What is read of documents before it is needed: read once, and given only if it is still what the database has.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createClock } from '../../../src/platform/clock.ts';
import { lockDocumentFormat } from '../../../src/stores/files/documents/lock-document.ts';
import { peopleName, personRows } from '../../../src/stores/files/documents/person-file.ts';
import { createDatabase, type Query } from '../../../src/stores/postgres/database.ts';
import { createDocumentsAhead, type DocumentsAhead } from '../../../src/stores/postgres/documents-ahead.ts';
import { takeWriting } from '../../../src/stores/postgres/fence.ts';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { captureLog } from '../files/support/directory.ts';
import { sampleLock, samplePerson } from '../files/support/samples.ts';

describe('documents read ahead', () => {
  let server: PostgresDatabases;
  beforeAll(async () => {
    server = await serverOfRun();
  });

  interface Given {
    readonly ahead: DocumentsAhead;
    /** As the process that writes, and `ahead` belongs to. */
    readonly write: Query;
    /** The names whose contents were read since the last call. */
    read(): readonly string[];
    /** Another process takes the writing over. */
    loseWriting(): Promise<void>;
  }

  async function withAhead(run: (given: Given) => Promise<void>): Promise<void> {
    const made = await server.newDatabase();
    const open = () =>
      createDatabase({ address: made.address, password: async () => undefined, clock: createClock(), log: captureLog(), name: 'test' });
    const [database, other] = [open(), open()];
    let names: string[] = [];
    const query: Query = (sql, values = []) => {
      if (sql.includes('body::text')) names.push(...(values[0] as string[]));
      return database.query(sql, values);
    };
    try {
      await takeWriting(database);
      await run({
        ahead: createDocumentsAhead({ query, writer: database.writer }),
        write: database.openWriter().write,
        read() {
          const since = names;
          names = [];
          return since;
        },
        loseWriting: () => takeWriting(other),
      });
    } finally {
      await Promise.all([database.stop(), other.stop()]);
      await made.drop();
    }
  }
  const never = (): boolean => false;
  const lockText = (alias: string): string => {
    const value = { lock: sampleLock(1, { alias }), hasCards: false };
    return JSON.stringify({ schemaVersion: 4, ...lockDocumentFormat.stored?.(value) });
  };
  async function put(write: Query, name: string, version: number, text: string): Promise<number> {
    const [row] = await write<{ number: number }>('SELECT write_document($1, $2, false, true, NULL, \'{""}\', $3) AS number', [
      ...[name, version],
      [text],
    ]);
    return row?.number ?? 0;
  }
  async function putPerson(write: Query, version: number, isWhole: boolean, number: number): Promise<number> {
    const [row] = await write<{ number: number }>('SELECT write_document($1, $2, false, $3, $4, $5, $6) AS number', [
      ...[peopleName, version, isWhole, JSON.stringify({ of: personRows.of, schemaVersion: personRows.schemaVersion })],
      ...[[`person ${number}`], [JSON.stringify(samplePerson(number))]],
    ]);
    return row?.number ?? 0;
  }
  const alias = (ahead: DocumentsAhead): unknown =>
    (ahead.take('locks/1.json', lockDocumentFormat) as { lock?: { alias: string } })?.lock?.alias;

  test('what has not changed since is read once, and given once', () =>
    withAhead(async ({ ahead, write, read }) => {
      await put(write, 'locks/1.json', 0, lockText('Front'));
      await putPerson(write, 0, true, 1);
      await ahead.look(never);
      expect(read()).toEqual(['locks/1.json', peopleName]);
      await ahead.look(never);
      expect((await ahead.compare()).map(({ name }) => name)).toEqual(['locks/1.json', peopleName]);
      expect(read()).toEqual([]);
      expect(ahead.take(peopleName, personRows)).toEqual({ rows: [['person 1', samplePerson(1)]], top: 0 });
      expect([alias(ahead), alias(ahead)]).toEqual(['Front', undefined]);
    }));

  test('what has changed since is read again, when a look sees it and when none does', () =>
    withAhead(async ({ ahead, write, read }) => {
      const first = await put(write, 'locks/1.json', 0, lockText('Front'));
      const people = await putPerson(write, 0, true, 1);
      await put(write, 'locks/2.json', 0, lockText('Back'));
      await ahead.look(never);
      read();
      const second = await put(write, 'locks/1.json', first, lockText('Main'));
      await ahead.look(never);
      expect(read()).toEqual(['locks/1.json']);
      await put(write, 'locks/1.json', second, lockText('Side'));
      await putPerson(write, people, false, 2);
      await write("SELECT drop_document('locks/2.json')");
      expect((await ahead.compare()).map(({ name }) => name)).toEqual(['locks/1.json', peopleName]);
      expect(read()).toEqual(['locks/1.json']);
      expect(alias(ahead)).toBe('Side');
      expect(ahead.take(peopleName, personRows)).toBeUndefined();
      expect(ahead.take('locks/2.json', lockDocumentFormat)).toBeUndefined();
    }));

  test('a number that is given again, because an older copy has taken the place of the database, is no sign that nothing has changed', () =>
    withAhead(async ({ ahead, write }) => {
      const before = await put(write, 'locks/1.json', 0, lockText('Front'));
      await ahead.look(never);
      await write('DELETE FROM document');
      await write('UPDATE head SET last = 0');
      expect(await put(write, 'locks/1.json', 0, lockText('Main'))).toBe(before);
      await ahead.look(never);
      await ahead.compare();
      expect(alias(ahead)).toBe('Main');
    }));

  test('a look that is over in between reads on at the next one, and one after the numbers have fallen reads everything', () =>
    withAhead(async ({ ahead, write, read }) => {
      await put(write, 'locks/1.json', 0, lockText('Front'));
      await ahead.look(() => true);
      await ahead.look(never);
      expect(read()).toEqual(['locks/1.json', 'locks/1.json']);
      await put(write, 'clock.json', 0, '{"schemaVersion":1,"suspectSince":null}');
      await ahead.look(never);
      await write('DELETE FROM document');
      await write('UPDATE head SET last = 0');
      await put(write, 'locks/1.json', 0, lockText('Main'));
      read();
      await ahead.look(never);
      expect(read()).toEqual(['locks/1.json']);
    }));

  test('damaged documents and those of older schemas are left to who needs them', () =>
    withAhead(async ({ ahead, write, read }) => {
      await put(write, 'locks/1.json', 0, '{"schemaVersion":4}');
      await put(write, 'locks/2.json', 0, '{"schemaVersion":3}');
      await ahead.look(never);
      await ahead.look(never);
      await ahead.compare();
      expect(read()).toEqual(['locks/1.json', 'locks/2.json']);
      for (const name of ['locks/1.json', 'locks/2.json']) expect(ahead.take(name, lockDocumentFormat)).toBeUndefined();
    }));

  test('what this process changes is not given any more, and cards are read by who needs them', () =>
    withAhead(async ({ ahead, write, read }) => {
      await put(write, 'locks/1.json', 0, lockText('Front'));
      await put(write, 'cards/1.jsonl', 0, '{}');
      await ahead.look(never);
      await ahead.compare();
      expect(read()).toEqual(['locks/1.json']);
      ahead.forget('locks/1.json');
      expect(alias(ahead)).toBeUndefined();
    }));

  test('nothing counts from a database to which somebody else writes', () =>
    withAhead(async ({ ahead, write, loseWriting }) => {
      await put(write, 'locks/1.json', 0, lockText('Front'));
      await loseWriting();
      await expect(ahead.compare()).rejects.toThrow('is not the one to which this node writes');
    }));
});

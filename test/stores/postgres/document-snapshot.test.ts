// Whether a node that does not lead can load what is in the database, and what that question costs while it cannot.
import { expect, test } from '@jest/globals';
import { createClock } from '../../../src/platform/clock.ts';
import { createDatabase, type Query } from '../../../src/stores/postgres/database.ts';
import { createLoadCheck } from '../../../src/stores/postgres/document-snapshot.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { captureLog } from '../files/support/directory.ts';

test('while something is missing or of an older schema, that alone is read, until it is there or of this one', async () => {
  const made = await (await serverOfRun()).newDatabase();
  const database = createDatabase({
    ...{ address: made.address, password: async () => undefined, clock: createClock(), log: captureLog(), name: 'box-2' },
  });
  const read: number[] = [];
  const query: Query = async <R>(sql: string, values?: readonly unknown[]) => {
    const rows = await database.query<R>(sql, values);
    read.push(rows.length);
    return rows;
  };
  const canBeLoaded = createLoadCheck(query);
  /** Asks twice; of each statement how many names it read. */
  const answers = async () => {
    read.length = 0;
    return { are: [await canBeLoaded(), await canBeLoaded()], read: [...read] };
  };
  const addDocument = async (name: string, schemaVersion: number) => {
    await made.query(`INSERT INTO latchd.document VALUES ('${name}', NULL, 1)`);
    await made.query(`INSERT INTO latchd.document_row (name, key, body) VALUES ('${name}', '', '{"schemaVersion":${schemaVersion}}')`);
  };
  try {
    await addDocument('counters.json', 99);
    await addDocument('locks/1.json', 99);
    await addDocument('locks/2.json', 0);
    await addDocument('cards/1', 0);
    expect(await answers()).toEqual({ are: [false, false], read: [3, 0] });
    await made.query("INSERT INTO latchd.document VALUES ('accounts.jsonl', '{\"schemaVersion\":99}', 1)");
    expect(await answers()).toEqual({ are: [false, false], read: [1, 4, 1] });
    await made.query(`UPDATE latchd.document_row SET body = '{"schemaVersion":99}' WHERE name = 'locks/2.json'`);
    expect(await answers()).toEqual({ are: [true, true], read: [1, 4, 4] });
  } finally {
    await database.stop();
    await made.drop();
  }
});

// The documents and rows of a database as files: what is asked of it for many files at once.
import { expect, test } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { createEntryFiles } from '../../../src/stores/files/documents/entry-files.ts';
import { createDatabase, type Query } from '../../../src/stores/postgres/database.ts';
import { createDocumentTables, documentRoot } from '../../../src/stores/postgres/document-tables.ts';
import { takeWriting } from '../../../src/stores/postgres/fence.ts';
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

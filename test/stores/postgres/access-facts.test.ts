// What the access log says to be so, read while another node adds to it: all of it once, then what was added.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { AccessDraft } from '../../../src/domain/access/access-log.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { type AccessFacts, createAccessFacts } from '../../../src/stores/postgres/access-facts.ts';
import { createDatabase, type Query } from '../../../src/stores/postgres/database.ts';
import { type PostgresDatabases, queryOnce } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { captureLog } from '../files/support/directory.ts';
import { lockId } from '../files/support/samples.ts';
import { withPostgresStore } from './support/store.ts';

describe('facts of the access log', () => {
  let server: PostgresDatabases;
  beforeAll(async () => {
    server = await serverOfRun();
  });

  const line = (entryId: number, what: 'held' | 'gone' = 'held', number = '1'): AccessDraft => ({
    ...{ what, lockId: lockId(1), kind: 'card', number, entryId, credentialId: null, personId: null, accountId: null, name: '' },
    ...{ notBefore: 1, notAfter: 1, startDate: 0, endDate: 0, hours: '', basis: 'reply', commandId: null, detail: '' },
  });

  interface Given {
    readonly facts: AccessFacts;
    append(...lines: readonly AccessDraft[]): Promise<void>;
    /** What everything that is so was read for, and what only for what was added, since the last call. */
    asked(): { readonly current: number; readonly added: number };
    sql(statement: string): Promise<unknown>;
  }

  function withFacts(run: (given: Given) => Promise<void>): Promise<void> {
    return withPostgresStore(server, async ({ store, address }) => {
      const database = createDatabase({ address, password: async () => undefined, clock: createClock(), log: captureLog(), name: 'test' });
      const counted = { current: 0, added: 0 };
      const query: Query = (statement, values) => {
        if (statement.includes('is_current AND stands')) counted.current += 1;
        if (statement.includes('WHERE id > $1')) counted.added += 1;
        return database.query(statement, values);
      };
      try {
        await run({
          facts: createAccessFacts(query),
          append: (...lines) => store.ports.access.append(lines),
          asked() {
            const since = { ...counted };
            Object.assign(counted, { current: 0, added: 0 });
            return since;
          },
          sql: (statement) => queryOnce(server.port, statement, address.database),
        });
      } finally {
        await database.stop();
      }
    });
  }
  const never = (): boolean => false;
  const topics = async (facts: AccessFacts): Promise<readonly string[]> => [...(await facts.open()).topics(lockId(1))].sort();

  test('what was read is not read again, and what was added since counts', () =>
    withFacts(async ({ facts, append, asked }) => {
      await append(line(1), line(2));
      await facts.look(never);
      expect(asked()).toEqual({ current: 2, added: 0 });
      await facts.look(never);
      expect(asked()).toEqual({ current: 0, added: 0 });
      await append(line(1, 'gone'), line(3));
      await facts.look(never);
      await append(line(4), line(3, 'gone'), line(3));
      expect(await topics(facts)).toEqual(['held 2', 'held 3', 'held 4']);
      expect(asked().current).toBe(0);
    }));

  test('without a look, and after one that was over too soon, all of it is read', () =>
    withFacts(async ({ facts, append, asked }) => {
      expect(await topics(facts)).toEqual([]);
      await append(line(1));
      await facts.look(() => true);
      asked();
      expect(await topics(facts)).toEqual(['held 1']);
      expect(asked()).toEqual({ current: 2, added: 0 });
    }));

  test('all of it is read again when the last line that was read is another one', () =>
    withFacts(async ({ facts, append, asked, sql }) => {
      await append(line(1));
      await append(line(2));
      await facts.look(never);
      await sql(`DELETE FROM latchd.access_line WHERE topic = 'held 2'; UPDATE latchd.head SET last = last - 1 WHERE feed = 'access'`);
      await append(line(3, 'held', '7'));
      asked();
      expect(await topics(facts)).toEqual(['held 1', 'held 3']);
      expect(asked().current).toBe(2);
    }));
});

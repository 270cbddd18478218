// Commits that wait for a standby which is not there: what is cancelled meanwhile is reported by the server as done, and is no success here.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { until } from '../../support/site.ts';
import { withDirectory } from '../files/support/directory.ts';
import { lockId, sampleEvents } from '../files/support/samples.ts';
import { withRecordSides } from './support/records.ts';
import { startedPostgresStore } from './support/store.ts';

describe('without its synchronous standby', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  async function demandStandby(names: string): Promise<void> {
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await server.query('SELECT pg_reload_conf()');
    await until(
      async () => (await server.query('SHOW synchronous_standby_names'))[0]?.['synchronous_standby_names'] === names,
      'the server knows its standbys',
    );
  }
  /** Backends whose commit of this statement waits for the standby. */
  async function waiting(statement: string): Promise<readonly number[]> {
    const rows = await server.query(
      `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%${statement}%' ORDER BY pid`,
    );
    return rows.map(({ pid }) => pid as number);
  }

  /** Runs `change`, cancels the wait of its commit, and looks that it is stored and nobody hears of it before the standby is there. */
  async function expectNoSuccess<T>(
    isThere: () => Promise<boolean>,
    given: { readonly change: () => Promise<T>; readonly commits: string; readonly confirms: string },
  ): Promise<T> {
    const { change, commits, confirms } = given;
    await demandStandby('nobody');
    let isDone = false;
    const changed = change().finally(() => {
      isDone = true;
    });
    try {
      await until(async () => (await waiting(commits)).length > 0, 'the commit waits');
      expect(await isThere()).toBe(false);
      const [pid] = await waiting(commits);
      await server.query(`SELECT pg_cancel_backend(${pid})`);
      await until(async () => (await waiting(confirms)).some((other) => other !== pid), 'a later commit waits');
      expect(await isThere()).toBe(true);
      expect(isDone).toBe(false);
    } finally {
      await demandStandby('');
    }
    return changed;
  }

  test('a change whose wait is cancelled is visible, and its caller hears of it once a later commit has got through', () =>
    withDirectory(async (directory) => {
      const made = await server.newDatabase();
      const { store } = await startedPostgresStore(made.address, directory);
      try {
        const rows = () => made.query("SELECT FROM latchd.document_row WHERE body::text LIKE '%2026-12-25%'");
        await expectNoSuccess(async () => (await rows()).length > 0, {
          change: () => store.ports.schedules.setHolidays(['2026-12-25']),
          commits: 'write_document',
          confirms: 'write_document',
        });
        expect(store.ports.schedules.holidays()).toEqual(['2026-12-25']);
      } finally {
        await store.stop();
        await made.drop();
      }
    }));

  test('so are events: the lock hears of them once a later commit has got through', () =>
    withRecordSides(server, async ({ open, database }) => {
      const { records } = await open();
      await records.append(lockId(1), 'e', sampleEvents(1, 2));
      const rows = () => database.query('SELECT FROM record');
      const appended = await expectNoSuccess(async () => (await rows()).length === 4, {
        change: () => records.append(lockId(1), 'e', sampleEvents(3, 4)),
        commits: 'WITH input AS',
        confirms: 'advance(',
      });
      expect(appended).toMatchObject({ stored: 0, duplicates: 2 });
    }));
});

// A move whose last commit is not answered: the data has one home all the time, or none until somebody knows.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Clock } from '../../../src/domain/clock.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { nodeFiles } from '../../../src/stores/files/files.ts';
import { type MigrationOptions, moveToDatabase, moveToDirectory } from '../../../src/stores/postgres/migration.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { captureLog, startedStore, testStore, withDirectory } from '../files/support/directory.ts';
import { type Break, type LostCommit, loseCommit } from './support/lost-commit.ts';
import { startedPostgresStore } from './support/store.ts';

const action = { action: 'migrate', object: 'data', detail: '' } as const;
const none = { locks: 0, cards: 0, accounts: 1 };

/** Time passes faster while nobody gets through, so that nobody waits for a minute. */
function impatientClock(isAway: () => boolean): Clock {
  const real = createClock();
  let leapt = 0;
  return {
    ...real,
    monotonic: () => real.monotonic() + leapt,
    timer(ms, run) {
      if (!isAway()) return real.timer(ms, run);
      leapt += ms;
      return real.timer(1, run);
    },
  };
}

interface Case {
  readonly folder: string;
  readonly data: string;
  readonly made: TestDatabase;
  /** Over the connection that breaks. */
  readonly options: MigrationOptions;
  readonly link: LostCommit;
}

/** A data directory and an empty database; the connection breaks at the commit that comes once `data` has a note. */
async function withLostCommit(where: Break, isAway: boolean, run: (of: Case) => Promise<void>): Promise<void> {
  const server = await serverOfRun();
  await withDirectory(async (folder) => {
    const made = await server.newDatabase({ isEmpty: true });
    const data = join(folder, 'data');
    const isDue = () => existsSync(join(data, 'MIGRATED'));
    const link = await loseCommit({ toPort: server.port, where, isAway, isDue });
    const address = { ...made.address, hosts: [{ host: '127.0.0.1', port: link.port }] };
    const clock = impatientClock(link.isAway);
    const password = async () => undefined;
    try {
      await run({
        ...{ folder, data, made, link },
        options: { ...{ address, clock, password }, url: made.url, log: captureLog(), files: nodeFiles(), directory: data },
      });
    } finally {
      link.close();
      await made.drop();
    }
  });
}

async function fillDirectory(directory: string): Promise<void> {
  const { store } = await startedStore(directory);
  await store.stop();
}
async function fillDatabase({ made, folder }: Case): Promise<void> {
  const { store } = await startedPostgresStore(made.address, join(folder, 'node'));
  await store.stop();
}
async function startsThere(directory: string): Promise<string> {
  const { store } = testStore(directory);
  try {
    await store.start();
    await store.stop();
    return 'it starts';
  } catch (error) {
    return (error as Error).message;
  }
}
const documents = ({ made }: Case) => made.query("SELECT FROM latchd.document WHERE name = 'counters.json'").catch(() => []);
const closed = async ({ made }: Case) => (await made.query('SELECT target FROM latchd.closed')).map(({ target }) => target);

test.each([[true], [false]])('the data of a directory has arrived, and the answer is lost (nobody gets through: %s)', (isAway) =>
  withLostCommit('after', isAway, async (of) => {
    await fillDirectory(of.data);
    const moved = moveToDatabase(of.options, action);
    if (!isAway) expect(await moved).toMatchObject(none);
    else {
      await expect(moved).rejects.toThrow('nobody knows whether all of it arrived: start latchd on neither, and give the same command');
      expect(await startsThere(of.data)).toContain(`was on its way to ${of.made.url}`);
      of.link.mend();
      expect(await moveToDatabase(of.options, action)).toMatchObject(none);
    }
    expect(of.link.isBroken()).toBe(true);
    expect(await documents(of)).toHaveLength(1);
    expect(readFileSync(join(of.data, 'MIGRATED'), 'utf8')).toBe(`${of.made.url}\n`);
    expect(await startsThere(of.data)).toContain(`was moved to ${of.made.url}: start with that store`);
    await expect(moveToDatabase(of.options, action)).rejects.toThrow('already: nothing was changed');
  }),
);

test.each([[true], [false]])('the data of a directory has not arrived, and nobody said so (nobody gets through: %s)', (isAway) =>
  withLostCommit('before', isAway, async (of) => {
    await fillDirectory(of.data);
    const moved = moveToDatabase(of.options, action);
    if (!isAway) {
      await expect(moved).rejects.toThrow();
      expect(await documents(of)).toHaveLength(0);
      expect(await startsThere(of.data)).toBe('it starts');
    } else {
      await expect(moved).rejects.toThrow('nobody knows');
      expect(await startsThere(of.data)).toContain('nobody knows');
      of.link.mend();
      expect(await moveToDatabase(of.options, action)).toMatchObject(none);
      expect(await documents(of)).toHaveLength(1);
      expect(await startsThere(of.data)).toContain('was moved to');
    }
    expect(of.link.isBroken()).toBe(true);
  }),
);

test.each([[true], [false]])('a database is closed, and its answer is lost (nobody gets through: %s)', (isAway) =>
  withLostCommit('after', isAway, async (of) => {
    await fillDatabase(of);
    const moved = moveToDirectory(of.options, action);
    if (!isAway) expect(await moved).toMatchObject(none);
    else {
      await expect(moved).rejects.toThrow('nobody knows whether all of it arrived: start latchd on neither, and give the same command');
      expect(await startsThere(of.data)).toContain(`the data of ${of.made.url} was on its way to ${of.data}`);
      of.link.mend();
      expect(await moveToDirectory(of.options, action)).toMatchObject(none);
    }
    expect(of.link.isBroken()).toBe(true);
    expect(await closed(of)).toEqual([of.data]);
    expect(existsSync(join(of.data, 'MIGRATED'))).toBe(false);
    expect(await startsThere(of.data)).toBe('it starts');
  }),
);

test.each([[true], [false]])('a database is not closed, and nobody said so (nobody gets through: %s)', (isAway) =>
  withLostCommit('before', isAway, async (of) => {
    await fillDatabase(of);
    const moved = moveToDirectory(of.options, action);
    if (!isAway) {
      await expect(moved).rejects.toThrow();
      expect(await closed(of)).toEqual([]);
      expect(existsSync(of.data)).toBe(false);
    } else {
      await expect(moved).rejects.toThrow('nobody knows');
      expect(await startsThere(of.data)).toContain('nobody knows');
      of.link.mend();
      expect(await moveToDirectory(of.options, action)).toMatchObject(none);
      expect(await closed(of)).toEqual([of.data]);
      expect(await startsThere(of.data)).toBe('it starts');
    }
    expect(of.link.isBroken()).toBe(true);
  }),
);

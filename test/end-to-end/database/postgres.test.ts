// The whole daemon over PostgreSQL: doors, cards and accounts outlast it, and what holds while the database is away.
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PostgresServer, startPostgres, type TestDatabase } from '../../support/postgres.ts';
import { openSite, type Site, until } from '../../support/site.ts';
import { createRuns } from '../../support/site-process.ts';

const always = { startDate: 0, endDate: 0 };

describe('a daemon whose store is a database', () => {
  let server: PostgresServer;
  let database: TestDatabase;
  let site: Site;
  beforeAll(async () => {
    server = await startPostgres({ fsync: true });
    database = await server.newDatabase({ isEmpty: true });
    site = await openSite({ locks: [{}], environment: { LATCHD_STORE: database.url }, withoutDatabase: true });
  });
  afterAll(async () => {
    await site?.close();
    await server?.remove();
  });

  const codes = () => site.gateway.log.map(({ code }) => code);
  const move = (what: 'lock' | 'unlock') => site.api('POST', `/api/v1/lock/${what}`, { query: { lockId: site.lockId(1) } });
  const rename = (lockAlias: string) => site.api('PUT', '/api/v1/lock/rename', { query: { lockId: site.lockId(1), lockAlias } });

  test('opens a door and keeps a card, and all of it outlasts a restart and a kill', async () => {
    expect((await move('unlock')).status).toBe(200);
    expect(site.lock(1).state).toBe('unlocked');
    const query = { lockId: site.lockId(1), cardNumber: '4711', method: 'regular', addType: 2, cardName: 'Alice', ...always };
    const { body } = await site.api('POST', '/api/v1/identity-card/add', { query });
    const token = await site.account('eve');
    const list = { lockId: site.lockId(1), pageNo: 1, pageSize: 20 };
    const all = async () => ({
      cards: (await site.api('GET', '/api/v1/identity-card/list', { query: list })).body.list,
      locks: (await site.api('GET', '/api/v1/lock/list', { query: list })).body.list.map(({ lockId, lockAlias }) => ({
        lockId,
        lockAlias,
      })),
      accounts: (await site.api('GET', '/api/v1/gateway/accounts', { query: list })).body.list,
      eve: (await site.api('GET', '/api/v1/lock/list', { query: list, token })).status,
    });
    const before = await all();
    expect(before).toMatchObject({ cards: [{ cardId: body.keyboardPwdId, cardNumber: '4711' }], eve: 200 });
    expect(await site.restart()).toBe(0);
    expect(await all()).toEqual(before);
    await site.kill9();
    await site.start();
    expect(await all()).toEqual(before);
    await site.whenOnline(1);
    expect((await move('lock')).status).toBe(200);
    expect(existsSync(join(site.dataDir, 'accounts.jsonl'))).toBe(false);
  });

  test('while the database is away, doors go on and changes are refused; when it is back, nothing is left to do', async () => {
    await site.whenOnline(1);
    await server.kill();
    expect((await move('unlock')).status).toBe(200);
    expect(site.lock(1).state).toBe('unlocked');
    expect(await rename('never')).toMatchObject({ status: 503, body: { code: 'storage-unavailable' } });
    expect(codes()).toContain('database-away');
    await server.start();
    await until(async () => (await rename('Front door')).status === 200, 'a change is made again');
    expect(codes()).toContain('database-back');
    expect((await site.api('GET', '/api/v1/lock/list', { query: { pageNo: 1, pageSize: 20 } })).body.list).toMatchObject([
      { lockAlias: 'Front door' },
    ]);
  });

  test('a daemon that finds no database at its start says why, and goes on once it is there', async () => {
    await site.restart();
    await server.kill();
    const runs = createRuns();
    const given = { LATCHD_STORE: database.url, LATCHD_DATA_DIR: join(site.folder, 'second') };
    await site.kill9();
    const run = runs.begin(['serve', '--http-port', '0', '--mqtt-port', '0', '--discovery-enabled', 'false'], given);
    try {
      await until(() => run.log().some(({ code }) => code === 'database-away'), 'it says that the database is away');
      expect(run.log().find(({ code }) => code === 'database-away')).toMatchObject({ reason: expect.stringContaining('ECONNREFUSED') });
      await server.start();
      await until(() => run.log().some(({ code }) => code === 'ready'), 'it is ready');
    } finally {
      run.signal('SIGTERM');
      expect(await run.ended).toBe(0);
    }
  });

  test('the password comes from a file, and is in no message', async () => {
    await server.query("CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'Xyz-7-secret'");
    await server.demandPassword('guarded');
    const file = join(tmpdir(), `latchd-store-password-${process.pid}`);
    const runs = createRuns();
    const given = { LATCHD_STORE: database.url.replace('postgres@', 'guarded@'), LATCHD_DATA_DIR: join(site.folder, 'third') };
    writeFileSync(file, 'Xyz-8-wrong\n');
    const wrong = 'the password is wrong or missing: put it into the file that storePasswordFile names; nothing was changed';
    const missing = ['--store-password-file', `${file}.missing`];
    const elsewhere = { ...given, LATCHD_STORE: `${given.LATCHD_STORE}-none` };
    for (const [flags, environment, reason] of [
      [['--store-password-file', file], given, wrong],
      [[], given, wrong],
      [missing, given, `the password file ${file}.missing cannot be read (ENOENT); nothing was changed`],
      [[], { ...elsewhere, LATCHD_STORE: elsewhere.LATCHD_STORE.replace('guarded@', 'postgres@') }, 'does not exist; nothing was changed'],
    ] as const)
      for (const command of [
        ['verify'],
        ['export', '--lock', '1'],
        ['migrate', '--from', environment.LATCHD_STORE, '--to', join(site.folder, 'out')],
      ]) {
        const { exitCode, stderr } = await runs.finish([...command, ...flags], environment);
        expect([exitCode, stderr]).toEqual([1, expect.stringContaining(reason)]);
      }
    expect(existsSync(join(site.folder, 'out'))).toBe(false);
    const flags = ['--http-port', '0', '--mqtt-port', '0', '--discovery-enabled', 'false', '--store-password-file', file];
    const run = runs.begin(['serve', ...flags], given);
    try {
      await until(() => run.log().some(({ code }) => code === 'database-away'), 'it says that the password is wrong');
      expect(run.stdout()).toContain('the password is wrong or missing: put it into the file that storePasswordFile names');
      writeFileSync(file, 'Xyz-7-secret\n');
      await until(() => run.log().some(({ code }) => code === 'ready'), 'it is ready');
      expect(run.stdout() + run.stderr()).not.toMatch(/Xyz-[78]/);
    } finally {
      run.signal('SIGTERM');
      expect(await run.ended).toBe(0);
    }
  });
});

// All data goes from files into a database and back with the real command line, and the real daemon serves it on both sides.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { shiftedClock } from '../../support/preload.ts';
import { openSite, type Site, until } from '../../support/site.ts';
import { createRuns } from '../../support/site-process.ts';

const runs = createRuns();
const sites: Site[] = [];
let server: PostgresDatabases;
beforeAll(async () => {
  server = await serverOfRun();
});
afterEach(async () => {
  await runs.endAll();
  for (const site of sites.splice(0)) await site.close();
});

const dayMs = 86_400_000;

/** A house with records of two days, cards, people, accounts and settings; its daemon is stopped. */
async function livedIn(): Promise<Site> {
  const environment: Record<string, string> = { NODE_OPTIONS: shiftedClock(-dayMs) };
  const site = await openSite({ locks: [{}, {}], environment, withoutDatabase: true });
  sites.push(site);
  const lockId = site.lockId(1);
  await site.api('POST', '/api/v1/identity-card/add', {
    query: { lockId, cardNumber: '1325672378', method: 'regular', addType: 2, startDate: 0, endDate: 0 },
  });
  await site.account('anna');
  for (const number of [1, 2])
    for (let n = 0; n < 30; n++) await site.lock(number).swipeCard(n % 2 === 0 ? '1325672378' : String(7_000_000 + n));
  for (const number of [1, 2]) await site.lock(number).whenEventsAcknowledged();
  delete environment['NODE_OPTIONS'];
  await site.restart();
  await site.whenOnline(1);
  await site.api('POST', '/api/v1/lock/unlock', { query: { lockId } });
  for (let n = 0; n < 10; n++) await site.lock(1).swipeCard('1325672378');
  await site.lock(1).whenEventsAcknowledged();
  return site;
}

/** What begins a daemon on this database, in a data directory of its own. */
function serving({ folder }: Site, url: string): readonly string[] {
  return ['serve', '--data-dir', join(folder, 'node'), '--store', url, '--http-port', '0', '--mqtt-port', '0'];
}

async function shown(site: Site): Promise<object> {
  const of = async (path: string, query: Record<string, number> = {}) => site.all(path, query);
  const lockId = site.lockId(1);
  return {
    records: await of('/api/v1/lock/records', { lockId }),
    others: await of('/api/v1/lock/records', { lockId: site.lockId(2) }),
    cards: await of('/api/v1/identity-card/list', { lockId }),
    accounts: await of('/api/v1/gateway/accounts'),
    tokens: (await of('/api/v1/gateway/tokens')).map(({ lastUsedDate: _last, ...token }) => token),
  };
}

/** What the audit log of a data directory says in the end, in its order. */
function auditIn(directory: string): readonly (readonly string[])[] {
  const folder = join(directory, 'audit');
  const lines = readdirSync(folder)
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
  const last = new Map(lines.map((line) => [line['id'], line]));
  return [...last.values()].map((line) =>
    ['action', 'object', 'detail', 'username', 'address', 'outcome'].map((member) => String(line[member])),
  );
}

/** Every file of an archive but its manifest, by its name. */
function contentOf(archive: string, folder: string): Map<string, string> {
  mkdirSync(folder);
  expect(spawnSync('tar', ['-xzf', archive, '-C', folder]).status).toBe(0);
  const names = readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return new Map(
    names.map((one) => {
      const path = join(one.parentPath, one.name);
      return [path.slice(folder.length), readFileSync(path).toString('latin1')];
    }),
  );
}

const asRoot = process.getuid?.() === 0 ? test : test.skip;

describe('latchd migrate', () => {
  asRoot('leaves everything in the directory to its owner, as whom the daemon runs', async () => {
    const site = await livedIn();
    await site.gateway.stop();
    const stranger = 65_534;
    for (const name of ['', ...readdirSync(site.dataDir, { recursive: true })])
      chownSync(join(site.dataDir, String(name)), stranger, stranger);
    const made = await server.newDatabase({ isEmpty: true });
    expect(await runs.finish(['migrate', '--from', site.dataDir, '--to', made.url])).toMatchObject({ exitCode: 0 });
    const owners = readdirSync(site.dataDir, { recursive: true }).map((name) => [name, statSync(join(site.dataDir, String(name))).uid]);
    expect(owners.filter(([, uid]) => uid !== stranger)).toEqual([]);
    expect(owners.map(([name]) => name)).toContain('MIGRATED');
  });

  test('there and back gives the same archive, byte for byte', async () => {
    const site = await livedIn();
    await site.gateway.stop();
    const made = await server.newDatabase({ isEmpty: true });
    const [first, second, back] = [join(site.folder, 'first.tar.gz'), join(site.folder, 'second.tar.gz'), join(site.folder, 'back')];
    expect((await runs.finish(['backup', '--data-dir', site.dataDir, '--to', first])).exitCode).toBe(0);
    const beforeMove = auditIn(site.dataDir);
    const there = await runs.finish(['migrate', '--from', site.dataDir, '--to', made.url, '--json']);
    expect(there).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(there.stdout)).toEqual({ locks: 2, cards: 1, accounts: 2, records: expect.any(Number) });
    expect(readFileSync(join(site.dataDir, 'MIGRATED'), 'utf8')).toBe(`${made.url}\n`);
    const again = await runs.finish(['migrate', '--from', made.url, '--to', back, '--json']);
    expect(again).toMatchObject({ exitCode: 0, stderr: '', stdout: there.stdout });
    const moves = [
      ['migrate', 'database', `from ${site.dataDir}`],
      ['migrate', 'data directory', `from ${made.url}`],
    ];
    expect(auditIn(back)).toEqual([...beforeMove, ...moves.map((move) => [...move, '(this machine)', 'command line', 'ok'])]);
    expect((await runs.finish(['verify', '--data-dir', back])).exitCode).toBe(0);
    expect((await runs.finish(['backup', '--data-dir', back, '--to', second])).exitCode).toBe(0);
    const [one, other] = [contentOf(first, join(site.folder, 'a')), contentOf(second, join(site.folder, 'b'))];
    // The audit log has a line of each move and of the first backup; the first token stays where it was.
    const isLeftOut = (name: string) => name.startsWith('/data/audit/') || name === '/data/admin.token';
    for (const archive of [one, other]) for (const name of archive.keys()) if (isLeftOut(name)) archive.delete(name);
    expect([...other.keys()].sort()).toEqual([...one.keys()].sort());
    for (const [name, bytes] of one) expect([name, other.get(name)]).toEqual([name, bytes]);
    expect([...one.keys()].some((name) => name.endsWith('.index'))).toBe(true);
    const [old = [], copy = []] = [site.dataDir, back].map((folder) => readdirSync(folder, { recursive: true }).map(String));
    const stays = /^(admin\.token|broker-client\.id|MIGRATED|backups\b.*|.*\.previous)$/;
    const isFolder = (name: string) => statSync(join(site.dataDir, name)).isDirectory();
    expect(old.filter((name) => !copy.includes(name) && !stays.test(name) && !isFolder(name))).toEqual([]);
    expect(copy.filter((name) => !old.includes(name))).toEqual([]);
    expect(copy.filter((name) => stays.test(name))).toEqual([]);
    await made.drop();
  });

  test('the daemon shows the same on the database, goes on with the same numbers, and a daemon on the old directory ends with where it went', async () => {
    const site = await livedIn();
    const before = await shown(site);
    const newest = Math.max(...(await site.all('/api/v1/lock/records', { lockId: site.lockId(1) })).map(({ recordId }) => recordId));
    const { token } = site.gateway;
    await site.gateway.stop();
    const made = await server.newDatabase({ isEmpty: true });
    expect((await runs.finish(['migrate', '--from', site.dataDir, '--to', made.url])).exitCode).toBe(0);
    const refused = await runs.finish(['serve', '--data-dir', site.dataDir, '--http-port', '0', '--mqtt-port', '0']);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(`was moved to ${made.url}`)]);

    const run = runs.begin(['serve', '--data-dir', join(site.folder, 'node'), '--store', made.url, '--http-port', '0', '--mqtt-port', '0']);
    await until(() => run.log().some(({ code }) => code === 'ready'), 'it serves');
    const ready = run.log().find(({ code }) => code === 'ready') as { http: { port: number }; mqtt: { host: string; port: number } };
    site.wire.lead(`mqtt://127.0.0.1:${ready.mqtt.port}`);
    const asked = Object.assign(Object.create(site), {
      async all(path: string, query: Record<string, number> = {}) {
        const search = new URLSearchParams({
          ...Object.fromEntries(Object.entries(query).map(([k, v]) => [k, String(v)])),
          pageNo: '1',
          pageSize: '1000',
        });
        const answer = await fetch(`http://127.0.0.1:${ready.http.port}${path}?${search}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        return ((await answer.json()) as { list: unknown[] }).list;
      },
    }) as Site;
    expect(await shown(asked)).toEqual(before);
    await site.lock(1).swipeCard('1325672378');
    await site.lock(1).whenEventsAcknowledged();
    const after = await asked.all('/api/v1/lock/records', { lockId: site.lockId(1) });
    expect(after[0]?.recordId).toBe(newest + 1);
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);

    const back = join(site.folder, 'back');
    expect(await runs.finish(['migrate', '--from', made.url, '--to', back])).toMatchObject({ exitCode: 0 });
    expect((await runs.finish(['verify', '--data-dir', back])).exitCode).toBe(0);
    const closed = await runs.finish(serving(site, made.url));
    expect([closed.exitCode, closed.stderr]).toEqual([1, expect.stringContaining(`was moved to ${back}`)]);
    await made.drop();
  });

  test('a database is backed up while its daemon runs and while none does, and restored into an empty one', async () => {
    const site = await livedIn();
    await site.gateway.stop();
    const [made, other] = [await server.newDatabase({ isEmpty: true }), await server.newDatabase({ isEmpty: true })];
    expect((await runs.finish(['migrate', '--from', site.dataDir, '--to', made.url])).exitCode).toBe(0);
    const node = join(site.folder, 'node');
    const at = ['--data-dir', node, '--store', made.url];
    // As the package leaves it: with files of its own, and an authority, from before its configuration named the database.
    const before = runs.begin(['serve', '--data-dir', node, '--store', 'files', '--http-port', '0', '--mqtt-port', '0']);
    await until(() => before.log().some(({ code }) => code === 'ready'), 'it serves files');
    before.signal('SIGTERM');
    await before.ended;
    const verified = await runs.finish(['verify', ...at, '--json']);
    expect([verified.exitCode, JSON.parse(verified.stdout)]).toEqual([0, expect.objectContaining({ ok: true, locks: 2 })]);
    const [cold, warm] = [join(site.folder, 'cold.tar.gz'), join(site.folder, 'warm.tar.gz')];
    expect(await runs.finish(['backup', ...at, '--to', cold])).toMatchObject({ exitCode: 0 });
    const run = runs.begin(['serve', ...at, '--http-port', '0', '--mqtt-port', '0']);
    await until(() => run.log().some(({ code }) => code === 'ready'), 'it serves');
    expect(await runs.finish(['backup', ...at, '--to', warm])).toMatchObject({ exitCode: 0 });
    run.signal('SIGTERM');
    await run.ended;
    expect((await runs.finish(['restore', warm, '--data-dir', join(site.folder, 'files')])).exitCode).toBe(0);
    const second = ['--data-dir', join(site.folder, 'second'), '--store', other.url];
    const restored = await runs.finish(['restore', cold, ...second, '--json']);
    expect([restored.exitCode, JSON.parse(restored.stdout)]).toEqual([
      0,
      expect.objectContaining({ restored: true, locks: 2, findings: [] }),
    ]);
    const again = await runs.finish(['restore', cold, ...second]);
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
    const leapt = await runs.finish(['recovered', ...second]);
    expect([leapt.exitCode, leapt.stderr]).toEqual([0, expect.stringContaining('latchd access compare, latchd access resume')]);
    const audit = JSON.parse((await runs.finish(['audit', 'list', ...second, '--json'])).stdout) as { action: string; username: string }[];
    expect(audit.slice(0, 2)).toMatchObject([
      { action: 'recovered', object: 'database', username: '(this machine)', outcome: 'ok' },
      { action: 'restore', outcome: 'ok' },
    ]);
    const restoredRun = runs.begin(['serve', ...second, '--http-port', '0', '--mqtt-port', '0']);
    await until(() => restoredRun.log().some(({ code }) => code === 'ready'), 'it serves');
    restoredRun.signal('SIGTERM');
    expect(await restoredRun.ended).toBe(0);
    expect((await runs.finish(['verify', ...second])).exitCode).toBe(0);
    expect(readdirSync(join(site.folder, 'second')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await made.drop();
    await other.drop();
  });

  test('what was moved is moved nowhere else, and stays closed when that is tried', async () => {
    const site = await openSite({ withoutDatabase: true });
    sites.push(site);
    await site.gateway.stop();
    const [first, other] = [await server.newDatabase({ isEmpty: true }), await server.newDatabase({ isEmpty: true })];
    const move = (to: string) => runs.finish(['migrate', '--from', site.dataDir, '--to', to]);
    expect((await move(first.url)).exitCode).toBe(0);
    for (const target of [other, first]) {
      const again = await move(target.url);
      expect([again.exitCode, again.stderr]).toEqual([
        1,
        expect.stringContaining(`${site.dataDir} was moved to ${first.url} already: nothing was changed`),
      ]);
      expect(readFileSync(join(site.dataDir, 'MIGRATED'), 'utf8')).toBe(`${first.url}\n`);
    }
    expect(await other.query("SELECT FROM pg_namespace WHERE nspname = 'latchd'")).toEqual([]);
    const refused = await runs.finish(['serve', '--data-dir', site.dataDir, '--http-port', '0', '--mqtt-port', '0']);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(`was moved to ${first.url}`)]);
    await first.drop();
    await other.drop();
  });

  test('what it refuses changes nothing', async () => {
    const site = await openSite({ withoutDatabase: true });
    sites.push(site);
    const made = await server.newDatabase({ isEmpty: true });
    const move = (from: string, to: string) => runs.finish(['migrate', '--from', from, '--to', to]);
    const running = await move(site.dataDir, made.url);
    expect([running.exitCode, running.stderr]).toEqual([1, expect.stringContaining('is running')]);
    const empty = await move(made.url, join(site.folder, 'out'));
    expect([empty.exitCode, empty.stderr]).toEqual([1, expect.stringContaining('no data of latchd')]);
    const same = await move(site.dataDir, join(site.folder, 'out'));
    expect([same.exitCode, same.stderr]).toEqual([1, expect.stringContaining('one of --from and --to')]);
    await site.gateway.stop();
    expect((await move(site.dataDir, made.url)).exitCode).toBe(0);
    const full = await move(made.url, site.dataDir);
    const onlyEmpty = `${site.dataDir} is not empty: data is moved to an empty or a new data directory only`;
    expect([full.exitCode, full.stderr]).toEqual([1, expect.stringContaining(onlyEmpty)]);
    const node = runs.begin(serving(site, made.url));
    await until(() => node.log().some(({ code }) => code === 'ready'), 'it serves');
    const served = await move(made.url, join(site.folder, 'out'));
    expect([served.exitCode, served.stderr]).toEqual([1, expect.stringContaining('runs on the database: stop it first')]);
    expect(readdirSync(site.folder)).not.toContain('out');
    await made.drop();
  });
});

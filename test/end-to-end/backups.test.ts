// The backups of the real daemon: at their hour, when they fail, when it is killed in the middle of one, and by root on a stopped one.
import { chown, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Decrypter } from 'age-encryption';
import { openSite, type Site, type SiteOptions, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const runs = createRuns();
const sites: Site[] = [];
afterEach(async () => {
  await runs.endAll();
  for (const site of sites.splice(0)) await site.close();
});

async function opened(options: SiteOptions): Promise<Site> {
  const site = await openSite({ ...options, flags: ['--metrics-enabled', 'true', ...(options.flags ?? [])] });
  sites.push(site);
  return site;
}

/** The wall clock of the daemon, and of nothing else, begins some seconds before 02:30 UTC, when the backup is due. */
function shortlyBeforeItsHour(): Readonly<Record<string, string>> {
  const due = new Date();
  due.setUTCHours(2, 29, 52, 0);
  const shifted = `const Real=Date,by=${due.getTime()}-Real.now();globalThis.Date=class extends Real{constructor(...given){given.length?super(...given):super(Real.now()+by)}static now(){return Real.now()+by}}`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shifted)}` };
}

async function lastSuccess(site: Site): Promise<number> {
  const text = await (await fetch(`${site.gateway.httpUrl}/metrics`)).text();
  return Number(/^latchd_backup_last_success_timestamp_seconds (\S+)$/m.exec(text)?.[1]);
}

const jobs = (site: Site, code: string) => site.gateway.log.filter((line) => line['code'] === code && line['job'] === 'backup');

describe('the backup of every night', () => {
  test('is made at its hour, can be restored, and shows in the metrics, after a restart as well', async () => {
    const site = await opened({ environment: shortlyBeforeItsHour() });
    expect(await lastSuccess(site)).toBe(0);
    await until(() => jobs(site, 'job-done').length > 0, 'the backup is made', 30_000);
    const [line] = jobs(site, 'job-done');
    expect(line).toMatchObject({ level: 'info', file: expect.stringMatching(/backups\/latchd-\d{8}T0230\d{2}Z\.tar\.gz$/) });
    const at = await lastSuccess(site);
    expect(new Date(at * 1_000).toISOString()).toMatch(/T02:30:0\d/);
    const { exitCode, stderr } = await runs.finish(['restore', String(line?.['file']), '--data-dir', join(site.folder, 'restored')]);
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    await site.restart();
    expect(Math.floor(await lastSuccess(site))).toBe(Math.floor(at));
  });

  test('that fails is an error in the log, an active alarm, and no success in the metrics', async () => {
    const site = await opened({ environment: shortlyBeforeItsHour() });
    await writeFile(join(site.dataDir, 'backups'), 'a file where the folder should be');
    await until(() => jobs(site, 'job-failed').length > 0, 'the backup fails', 30_000);
    expect(jobs(site, 'job-failed')[0]).toMatchObject({ level: 'error', err: { message: expect.stringContaining('no backup was made') } });
    expect(await lastSuccess(site)).toBe(0);
    const { body } = await site.api('GET', '/api/v1/gateway/alarms');
    expect(JSON.stringify(body)).toContain('backup-failing');
  });
});

describe('a backup', () => {
  test('in the middle of which the daemon is killed leaves nothing that has the name of one or is restored, and is cleared away at the next start', async () => {
    const site = await opened({});
    const folder = join(site.dataDir, 'backups');
    // Enough to be in the middle of it for a while.
    await site.pad(64 << 20);
    const asked = runs.begin(['backup', '--data-dir', site.dataDir]);
    const unfinished = async () => (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.partial'));
    await until(async () => (await unfinished()).length > 0, 'the archive is begun', 30_000);
    await site.kill9();
    expect(await asked.ended).not.toBe(0);
    const left = await readdir(folder);
    expect(left).toEqual(await unfinished());
    const restored = join(site.folder, 'restored');
    const { exitCode, stderr } = await runs.finish(['restore', join(folder, left[0] ?? ''), '--data-dir', restored]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('was not restored')]);
    await expect(stat(restored)).rejects.toThrow('ENOENT');
    await site.start();
    expect(await readdir(folder)).toEqual([]);
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot('that root makes of a stopped daemon belongs to the user of the daemon, who alone may read it', async () => {
    const site = await opened({});
    await site.gateway.stop();
    const [uid, gid] = [54_321, 54_322];
    await chown(site.folder, uid, gid);
    for (const name of ['', ...(await readdir(site.dataDir, { recursive: true }))]) await chown(join(site.dataDir, name), uid, gid);
    const { exitCode, stdout, stderr } = await runs.finish(['backup', '--data-dir', site.dataDir]);
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    for (const [path, mode] of [
      [join(site.dataDir, 'backups'), 0o700],
      [stdout.trim(), 0o600],
    ] as const) {
      const seen = await stat(path);
      expect([path, seen.uid, seen.gid, seen.mode & 0o777]).toEqual([path, uid, gid, mode]);
    }
  });
});

describe('a backup over HTTP', () => {
  test('is begun, followed, carried away encrypted, and opened and restored elsewhere; nobody else gets it', async () => {
    const site = await opened({ locks: [{}] });
    const path = '/api/v1/gateway/backups';
    expect(await site.api('POST', path)).toMatchObject({ status: 202, body: { state: 'running' } });
    const list = async () => (await site.api('GET', path)).body as unknown as { making: { state: string; name: string } };
    await until(async () => (await list()).making.state === 'done', 'the backup is made');
    const { name } = (await list()).making;
    const download = (token: string, passphrase: string) =>
      fetch(`${site.gateway.httpUrl}${path}/${name}/download`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ passphrase }),
      });
    const somebody = await site.account('somebody');
    expect((await download(somebody, 'correct horse battery')).status).toBe(403);
    expect(await (await download(site.gateway.token, 'short')).json()).toMatchObject({ code: 'invalid-parameter' });
    const answer = await download(site.gateway.token, 'correct horse battery');
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, `attachment; filename="${name}.age"`]);
    const decrypter = new Decrypter();
    decrypter.addPassphrase('correct horse battery');
    const archive = join(site.folder, 'carried.tar.gz');
    await writeFile(archive, await decrypter.decrypt(Buffer.from(await answer.arrayBuffer())));
    const { exitCode } = await runs.finish(['restore', archive, '--data-dir', join(site.folder, 'elsewhere')]);
    expect(exitCode).toBe(0);
    const { body } = await site.api('GET', '/api/v1/gateway/audit', { query: { pageSize: 100 } });
    const lines = (body.list as readonly Record<string, string>[]).map(({ action, username, outcome }) => [action, username, outcome]);
    expect(lines).toContainEqual(['backup', 'admin', 'ok']);
    expect(lines).toContainEqual(['backup-download', 'admin', 'ok']);
    expect(site.gateway.log.filter((line) => JSON.stringify(line).includes('correct horse'))).toEqual([]);
  });

  test('what the log warns of is shown to gateway administrators', async () => {
    const site = await opened({ locks: [{}] });
    await writeFile(join(site.dataDir, 'backups'), 'a file where the folder should be');
    await site.api('POST', '/api/v1/gateway/backups');
    const making = async () => (await site.api('GET', '/api/v1/gateway/warnings')).body.list as readonly Record<string, unknown>[];
    const warned = site.gateway.log.filter(({ level }) => level === 'warn' || level === 'error').map(({ code }) => code);
    expect((await making()).map(({ code }) => code).sort()).toEqual([...new Set(warned)].sort());
    expect((await site.api('GET', '/api/v1/gateway/warnings', { token: await site.account('somebody') })).status).toBe(403);
  });
});

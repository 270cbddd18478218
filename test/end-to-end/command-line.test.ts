// What an operator types: managed by the running daemon where there is one, on the data directory where there is none; the same rules and answers.
import { chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site } from '../support/site.ts';
import { connectHandLock } from '../support/site-lock.ts';
import { createRuns } from '../support/site-process.ts';

const runs = createRuns();
let site: Site;

beforeAll(async () => {
  site = await openSite({ locks: [{}] });
});
afterAll(async () => {
  await runs.endAll();
  await site.close();
});

const latchdOn = (dataDir: string, ...args: string[]) => runs.finish([...args, '--data-dir', dataDir]);
const latchd = (...args: string[]) => latchdOn(site.dataDir, ...args);

async function json(...args: string[]) {
  const { exitCode, stdout, stderr } = await latchd(...args, '--json');
  expect([exitCode, args.includes('list') ? stderr : '']).toEqual([0, '']);
  return JSON.parse(stdout);
}

const refused = (sentence: RegExp) => ({ exitCode: 1, stdout: '', stderr: expect.stringMatching(sentence) });

/** The same story with and without a daemon; `number` keeps the two apart. */
async function manages(number: number): Promise<{ readonly token: string; readonly deviceId: string; readonly deviceKey: string }> {
  const username = `reception-${number}`;
  expect(await latchd('account', 'create', username)).toMatchObject({ exitCode: 0, stdout: '' });
  expect(await latchd('account', 'create', username)).toEqual(refused(/^latchd: there is an account reception-\d already\n$/));
  const token = await latchd('token', 'create', username, '--name', 'front desk', '--days', '365');
  // The secret alone can be piped; the explanation is for the person.
  expect([token.stdout, token.stderr]).toEqual([
    expect.stringMatching(/^latchd_[\w-]{43}\n$/),
    expect.stringMatching(/^token \d+ of reception-\d, for 365 days; it is shown this once:\n$/),
  ]);
  const listed = (await json('token', 'list')).find((one: { username: string }) => one.username === username);
  expect(listed).toMatchObject({ name: 'front desk', expireDate: listed.createDate + 365 * 86_400_000 });

  const lock = await json('lock', 'register', `02:CC:00:00:00:0${number}`, '--name', `Door ${number}`, '--group', 'Cellar');
  expect(lock).toEqual({ lockId: expect.any(Number), deviceId: `02cc0000000${number}`, deviceKey: expect.any(String) });
  const locks = await json('lock', 'list');
  expect(locks.at(-1)).toMatchObject({ lockName: `Door ${number}`, groupName: 'Cellar', administrator: 'admin', online: false });
  const key = await latchd('lock', 'key', String(lock.lockId));
  expect([key.stdout.trim().length, key.stdout.trim() === lock.deviceKey]).toEqual([lock.deviceKey.length, false]);

  expect(await latchd('lock', 'register', 'front', '--name', '')).toEqual(
    refused(/^latchd: <mac> must be a MAC address such as A4:C1:38:7F:02:E9; --name must have 1 to 64 characters\n$/),
  );
  expect(await latchd('lock', 'key', '999')).toEqual(refused(/^latchd: there is no lock 999: "latchd lock list" shows what there is\n$/));
  expect(await latchd('token', 'create', username, '--name', 'x', '--days', '4000')).toEqual(
    refused(/^latchd: --days must be between 1 and 3650\n$/),
  );
  expect(await latchd('account', 'revoke', 'admin')).toEqual(refused(/^latchd: admin is the last gateway administrator\n$/));
  return { token: token.stdout.trim(), deviceId: lock.deviceId, deviceKey: key.stdout.trim() };
}

describe('while the daemon runs', () => {
  test('accounts, tokens and locks are its own at once', async () => {
    const { token, deviceId, deviceKey } = await manages(1);
    expect((await site.api('GET', '/api/v1/lock/list', { token, query: { pageSize: 10 } })).body.total).toBe(0);
    const lock = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId, deviceKey });
    await lock.end();
    const [{ tokenId }] = (await json('token', 'list')).slice(-1);
    expect(await latchd('token', 'revoke', String(tokenId))).toMatchObject({ exitCode: 0, stdout: '' });
    expect((await site.api('GET', '/api/v1/lock/list', { token, query: { pageSize: 10 } })).body.code).toBe('token-invalid');
    expect(await latchd('account', 'revoke', 'reception-1', '--json')).toMatchObject({ exitCode: 0, stdout: '{"success":true}\n' });
    const asked = site.gateway.log.filter(({ code }) => code === 'control').map(({ action }) => action);
    expect(asked).toContain('POST /api/v1/gateway/locks');
    expect(JSON.stringify(site.gateway.log)).not.toContain(deviceKey);
  });

  test('lists are tables for people; what people have named cannot command a terminal', async () => {
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(1)}`, { body: { groupName: 'a\u202eb' } });
    const { stdout } = await latchd('lock', 'list');
    const [head, first] = stdout.split('\n');
    expect(head).toMatch(/^lock {2}name +MAC address +online +last seen +battery +make +hub +group +administrator$/);
    expect(first).toMatch(/^1 .* yes +\d{4}-\d\d-\d\dT\d\d:\d\dZ +\d+ % +- +- +a\?b +admin$/);
  });

  test('roles, alarms and the audit log: shown as tables, changed at once', async () => {
    const lockId = String(site.lockId(1));
    const guest = await site.account('guest');
    const unlock = async () => (await site.api('POST', '/api/v1/lock/unlock', { token: guest, query: { lockId } })).status;
    expect(await unlock()).toBe(403);
    expect((await latchd('role', 'grant', lockId, 'guest', 'operator')).stderr).toBe(`guest is operator of lock ${lockId} from now on\n`);
    expect(await unlock()).toBe(200);
    expect((await latchd('role', 'list', lockId)).stdout).toBe('account  role\nadmin    administrator\nguest    operator\n');
    expect(await latchd('role', 'grant', '999', 'guest', 'manager')).toEqual(
      refused(/^latchd: there is no lock 999: "latchd lock list" shows /),
    );
    expect(await latchd('role', 'revoke', lockId, 'nobody')).toEqual(refused(/: "latchd role list \d+" shows what there is\n$/));

    site.lock(1).tamper();
    await site.lock(1).whenEventsAcknowledged();
    expect((await latchd('alarm', 'list')).stdout).toMatch(
      /^alarm +lock +since +ends +reason\ntampered +\d+ +\S+Z +by "latchd alarm end" +\S/,
    );
    await latchd('alarm', 'end', 'tampered', lockId);
    expect(await latchd('alarm', 'list')).toEqual({ exitCode: 0, stdout: '', stderr: 'no alarm stands\n' });
    expect(await latchd('alarm', 'end', 'tampered', lockId)).toEqual(refused(/: "latchd alarm list" shows what there is\n$/));

    const { stdout } = await latchd('audit', 'list', '--count', '2');
    expect(stdout).toMatch(
      /^when +who +from +action +object +detail +outcome\n\S+Z +\(this machine\) +control socket +alarm-end .* not-found\n.* alarm-end .* ok\n$/,
    );
    expect(await json('audit', 'list', '--to', '2001-01-01')).toEqual([]);
    expect(await latchd('audit', 'list', '--from', '2001-01-02', '--to', '2001-01-01')).toEqual(refused(/^latchd: --from is after --to: /));
  });

  test('a reader that goes away ends a command without a word', async () => {
    const run = runs.begin(['token', 'list', '--data-dir', site.dataDir]);
    run.closeOutputs();
    expect(await run.ended).toBe(0);
  });
});

describe('while no daemon runs', () => {
  test('the same, on the data directory; the daemon knows it when it is back, and nothing stands in its way', async () => {
    await site.gateway.stop();
    const { token, deviceId, deviceKey } = await manages(2);
    await site.start();
    expect((await site.api('GET', '/api/v1/lock/list', { token, query: { pageSize: 10 } })).status).toBe(200);
    const lock = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId, deviceKey });
    await lock.end();
    const ids = (await json('lock', 'list')).map(({ lockId }: { lockId: number }) => lockId);
    expect(new Set(ids).size).toBe(3);
  });

  test('after a kill -9 the socket that it left behind is no daemon, and its lock no obstacle', async () => {
    await site.kill9();
    expect((await readdir(site.dataDir)).includes('control.sock')).toBe(true);
    expect(await latchd('account', 'create', 'after-the-kill')).toMatchObject({ exitCode: 0 });
    await site.start();
    expect(await json('account', 'list')).toContainEqual(expect.objectContaining({ username: 'after-the-kill' }));
  });

  test('several gateway administrators: a new lock needs to be told whose it is', async () => {
    await latchd('account', 'create', 'second', '--administrator');
    const args = ['lock', 'register', '02:CC:00:00:00:07', '--name', 'Attic'];
    expect(await latchd(...args)).toEqual(
      refused(/--administrator is needed, because there are several gateway administrators: admin, second/),
    );
    expect(await latchd(...args, '--administrator', 'second')).toMatchObject({ exitCode: 0 });
  });

  test('a directory that is not latchd’s stays as it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchd-none-'));
    try {
      expect(await latchdOn(folder, 'token', 'list')).toEqual(refused(/is no data directory of latchd: is --data-dir right\?/));
      expect(await latchdOn(join(folder, 'deeper'), 'token', 'list')).toEqual(refused(/is no data directory of latchd/));
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot('root writes as the owner of the data directory, so that the daemon can read it', async () => {
    await site.gateway.stop();
    const owner = 12_345;
    const giveTo = async (uid: number) => {
      for (const name of ['', ...(await readdir(site.folder, { recursive: true }))]) await chown(join(site.folder, name), uid, uid);
    };
    await giveTo(owner);
    try {
      expect(await latchd('account', 'create', 'by-root')).toMatchObject({ exitCode: 0 });
      expect(await site.stored('accounts.jsonl')).toContain('by-root');
      for (const name of await readdir(site.dataDir, { recursive: true })) expect((await stat(join(site.dataDir, name))).uid).toBe(owner);
    } finally {
      await giveTo(0);
    }
  });
});

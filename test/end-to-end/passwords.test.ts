// People sign in to the real daemon: by an invitation and a password, over a restart, a kill and the command line; and nothing secret stays.
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { openSite, program, type Site, storeOf } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const runs = createRuns();
let site: Site;
afterEach(async () => {
  await runs.endAll();
  await site.close();
});

const password = 'correct horse battery';

/** Sends what a page of this gateway would, with the cookie that it has. */
function createBrowser() {
  let cookie = '';
  return {
    async ask(method: string, path: string, body?: object) {
      const headers = { 'latchd-console': '1', ...(cookie && { cookie }) };
      const answer = await site.api(method, path, { token: '', headers, ...(body && { body }) });
      const set = answer.headers.get('set-cookie');
      if (set !== null) cookie = set.split(';')[0] as string;
      return answer;
    },
    cookie: () => cookie,
  };
}
const invite = async (username: string) => {
  const { body } = await site.api('POST', `/api/v1/gateway/accounts/${username}/invitation`, { body: {} });
  return String(body['url']).split('/').at(-1) as string;
};

test('an invited colleague signs in, stays signed in over a restart and a kill, and the old password is worth nothing after a new one', async () => {
  site = await openSite({ locks: [{}] });
  await site.account('colleague');
  await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(1)}/roles/colleague`, { body: { role: 'operator' } });
  const secret = await invite('colleague');
  await site.restart();
  const phone = createBrowser();
  expect((await phone.ask('POST', '/api/v1/invitation', { secret, password, stay: true })).status).toBe(201);
  await site.whenOnline(1);
  expect((await phone.ask('POST', `/api/v1/lock/unlock?lockId=${site.lockId(1)}`)).body).toMatchObject({ success: true });
  const other = createBrowser();
  expect((await other.ask('POST', '/api/v1/session', { username: 'colleague', password })).status).toBe(201);

  await site.restart();
  await site.kill9();
  await site.start();
  expect((await phone.ask('GET', '/api/v1/session')).body).toMatchObject({ username: 'colleague', method: 'password', hasPassword: true });
  expect((await createBrowser().ask('POST', '/api/v1/invitation', { secret, password })).body.code).toBe('invitation-invalid');
  const change = { current: password, password: 'battery staple horse' };
  expect((await phone.ask('PUT', '/api/v1/account/password', change)).body).toEqual({ success: true });
  await site.kill9();
  await site.start();
  expect((await other.ask('GET', '/api/v1/session')).status).toBe(401);
  expect((await phone.ask('GET', '/api/v1/session')).status).toBe(200);
  expect((await other.ask('POST', '/api/v1/session', { username: 'colleague', password })).body.code).toBe('credentials-invalid');

  // Nothing that is stored, and no line of the log, lets anybody in.
  const all = `${[...(await site.allStored()).values()].join('')}${JSON.stringify(site.gateway.log)}`;
  for (const hidden of [secret, password, 'battery staple', phone.cookie().split('=')[1] as string]) expect(all).not.toContain(hidden);
});

/** The priorities of the daemon's threads: 0 is the usual one, 19 that of one which gives way to all others (proc_pid_stat(5)). */
async function niceValues(): Promise<readonly number[]> {
  const threads = `/proc/${site.gateway.pid}/task`;
  const stats = await Promise.all((await readdir(threads)).map((thread) => readFile(`${threads}/${thread}/stat`, 'latin1')));
  return stats.map((stat) => Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17])).sort((one, other) => other - one);
}

test('passwords are checked in one thread that gives way to the doors, which is there once somebody signs in with one', async () => {
  site = await openSite({ locks: [] });
  expect((await niceValues())[0]).toBe(0);
  const guesses = Array.from({ length: 3 }, (_, n) =>
    createBrowser().ask('POST', '/api/v1/session', { username: 'admin', password: `guess number ${n}` }),
  );
  for (const { body } of await Promise.all(guesses)) expect(body.code).toBe('credentials-invalid');
  expect((await niceValues()).slice(0, 2)).toEqual([19, 0]);
});

test('on the box anybody is let in again: a password from standard input, a link with its QR code, with the daemon and without', async () => {
  site = await openSite({ locks: [] });
  const setPassword = async (given: string) => {
    const args = ['account', 'password', 'admin', '--data-dir', site.dataDir];
    const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...storeOf(args) } });
    child.stdin.end(given);
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('close', resolve)),
    ]);
    return { code, stdout, stderr };
  };
  const signIn = async (given: string) =>
    (await createBrowser().ask('POST', '/api/v1/session', { username: 'admin', password: given })).status;
  expect(await setPassword('short\n')).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('10 to 200 characters') });
  expect(await setPassword(`${password}\nsecond line\n`)).toMatchObject({ code: 0, stdout: '' });
  expect(await signIn(password)).toBe(201);
  const browser = createBrowser();
  await browser.ask('POST', '/api/v1/session', { username: 'admin', password });

  await site.kill9();
  expect(await setPassword('set without a daemon')).toMatchObject({ code: 0 });
  const refused = await runs.finish(['account', 'invite', 'admin', '--data-dir', site.dataDir]);
  expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
  await site.start();
  expect((await browser.ask('GET', '/api/v1/session')).status).toBe(401);
  expect([await signIn(password), await signIn('set without a daemon')]).toEqual([401, 201]);

  const invited = await runs.finish(['account', 'invite', 'admin', '--data-dir', site.dataDir]);
  expect(invited).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('shown this once') });
  const url = invited.stdout.trim();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/invitation\/[\w-]{43}$/);
  const accepted = await browser.ask('POST', '/api/v1/invitation', { secret: url.split('/').at(-1), password: 'by the link of the box' });
  expect(accepted.status).toBe(201);
  const json = await runs.finish(['account', 'invite', 'admin', '--json', '--hours', '3', '--data-dir', site.dataDir]);
  expect(JSON.parse(json.stdout)).toEqual({
    url: expect.any(String),
    qr: expect.stringContaining('<svg'),
    expiresDate: expect.any(Number),
  });
  expect(await runs.finish(['account', 'invite', 'nobody', '--data-dir', site.dataDir])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('"latchd account list" shows what there is'),
  });
});

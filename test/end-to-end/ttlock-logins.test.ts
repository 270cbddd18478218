// TTLock logins through the real daemon: the management API, the command line, what ends a session, and a power cut.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type RequestOptions, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';
import { createTtlockClient, type TtlockSecrets } from '../support/ttlock-client.ts';

const base = '/api/v1/gateway/ttlock-logins';
const runs = createRuns();
let folder: string;
let site: Site;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-ttlock-'));
  const config = join(folder, 'latchd.yaml');
  await writeFile(config, 'webhooks: { networks: [127.0.0.1] }\n');
  // Its bolt is slow, so that a command can wait behind another.
  site = await openSite({ locks: [{ boltTravelMs: 1_000 }], flags: ['--config', config, '--ttlock-enabled', 'true'] });
  await site.account('alice');
});
afterAll(async () => {
  await runs.endAll();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

async function ask(method: string, path: string, options: RequestOptions = {}) {
  const { status, body } = await site.api(method, path, options);
  return { status, body: body as unknown as Readonly<Record<string, unknown>> };
}
const create = (body: object) => ask('POST', base, { body });
const wrong = (parameter: string, message: unknown) => ({ status: 400, body: { errors: [{ parameter, message }] } });
const latchd = (...args: string[]) => runs.finish(['ttlock-login', ...args, '--data-dir', site.dataDir]);

describe('the management API', () => {
  test('makes a login, shows its secrets once, and changes and removes it', async () => {
    const made = await create({ username: 'alice', name: 'Home Assistant', callback: 'http://127.0.0.1:9/hook?key=1' });
    expect(made).toEqual({
      status: 201,
      body: {
        loginId: 1,
        clientId: expect.stringMatching(/^[0-9a-f]{32}$/),
        clientSecret: expect.stringMatching(/^[0-9a-f]{32}$/),
        password: expect.stringMatching(/^[A-Za-z0-9]{20}$/),
      },
    });
    const { clientId, clientSecret, password } = made.body;
    const login = {
      ...{ loginId: 1, username: 'alice', name: 'Home Assistant', clientId, callback: 'http://127.0.0.1:9/hook?key=1' },
      ...{ createDate: expect.any(Number), lastUsed: null },
    };
    expect((await ask('GET', base)).body).toEqual({ list: [login], pageNo: 1, pageSize: 100, pages: 1, total: 1 });
    expect((await site.api('GET', '/api/v1/gateway/webhooks')).body.list).toMatchObject([{ kind: 'ttlock', url: login.callback }]);
    const changed = { ...login, name: 'Homebridge', callback: null };
    expect(await ask('PUT', `${base}/1`, { body: { name: 'Homebridge', callback: null } })).toEqual({ status: 200, body: changed });
    expect((await site.api('GET', '/api/v1/gateway/webhooks')).body.total).toBe(0);
    const renewed = await ask('POST', `${base}/1/password`);
    expect(renewed).toEqual({ status: 200, body: { loginId: 1, password: expect.stringMatching(/^[A-Za-z0-9]{20}$/) } });
    expect(renewed.body['password']).not.toBe(password);
    const stored = await site.stored('ttlock-logins.jsonl');
    for (const secret of [clientSecret, password, renewed.body['password']]) {
      expect(stored).not.toContain(secret);
      expect(JSON.stringify(site.gateway.log)).not.toContain(secret);
    }
    expect((await ask('DELETE', `${base}/1`)).body).toEqual({ success: true });
    for (const [method, path, options] of [
      ['PUT', `${base}/1`, { body: { name: 'x' } }],
      ['POST', `${base}/1/password`, {}],
      ['DELETE', `${base}/1`, {}],
    ] as const)
      expect(await ask(method, path, options)).toMatchObject({ status: 404, body: { code: 'not-found' } });
    expect((await create({ username: 'alice' })).body['loginId']).toBe(2);
    expect((await ask('GET', base)).body).toMatchObject({ list: [{ loginId: 2, name: 'TTLock', callback: null }] });
  });

  test('names what is wrong, and is for gateway administrators alone', async () => {
    expect(await create({})).toMatchObject(wrong('username', expect.any(String)));
    expect(await create({ username: 'nobody' })).toMatchObject({ status: 404, body: { code: 'not-found' } });
    expect(await create({ username: 'alice', name: '' })).toMatchObject(wrong('name', 'must have 1 to 64 characters'));
    expect(await create({ username: 'alice', callback: 'doors' })).toMatchObject(wrong('callback', expect.stringMatching(/must be a URL/)));
    expect(await create({ username: 'alice', callback: 'http://192.0.2.9/' })).toMatchObject(
      wrong('callback', expect.stringMatching(/webhooks\.networks/)),
    );
    expect(await create({ username: 'alice', password: 'mine' })).toMatchObject(wrong('password', expect.any(String)));
    expect(await ask('PUT', `${base}/2`, { body: {} })).toMatchObject({ status: 400, body: { code: 'invalid-parameter' } });
    expect(await ask('DELETE', `${base}/two`)).toMatchObject(wrong('loginId', expect.any(String)));
    const token = await site.account('bob');
    for (const [method, path, body] of [
      ['GET', base],
      ['POST', base, { username: 'bob' }],
      ['PUT', `${base}/2`, { name: 'mine' }],
      ['POST', `${base}/2/password`],
      ['DELETE', `${base}/2`],
    ] as const)
      expect(await ask(method, path, { token, ...(body && { body }) })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  test('forgets a login with its account, and shows the tokens of the API as such', async () => {
    await site.account('carol');
    const { body } = await create({ username: 'carol', name: 'hers' });
    expect((await site.api('DELETE', '/api/v1/gateway/accounts/carol')).status).toBe(200);
    const { list } = (await ask('GET', base)).body as unknown as { readonly list: readonly { readonly loginId: number }[] };
    expect(list.map(({ loginId }) => loginId)).not.toContain(body['loginId']);
    expect((await site.api('GET', '/api/v1/gateway/tokens')).body.list.map(({ kind }) => kind)).toEqual(['api', 'api', 'api']);
  });
});

describe('the command line', () => {
  test('makes, shows, renews and removes logins of the running daemon', async () => {
    const made = await latchd('create', 'alice', '--name', 'door script');
    expect(made).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(
        /^TTLock login \d+ of alice; its secrets are shown this once:\nttlock\.enabled is false in this configuration[^\n]+\n$/,
      ),
    });
    expect(made.stdout).toMatch(/^client id: [0-9a-f]{32}\nclient secret: [0-9a-f]{32}\nuser name: alice\npassword: [A-Za-z0-9]{20}\n$/);
    const json = JSON.parse((await latchd('create', 'alice', '--callback', 'http://127.0.0.1:9/?key=1', '--json')).stdout);
    expect(Object.keys(json)).toEqual(['loginId', 'clientId', 'clientSecret', 'password']);
    const { stdout } = await latchd('list');
    expect(stdout).toMatch(/^login {2}account {2}name +client id +callback +made +used\n/);
    expect(stdout).toMatch(
      new RegExp(`\\n${json.loginId} +alice +TTLock +${json.clientId} +http://127\\.0\\.0\\.1:9/\\?\\.\\.\\. +\\S+ +never\\n`),
    );
    const renewed = await latchd('password', String(json.loginId));
    expect(renewed.stdout).toMatch(/^[A-Za-z0-9]{20}\n$/);
    expect(await latchd('remove', String(json.loginId))).toMatchObject({ exitCode: 0, stdout: '' });
    expect((JSON.parse((await latchd('list', '--json')).stdout) as { readonly loginId: number }[]).map(({ loginId }) => loginId)).toEqual([
      2,
      json.loginId - 1,
    ]);
    const gone = `latchd: there is no TTLock login ${json.loginId}: "latchd ttlock-login list" shows what there is\n`;
    for (const what of ['password', 'remove'])
      expect(await latchd(what, String(json.loginId))).toEqual({ exitCode: 1, stdout: '', stderr: gone });
    expect(await latchd('create', 'nobody')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/no account nobody: "latchd account list"/),
    });
    expect(await latchd('create', 'alice', '--callback', 'http://192.0.2.9/')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^latchd: --callback .*webhooks\.networks/),
    });
  });
});

/** A new login of Alice, who is an operator of lock 1, signed in. */
async function signedIn() {
  await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(1)}/roles/alice`, { body: { role: 'operator' } });
  const { body } = await create({ username: 'alice', name: 'attacked' });
  const secrets = body as unknown as Omit<TtlockSecrets, 'username'> & { readonly loginId: number };
  const client = createTtlockClient(() => site.gateway.httpUrl, { ...secrets, username: 'alice' });
  expect(await client.signIn()).toMatchObject({ expires_in: 7_776_000, token_type: 'Bearer' });
  const keys = () => client.post('/v3/key/list', { pageNo: 1, pageSize: 20 });
  expect((await keys()).list).toHaveLength(1);
  return { client, keys, loginId: secrets.loginId };
}
const tokensOfKind = async (kind: string) => (await site.all('/api/v1/gateway/tokens')).filter((token) => token['kind'] === kind);

describe('a session', () => {
  test('is no way into the API, nor is a token of the API one into it', async () => {
    const { client, keys } = await signedIn();
    const [{ accessToken }, bearer] = [client, await site.account('dave')];
    expect((await site.api('GET', '/api/v1/lock/list', { token: accessToken, query: { pageSize: 10 } })).body.code).toBe('token-invalid');
    expect((await site.api('POST', '/api/v1/session', { token: '', body: { token: accessToken } })).status).toBe(401);
    client.accessToken = bearer;
    expect(await keys()).toMatchObject({ errcode: 10003 });
    const other = await signedIn();
    client.accessToken = other.client.accessToken;
    expect(await keys()).toMatchObject({ errcode: 10001 });
    client.accessToken = accessToken;
    expect((await keys()).list).toHaveLength(1);
  });

  test('ends for the thief and for who was robbed when a refresh token is used twice', async () => {
    const { client, keys } = await signedIn();
    const stolen = { access: client.accessToken, refresh: client.refreshToken };
    await client.refresh();
    const fresh = client.accessToken;
    expect((await keys()).list).toHaveLength(1);
    client.accessToken = stolen.access;
    expect(await keys()).toMatchObject({ errcode: 10004 });
    client.refreshToken = stolen.refresh;
    expect(await client.refresh()).toMatchObject({ errcode: 10011 });
    client.accessToken = fresh;
    expect(await keys()).toMatchObject({ errcode: 10004 });
    expect(site.gateway.log.filter(({ code }) => code === 'ttlock-session-stolen')).toHaveLength(1);
    expect(await client.signIn()).toMatchObject({ expires_in: 7_776_000 });
  });

  test('ends with its token, and is remembered as ended after a power cut; the others go on', async () => {
    const { client, keys } = await signedIn();
    const [mine] = (await tokensOfKind('ttlock')).slice(-1);
    expect(mine).toMatchObject({ username: 'alice', name: 'attacked', expireDate: Number(mine?.['createDate']) + 7_776_000_000 });
    const goesOn = await signedIn();
    expect((await site.api('DELETE', `/api/v1/gateway/tokens/${mine?.tokenId}`)).status).toBe(200);
    const revoked = client.accessToken;
    expect([(await keys()).errcode, (await client.refresh()).errcode]).toEqual([10004, 10011]);
    client.accessToken = revoked;
    const ended = goesOn.client.accessToken;
    await goesOn.client.refresh();
    await site.kill9();
    await site.start();
    expect((await goesOn.keys()).list).toHaveLength(1);
    expect(await keys()).toMatchObject({ errcode: 10004 });
    goesOn.client.accessToken = ended;
    expect(await goesOn.keys()).toMatchObject({ errcode: 10004 });
    await site.whenOnline(1);
  });

  test.each([
    ['the login is removed', 'DELETE', '', 10000],
    ['the login gets another password', 'POST', '/password', 10004],
  ])('opens nothing any more once %s, also not by what waited for its turn', async (_title, method, path, errcode) => {
    const { client, keys, loginId } = await signedIn();
    const lockId = site.lockId(1);
    const move = (what: string) => site.api('POST', `/api/v1/lock/${what}`, { query: { lockId } });
    expect((await move('unlock')).status).toBe(200);
    const before = site.lock(1).movements.length;
    const locking = move('lock');
    const waited = client.post('/v3/lock/unlock', { lockId });
    await until(async () => {
      const { body } = await site.api('GET', '/api/v1/gateway/status');
      return (body['commands'] as { readonly waiting: number }).waiting === 1;
    }, 'the unlock waits');
    expect((await ask(method, `${base}/${loginId}${path}`)).status).toBe(200);
    expect(await waited).toMatchObject({ errcode: 10004 });
    expect([(await locking).status, site.lock(1).state, site.lock(1).movements.length - before]).toEqual([200, 'locked', 1]);
    expect([(await keys()).errcode, (await client.signIn()).errcode]).toEqual([errcode, errcode === 10000 ? 10000 : 10007]);
  });

  test('of a removed account ends, and its client is unknown', async () => {
    await site.account('erin');
    const { body } = await create({ username: 'erin' });
    const secrets = body as unknown as Omit<TtlockSecrets, 'username'>;
    const client = createTtlockClient(() => site.gateway.httpUrl, { ...secrets, username: 'erin' });
    await client.signIn();
    await site.api('DELETE', '/api/v1/gateway/accounts/erin');
    expect([(await client.post('/v3/key/list')).errcode, (await client.refresh()).errcode, (await client.signIn()).errcode]).toEqual([
      10000, 10000, 10000,
    ]);
  });

  test('passes while the same address guesses passwords and tokens, which are refused from the 21st on', async () => {
    const { client, keys } = await signedIn();
    const guess = createTtlockClient(() => site.gateway.httpUrl, { ...client.secrets, password: 'guessed' });
    const said: unknown[] = [];
    for (let n = 0; n < 25; n++) said.push((await guess.signIn()).errcode);
    // Others of this file have failed, too.
    expect([said[0], said.at(-1)]).toEqual([10007, 30006]);
    guess.accessToken = 'ab'.repeat(32);
    const tokens: unknown[] = [];
    for (let n = 0; n < 25; n++) tokens.push((await guess.post('/v3/key/list')).errcode);
    expect([tokens[0], tokens.at(-1)]).toEqual([10003, 30006]);
    expect((await keys()).list).toHaveLength(1);
    expect(await client.signIn()).toMatchObject({ expires_in: 7_776_000 });
  });
});

describe('after a power cut', () => {
  test('every session is as it was answered', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => signedIn()));
    // Some renew it right before the end.
    for (const { client } of sessions.slice(0, 3)) await client.refresh();
    await site.kill9();
    await site.start();
    for (const { keys } of sessions) expect((await keys()).list).toHaveLength(1);
    for (const { client, keys } of sessions) {
      await client.refresh();
      expect((await keys()).list).toHaveLength(1);
    }
    for (const { loginId } of sessions) await ask('DELETE', `${base}/${loginId}`);
  });

  test('every login is as it was answered', async () => {
    const answered = await Promise.all(Array.from({ length: 20 }, (_, n) => create({ username: 'alice', name: `program ${n}` })));
    const [removed, renamed] = answered;
    await ask('DELETE', `${base}/${removed?.body['loginId']}`);
    await ask('PUT', `${base}/${renamed?.body['loginId']}`, { body: { name: 'renamed' } });
    const before = (await ask('GET', base)).body;
    await site.kill9();
    await site.start();
    expect((await ask('GET', base)).body).toEqual(before);
    expect(Number(before['total'])).toBeGreaterThan(19);
    const highest = Math.max(...answered.map(({ body }) => Number(body['loginId'])));
    expect((await create({ username: 'alice' })).body['loginId']).toBe(highest + 1);
  });
});

// Requests to the facade for TTLock's programs as strangers, careless programs and attackers send them, over the real daemon.

import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site } from '../../support/site.ts';
import { createTtlockClient, formOf, md5, type TtlockClient } from '../../support/ttlock-client.ts';

const form = 'application/x-www-form-urlencoded';
const done = { errcode: 0, errmsg: 'none error message', description: 'success' };

let site: Site;
let client: TtlockClient;
let lockId: number;

beforeAll(async () => {
  const https = ['--https-enabled', 'true', '--https-host', '127.0.0.1', '--https-port', '0'];
  site = await openSite({
    locks: [{ name: 'Front door', features: ['credentials'] }],
    flags: ['--ttlock-enabled', 'true', '--log-level', 'debug', '--metrics-enabled', 'true', ...https],
  });
  lockId = site.lockId(1);
  const { body } = await site.api('POST', '/api/v1/gateway/ttlock-logins', { body: { username: 'admin', name: 'program' } });
  const { clientId, clientSecret, password } = body as unknown as Readonly<Record<'clientId' | 'clientSecret' | 'password', string>>;
  client = createTtlockClient(() => site.gateway.httpUrl, { username: 'admin', clientId, clientSecret, password });
  await client.signIn();
});

afterAll(async () => {
  await site?.close();
});

interface Raw {
  readonly method?: string;
  readonly query?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly errcode: number | undefined;
  readonly errmsg: string | undefined;
}

/** Sent as it is given; fetch would send no body with GET. */
function raw(
  path: string,
  { method = 'GET', query, body, headers = {} }: Raw = {},
  origin = site.gateway.httpUrl,
  ca?: string,
): Promise<Answered> {
  const send = origin.startsWith('https') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const isDeclared = body !== undefined && headers['transfer-encoding'] === undefined;
    const length = isDeclared ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const options = { method, headers: { ...length, ...headers }, agent: false, ...(ca !== undefined && { ca }) };
    const asked = send(`${origin}${path}${query === undefined ? '' : `?${query}`}`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => {
        const { errcode, errmsg } = (text.startsWith('{') ? JSON.parse(text) : {}) as Partial<Answered>;
        resolve({ status: response.statusCode, headers: response.headers, text, errcode, errmsg });
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const sign = () => formOf(client.sign());

describe('forms', () => {
  test('parameters are those of query and form together, with GET and POST, in every spelling of the type', async () => {
    const own = `lockId=${lockId}`;
    const post = (type: string, body = `${sign()}&${own}`): Raw => ({ method: 'POST', body, headers: { 'content-type': type } });
    const good: readonly Raw[] = [
      { query: `${sign()}&${own}` },
      { query: `${sign()}&${own}`, headers: { 'content-type': 'x-www-form-urlencoded' } },
      { query: sign(), body: own, headers: { 'content-type': form } },
      { body: `${sign()}&${own}`, headers: { 'content-type': 'application/json' } },
      { method: 'POST', query: `${sign()}&${own}` },
      { method: 'POST', query: own, body: sign(), headers: { 'content-type': form } },
      { method: 'POST', query: `${own}&unknown=%zz&x`, body: `${sign()}&${own}`, headers: { 'content-type': form } },
      { method: 'POST', body: `${sign()}&${own}` },
      ...[form, `${form};charset=UTF-8`, `${form}; charset="utf-8"`, `${form}; charset=utf8`, form.toUpperCase()].map((type) => post(type)),
    ];
    for (const request of good)
      expect(await raw('/v3/lock/queryOpenState', request)).toMatchObject({ status: 200, text: '{"state":0,"sensorState":null}' });
    const bad: readonly Raw[] = [
      post('application/json', JSON.stringify({ ...client.sign(), lockId })),
      post('multipart/form-data; boundary=x'),
      post('text/plain'),
      post(`${form};charset=iso-8859-1`),
      { ...post(form), headers: { 'content-type': form, 'content-encoding': 'gzip' } },
      { method: 'POST', body: Buffer.from([0x6c, 0x3d, 0xff]), headers: { 'content-type': form } },
    ];
    for (const request of bad)
      expect(await raw('/v3/lock/queryOpenState', request)).toMatchObject({
        status: 200,
        errcode: -3,
        errmsg: expect.stringContaining('body'),
      });
  });

  test('a name that is there twice must have the same value, wherever it stands, and no guess is made between two', async () => {
    const asked = (query: string, body: string) =>
      raw('/v3/lock/unlock', { method: 'POST', query, body, headers: { 'content-type': form } });
    expect(await asked(`${sign()}&lockId=${lockId}`, `lockId=${lockId}`)).toMatchObject({ errcode: 0 });
    expect(await asked(`${sign()}&lockId=${lockId}`, 'lockId=9')).toMatchObject({ errcode: -3, errmsg: expect.stringContaining('lockId') });
    expect(await raw('/v3/lock/unlock', { query: `${sign()}&lockId=${lockId}&lockId=9` })).toMatchObject({ errcode: -3 });
    expect(await asked(`${sign()}&lockId=${lockId}`, 'clientId=other')).toMatchObject({
      errcode: -3,
      errmsg: expect.stringContaining('clientId'),
    });
    expect(await asked(`${sign()}&lockId=${lockId}`, 'accessToken=other')).toMatchObject({ errcode: -3 });
    expect(await asked(`${sign()}&lockId=${lockId}`, 'date=1')).toMatchObject({ errcode: -3 });
    expect(await raw('/v3/lock/unlock', { query: `${sign()}&lockId=%ff` })).toMatchObject({ errcode: -3 });
    expect(await client.post('/v3/lock/lock', { lockId })).toEqual(done);
  });

  test('the names of OAuth come in snake and camel case, both alike if they agree, and the MD5 in any case', async () => {
    const { clientId, clientSecret, password } = client.secrets;
    const snake = `client_id=${clientId}&client_secret=${clientSecret}`;
    const camel = `clientId=${clientId}&clientSecret=${clientSecret}`;
    const user = `username=admin&password=${md5(password)}`;
    const good: readonly Raw[] = [
      { method: 'POST', body: `${snake}&${user}&grant_type=password&redirect_uri=http%3A%2F%2Fx`, headers: { 'content-type': form } },
      { method: 'POST', query: `${camel}&${user}` },
      { query: `${camel}&${snake}`, body: `username=admin&password=${md5(password).toUpperCase()}` },
    ];
    for (const request of good) {
      const answer = await raw('/oauth2/token', request);
      expect(answer.errcode).toBeUndefined();
      const { refresh_token } = JSON.parse(answer.text) as { readonly refresh_token: string };
      const renewed = await raw('/oauth2/token', { query: `${camel}&grantType=refresh_token&refreshToken=${refresh_token}` });
      expect(renewed.errcode).toBeUndefined();
    }
    expect(await raw('/oauth2/token', { query: `${camel}&client_id=other&${user}` })).toMatchObject({ errcode: -3 });
  });

  test('a body of more than 64 KiB is 413, and one that is nearly so is read', async () => {
    const filled = (bytes: number): Raw => {
      const start = `${sign()}&lockId=${lockId}&filler=`;
      return { method: 'POST', body: start + 'x'.repeat(bytes - start.length), headers: { 'content-type': form } };
    };
    expect(await raw('/v3/lock/queryOpenState', filled(65_536))).toMatchObject({ status: 200, text: '{"state":0,"sensorState":null}' });
    expect(await raw('/v3/lock/queryOpenState', filled(65_537))).toMatchObject({ status: 413 });
    const chunked = { ...filled(70_000), headers: { 'content-type': form, 'transfer-encoding': 'chunked' } };
    expect(await raw('/v3/lock/queryOpenState', chunked)).toMatchObject({ status: 413 });
    const many = `${sign()}&lockId=${lockId}${'&a'.repeat(30_000)}`;
    expect(await raw('/v3/lock/queryOpenState', { method: 'POST', body: many, headers: { 'content-type': form } })).toMatchObject({
      status: 200,
      errcode: undefined,
    });
  });
});

describe('what HTTP itself refuses', () => {
  test('other methods are 405, also HEAD, other paths 404, and none of them moves a bolt', async () => {
    const query = `${sign()}&lockId=${lockId}`;
    for (const method of ['HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await raw('/v3/lock/unlock', { method, query });
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } });
    }
    for (const path of [
      '/v3/lock/unlock/',
      '/v3/lock/Unlock',
      '/v3/lock/nothing',
      '/v3/',
      '/v3',
      '/oauth2/token/',
      '/v3/user',
      '/v2/lock/unlock',
    ])
      expect(await raw(path, { query })).toMatchObject({ status: 404 });
    expect(site.lock(1).state).toBe('locked');
  });

  test('answers are never cached, say no address to other pages, and no page of another origin may read them', async () => {
    for (const query of [`${sign()}&lockId=${lockId}`, 'clientId=nobody']) {
      const { headers } = await raw('/v3/lock/queryOpenState', { query, headers: { origin: 'https://evil.example' } });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-type': 'application/json;charset=UTF-8',
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('who is let in', () => {
  test('the order is client, token, date, own parameters, existence, role', async () => {
    const { clientId } = client.secrets;
    const { accessToken } = client;
    const ask = async (parameters: Readonly<Record<string, string | number>>) =>
      (await raw('/v3/lock/unlock', { query: formOf(parameters) })).errcode;
    const wrong = { date: 1, lockId: 'x' };
    expect(await ask({})).toBe(10000);
    expect(await ask({ clientId: 'nobody', accessToken: 'x', ...wrong })).toBe(10000);
    expect(await ask({ clientId, ...wrong })).toBe(10003);
    expect(await ask({ clientId, accessToken: 'x', ...wrong })).toBe(10003);
    expect(await ask({ clientId, accessToken: site.gateway.token, ...wrong })).toBe(10003);
    expect(await ask({ clientId, accessToken, ...wrong })).toBe(80000);
    expect(await ask({ clientId, accessToken, lockId: 'x' })).toBe(80000);
    expect(await ask({ clientId, accessToken, date: 'now', lockId })).toBe(80000);
    expect(await ask({ clientId, accessToken, date: Date.now() - 301_000, lockId })).toBe(80000);
    expect(await ask({ clientId, accessToken, date: Date.now() + 310_000, lockId })).toBe(80000);
    expect(await ask({ clientId, accessToken, date: Math.floor(Date.now() / 1000), lockId })).toBe(80000);
    expect(await ask({ clientId, accessToken, date: Date.now() })).toBe(-3);
    expect(await ask({ clientId, accessToken, date: Date.now(), lockId: 'x' })).toBe(-3);
    expect(await ask({ clientId, accessToken, date: Date.now(), lockId: 9_999 })).toBe(-1003);
    expect(site.lock(1).state).toBe('locked');
    expect(await ask({ clientId, accessToken, date: Date.now() - 290_000, lockId })).toBe(0);
    expect(await ask({ clientId, accessToken, date: Date.now() + 290_000, lockId })).toBe(0);
    await client.post('/v3/lock/lock', { lockId });
  });

  test('hostile values are refused by their name, and nothing of them comes back', async () => {
    const hostile = [
      '',
      ' 1',
      '1 ',
      '+1',
      '1.0',
      '1e3',
      '0x7',
      '-1',
      '0',
      '9007199254740993',
      '١',
      '1;2',
      "1'--",
      '<script>',
      '\u0000',
      'a'.repeat(5_000),
    ];
    for (const value of hostile) {
      const answer = await client.post('/v3/lock/detail', { lockId: value });
      expect(answer).toMatchObject({ errcode: -3, errmsg: expect.stringContaining('lockId') });
      if (value.length > 3) expect(JSON.stringify(answer)).not.toContain(value);
    }
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect(await client.post('/v3/lock/detail', { [name]: '7', lockId })).not.toHaveProperty('errcode');
    for (const pageSize of ['0', '-1', 'all']) expect(await client.get('/v3/lock/list', { pageSize })).toMatchObject({ errcode: -3 });
    expect(await client.get('/v3/lock/list', { pageNo: '0' })).toMatchObject({ errcode: -3 });
    expect(await client.get('/v3/lock/list', { pageNo: Number.MAX_SAFE_INTEGER, pageSize: Number.MAX_SAFE_INTEGER })).toMatchObject({
      list: [],
      total: 1,
    });
    expect(await client.get('/v3/lockRecord/list', { lockId, pageNo: Number.MAX_SAFE_INTEGER })).toMatchObject({ list: [] });
    expect(await client.get('/v3/identityCard/list', { lockId, pageNo: 10_000, orderBy: 1 })).toMatchObject({ list: [] });
    expect(await client.get('/v3/identityCard/list', { lockId, orderBy: 3 })).toMatchObject({ errcode: -3 });
    expect(await client.post('/v3/lock/rename', { lockId, lockAlias: 'a\u202eb' })).toMatchObject({ errcode: -3 });
  });

  test('what has no counterpart is said to have none, to who may ask', async () => {
    const paths = [
      'lock/initialize',
      'lock/transfer',
      'lock/freeze',
      'key/send',
      'keyboardPwd/get',
      'identityCard/clear',
      'qrCode/add',
      'doorSensor/query',
      'hotel/getInfo',
      'fingerprint/list',
    ];
    for (const path of paths) {
      expect(await client.post(`/v3/${path}`, { lockId })).toMatchObject({ errcode: -4043 });
      expect(await raw(`/v3/${path}`)).toMatchObject({ errcode: 10000 });
    }
    expect(await raw('/v3/user/register', { method: 'POST', query: 'clientId=x' })).toMatchObject({ errcode: -4043 });
  });

  test('neither the cookie of the console nor a Bearer token opens anything here, and an access token opens nothing of the API', async () => {
    const signedIn = await fetch(`${site.gateway.httpUrl}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: site.gateway.token }),
    });
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(cookie).toContain('latchd=');
    const query = formOf({ clientId: client.secrets.clientId, date: Date.now(), lockId });
    expect(await raw('/v3/lock/unlock', { query, headers: { cookie, 'latchd-console': '1' } })).toMatchObject({ errcode: 10003 });
    expect(await raw('/v3/lock/unlock', { query, headers: { authorization: `Bearer ${site.gateway.token}` } })).toMatchObject({
      errcode: 10003,
    });
    const answer = await fetch(`${site.gateway.httpUrl}/api/v1/lock/list?pageSize=10`, {
      headers: { authorization: `Bearer ${client.accessToken}` },
    });
    expect(answer.status).toBe(401);
    expect(site.lock(1).state).toBe('locked');
  });
});

describe('on the way', () => {
  test('over https it works from the authority that the gateway made', async () => {
    const ca = await readFile(join(site.dataDir, 'tls', 'ca.crt'), 'utf8');
    const query = `${sign()}&lockId=${lockId}`;
    expect(await raw('/v3/lock/unlock', { query }, site.gateway.httpsUrl, ca)).toMatchObject({ status: 200, errcode: 0 });
    expect(await raw('/v3/lock/lock', { query }, site.gateway.httpsUrl, ca)).toMatchObject({ status: 200, errcode: 0 });
  });

  test('no token, secret, card number or passcode is in any line of the log, and each request is, by route, account and lock', async () => {
    const cardNumber = '7788990011';
    await client.post('/v3/identityCard/add', { lockId, cardNumber, startDate: 0, endDate: 0, addType: 2 });
    await client.get('/v3/keyboardPwd/add', { lockId, keyboardPwd: '908172', addType: 2 });
    await client.get('/v3/identityCard/list', { lockId, searchStr: cardNumber });
    await raw('/v3/lock/nothing', { query: sign() });
    await raw(`/v3/lock/unlock;accessToken=${client.accessToken}`);
    await client.refresh();
    const lines = site.gateway.log.map((line) => JSON.stringify(line));
    const { clientSecret, password } = client.secrets;
    for (const secret of [client.accessToken, client.refreshToken, clientSecret, password, md5(password), cardNumber, '908172'])
      expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    const requests = site.gateway.log.filter(({ msg, path }) => msg === 'request' && path === '/v3/lock/unlock');
    expect(requests).toContainEqual(expect.objectContaining({ account: 'admin', status: 200, parameters: { lockId: String(lockId) } }));
    expect(requests).toContainEqual(expect.objectContaining({ status: 200, code: 'unknown-client' }));
    const metrics = await (await fetch(`${site.gateway.httpUrl}/metrics`)).text();
    expect(metrics).toMatch(/route="\/v3\/lock\/unlock"/);
    expect(metrics).not.toContain(client.secrets.clientId);
  });

  test('the OpenAPI document has nothing of it, and the status says that it is on', async () => {
    const document = await (await fetch(`${site.gateway.httpUrl}/openapi.json`)).text();
    expect(document).not.toMatch(/"\/v3\/|"\/oauth2\//);
    expect((await site.api('GET', '/api/v1/gateway/status')).body['ttlock']).toEqual({ enabled: true });
  });
});

describe('who guesses', () => {
  test('wrong passwords are 10007, from the 21st on 30006, and the right one still signs in; wrong tokens count apart', async () => {
    const { clientId, clientSecret } = client.secrets;
    const guess = async (password: string) =>
      (await raw('/oauth2/token', { query: formOf({ client_id: clientId, client_secret: clientSecret, username: 'admin', password }) }))
        .errcode;
    expect(await guess('plain')).toBe(30005);
    const codes = [];
    for (let n = 0; n < 22; n++) codes.push(await guess(md5(`guess ${n}`)));
    expect(codes[0]).toBe(10007);
    expect(codes.at(-1)).toBe(30006);
    expect(await client.signIn()).not.toHaveProperty('errcode');
    const tokens = [];
    for (let n = 0; n < 42; n++)
      tokens.push((await raw('/v3/lock/list', { query: formOf({ ...client.sign(), accessToken: `guess${n}` }) })).errcode);
    expect(tokens.at(-1)).toBe(30006);
    expect(await client.get('/v3/lock/list')).toMatchObject({ total: 1 });
    expect(
      await raw('/oauth2/token', { query: formOf({ client_id: clientId, client_secret: 'x', username: 'admin', password: md5('x') }) }),
    ).toMatchObject({ errcode: 30006 });
    expect(await raw('/oauth2/token', { query: formOf({ clientId, clientSecret, grant_type: 'authorization_code' }) })).toMatchObject({
      errcode: 10010,
    });
  });
});

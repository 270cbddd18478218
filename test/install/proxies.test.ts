// The page about reverse proxies: what it says to write, in the real nginx and the real Caddy, in front of the real daemon.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { connect } from 'mqtt';
import { listenTo } from '../support/event-client.ts';
import { blockWith } from '../support/page-blocks.ts';
import { askThrough, proxiesPage, proxyPrograms, type RunningProxy, startProxy } from '../support/reverse-proxy.ts';
import { openSite, type Site, until } from '../support/site.ts';

/** Addresses of clients. The log warns once a minute of what one of them does. */
const clients = { nginx: '127.0.0.7', Caddy: '127.0.0.9' } as const;
const other = '127.0.0.8';
const forged = { 'x-forwarded-for': '10.1.2.3', 'x-forwarded-proto': 'https', forwarded: 'for=10.1.2.3' };
const json = { 'content-type': 'application/json' };
const folder = mkdtempSync(join(tmpdir(), 'latchd-proxies-'));
let site: Site;

beforeAll(async () => {
  const config = join(folder, 'latchd.yaml');
  writeFileSync(config, `${blockWith(proxiesPage, '## latchd', 'trustedProxies')}webSocket: { plain: true }\n`);
  site = await openSite({ locks: [{}], flags: ['--config', config] });
});
afterAll(async () => {
  await site?.close();
  rmSync(folder, { recursive: true });
});

/** The addresses from which somebody signed in, the newest first. */
async function signInAddresses(): Promise<readonly unknown[]> {
  const { body } = await site.api('GET', '/api/v1/gateway/audit', { query: { action: 'sign-in', pageSize: 100 } });
  return body.list.map(({ address }) => address);
}
const withToken = () => ({ authorization: `Bearer ${site.gateway.token}` });
const tokenOf = () => JSON.stringify({ token: site.gateway.token, stay: true });

describe.each(proxyPrograms)('through %s', (program) => {
  const client: string = clients[program];
  let proxy: RunningProxy;
  beforeAll(async () => {
    proxy = await startProxy(program, site.gateway.httpUrl);
  });
  afterAll(() => proxy?.end());
  const ask = (asked: Parameters<typeof askThrough>[2], from = client) => askThrough(proxy.origin, proxy.way(from), asked);

  test('a browser signs in with a cookie for https alone, and stays signed in', async () => {
    expect((await ask({ method: 'GET', path: '/' })).text).toContain('<title>');
    const page = { ...json, origin: proxy.origin, 'sec-fetch-site': 'same-origin', 'latchd-console': '1' };
    const signedIn = await ask({ method: 'POST', path: '/api/v1/session', headers: page, text: tokenOf() });
    const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
    expect([signedIn.status, cookie]).toEqual([201, expect.stringMatching(/^__Host-latchd=\S+; .*HttpOnly; SameSite=Strict; Secure$/)]);
    const signed = { ...page, cookie: cookie.split(';')[0] as string };
    expect((await ask({ method: 'GET', path: '/api/v1/session', headers: signed })).body()).toMatchObject({ username: 'admin' });
    // Over https alone: a page that somebody forges over plain http has another origin.
    const plainPage = { ...signed, origin: proxy.origin.replace('https:', 'http:') };
    expect((await ask({ method: 'DELETE', path: '/api/v1/session', headers: plainPage })).status).toBe(401);
    expect((await ask({ method: 'DELETE', path: '/api/v1/session', headers: signed })).status).toBe(200);
  });

  test('the audit log has the address of the client, whatever the client says that it is', async () => {
    const signIn = (headers: object, from: string) =>
      ask({ method: 'POST', path: '/api/v1/session', headers: { ...json, ...headers }, text: tokenOf() }, from);
    await signIn({}, client);
    await signIn(forged, other);
    await signIn({ 'x-forwarded-for': '127.0.0.1' }, client);
    expect((await signInAddresses()).slice(0, 3)).toEqual([client, other, client]);
  });

  test('one who guesses tokens is slowed down, and nobody else behind the proxy', async () => {
    const guess = async (from: string) => {
      const headers = { ...forged, authorization: 'Bearer wrong' };
      return (await ask({ method: 'GET', path: '/api/v1/session', headers }, from)).status;
    };
    const guesser = program === 'nginx' ? '127.0.0.21' : '127.0.0.22';
    await until(async () => (await guess(guesser)) === 429, 'the guesser is slowed down');
    expect(await guess(other)).toBe(401);
  });

  test('links lead back through it', async () => {
    const path = '/api/v1/gateway/accounts/admin/invitation';
    const made = await ask({ method: 'POST', path, headers: { ...withToken(), ...json }, text: '{}' });
    expect(made.body()['url']).toMatch(new RegExp(`^${proxy.origin}/#/invitation/`));
  });

  test('a door is unlocked, and live events come at once', async () => {
    const lockId = site.lockId(1);
    const events = await listenTo(proxy.origin, { token: site.gateway.token }, proxy.way(client));
    await events.whenHeard('ready');
    for (const [action, state] of [
      ['unlock', 'unlocked'],
      ['lock', 'locked'],
    ]) {
      const answer = await ask({ method: 'POST', path: `/api/v1/lock/${action}?lockId=${lockId}`, headers: withToken() });
      expect([answer.status, answer.body()]).toEqual([200, { success: true }]);
      await events.whenHeard('state', (data) => data['state'] === state);
    }
    // A buffer in between would have held these few bytes back until the heartbeat.
    expect([events.isOver(), events.comments()]).toEqual([false, 0]);
    events.close();
  });

  test('the largest table for an import comes through, and what is larger is refused', async () => {
    const send = (bytes: number) =>
      ask({
        ...{ method: 'POST', path: '/api/v1/access/imports?absent=keep', text: 'x'.repeat(bytes) },
        headers: { ...withToken(), 'content-type': 'text/csv' },
      }).then(
        ({ status }) => status,
        () => 413,
      );
    // It says that no line of it is one.
    expect(await send(4 * 1024 * 1024)).toBe(200);
    expect(await send(4 * 1024 * 1024 + 1)).toBe(413);
  });

  test('a lock at /mqtt gets in, and one with a wrong key is in the log with its own address', async () => {
    const { body } = await site.api('POST', '/api/v1/gateway/locks', {
      body: { lockMac: program === 'nginx' ? 'A4:C1:38:00:00:01' : 'A4:C1:38:00:00:02', lockName: `Behind ${program}` },
    });
    const login = (password: string) =>
      connect(`${proxy.origin.replace('https:', 'wss:')}/mqtt`, {
        ...{ clientId: body.deviceId, username: body.deviceId, password, protocolVersion: 4, reconnectPeriod: 0 },
        wsOptions: { ...proxy.way(client), headers: forged },
      });
    const lock = login(body.deviceKey);
    await new Promise((connected) => lock.once('connect', connected));
    await lock.endAsync(true);
    const stranger = login('wrong');
    await new Promise((refused) => stranger.once('error', refused));
    stranger.end(true);
    const refused = () => site.gateway.log.find((line) => line['code'] === 'connection-refused' && line['deviceId'] === body.deviceId);
    await until(() => refused() !== undefined, 'the refusal is in the log');
    expect(refused()).toMatchObject({ reason: 'key', address: client });
  });
});

test('whoever asks the gateway itself is who the connection says, and over plain http', async () => {
  const way = { localAddress: clients.nginx, agent: false as const };
  const answer = await askThrough(site.gateway.httpUrl, way, {
    ...{ method: 'POST', path: '/api/v1/session', headers: { ...json, ...forged }, text: tokenOf() },
  });
  expect([answer.status, answer.headers['set-cookie']?.[0]]).toEqual([201, expect.stringMatching(/^latchd=.*SameSite=Strict$/)]);
  expect((await signInAddresses())[0]).toBe(clients.nginx);
});

describe.each(proxyPrograms)('in front of a gateway that fails, %s', (program) => {
  let gateway: Server;
  let proxy: RunningProxy | undefined;
  afterEach(async () => {
    await proxy?.end();
    gateway.closeAllConnections();
    await new Promise((done) => gateway.close(done));
  });

  /** A gateway that does as told. */
  async function standIn(handle: (asked: IncomingMessage, answer: ServerResponse) => void): Promise<RunningProxy> {
    gateway = createServer(handle).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    proxy = await startProxy(program, `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`);
    return proxy;
  }
  const unlock = { method: 'POST', path: '/api/v1/lock/unlock?lockId=1' };

  test('asks once for an unlock, also when the gateway goes away in the middle of it', async () => {
    let unlocks = 0;
    const { origin, way } = await standIn((asked, answer) => {
      if (asked.method === 'GET') return void answer.end('ok');
      unlocks += 1;
      asked.socket.destroy();
    });
    // Over a connection that was of use before, if the proxy has left it open.
    expect((await askThrough(origin, way(other), { method: 'GET', path: '/healthz' })).text).toBe('ok');
    for (let times = 1; times <= 3; times++) {
      expect((await askThrough(origin, way(other), unlock)).status).toBe(502);
      expect(unlocks).toBe(times);
    }
  });

  test('tells the gateway when the client has left, so that an unlock that waits for its turn is not sent', async () => {
    let hasCome = false;
    let hasLeft = false;
    const { origin, way } = await standIn((_asked, answer) => {
      hasCome = true;
      answer.once('close', () => {
        hasLeft = true;
      });
    });
    const asked = request(`${origin}${unlock.path}`, { ...way(other), method: 'POST' });
    asked.once('error', () => undefined).end();
    await until(() => hasCome, 'the unlock has come');
    asked.destroy();
    await until(() => hasLeft, 'the gateway sees that the client has left');
  });
});

test('nginx waits longer than the longest wait for a lock, and than the longest silence of one', () => {
  const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(blockWith(proxiesPage, '## nginx', 'server {')) ?? [];
  // commandTimeoutMs is at most 120 s, and a keep alive at most 120 s, 1.5 times of which may pass.
  expect(Number(seconds)).toBeGreaterThan(180);
});

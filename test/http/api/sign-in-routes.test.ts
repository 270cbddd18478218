// Signing in to the console: a cookie instead of a token, and no page of others that could use it (HTTP API: authentication).
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { callers } from '../../support/domain.ts';
import { listenTo } from '../../support/event-client.ts';
import { serveDomain } from '../../support/served-domain.ts';

let world: Awaited<ReturnType<typeof serveDomain>>;
beforeEach(async () => {
  world = await serveDomain(() => ({}));
});
afterEach(() => world.server.stop());

const session = '/api/v1/session';
const accounts = '/api/v1/gateway/accounts';
const ownHeader = { 'Latchd-Console': '1' };

async function signIn(token = world.tokens.admin): Promise<string> {
  const answer = await request(world.origin).post(session).send({ token });
  expect(answer.status).toBe(201);
  return String(answer.headers['set-cookie']).split(';')[0] as string;
}

const whoIs = (cookie: string, headers: Readonly<Record<string, string>> = {}) =>
  request(world.origin)
    .get(session)
    .set({ Cookie: cookie, ...headers });
const makeAccount = (cookie: string, headers: Readonly<Record<string, string>>) =>
  request(world.origin)
    .post(accounts)
    .set({ Cookie: cookie, ...headers })
    .send({ username: 'eve', gatewayAdministrator: true });

async function isMade(): Promise<boolean> {
  const { body } = await request(world.origin).get(accounts).set('Authorization', `Bearer ${world.tokens.admin}`);
  return body.list.some(({ username }: { username: string }) => username === 'eve');
}

describe('Signing in', () => {
  test('gives for a token a cookie that no script and no other site can use, and that stands for the token', async () => {
    const answer = await request(world.origin).post(session).send({ token: world.tokens.operator });
    expect([answer.status, answer.body]).toEqual([
      201,
      { username: callers.operator.username, gatewayAdministrator: false, accessManager: false, method: 'token' },
    ]);
    const [cookie = '', ...attributes] = String(answer.headers['set-cookie']).split('; ');
    expect(attributes).toEqual(['Max-Age=2592000', 'Path=/', 'HttpOnly', 'SameSite=Strict']);
    expect(cookie).toMatch(/^latchd=./);
    expect(cookie).not.toContain(world.tokens.operator);
    const { status, body } = await whoIs(cookie);
    expect([status, body]).toEqual([200, { ...answer.body, sessionId: expect.any(String), hasPassword: false, passkeys: 0 }]);
  });

  test('leaves an entry in the audit log, and so does signing out, which ends it for every copy of the cookie', async () => {
    const cookie = await signIn();
    const out = await request(world.origin)
      .delete(session)
      .set({ Cookie: cookie, ...ownHeader });
    expect([out.status, out.headers['set-cookie']]).toEqual([200, ['latchd=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict']]);
    expect((await whoIs(cookie)).body.code).toBe('token-invalid');
    const page = { pageNo: 1, pageSize: 2, startDate: 0, endDate: 0 };
    const { list } = await world.audit.page(callers.admin, page);
    expect(list.map(({ action, username, address }) => [action, username, address])).toEqual([
      ['sign-out', 'admin', '127.0.0.1'],
      ['sign-in', 'admin', '127.0.0.1'],
    ]);
  });

  test('with a wrong token is slowed down as any other guess is (HTTP API 2.2)', async () => {
    const guess = () => request(world.origin).post(session).send({ token: 'guessed' });
    for (let failure = 0; failure < 20; failure += 1) expect((await guess()).body.code).toBe('token-invalid');
    expect((await guess()).body.code).toBe('rate-limited');
    expect((await request(world.origin).get(session).set('Authorization', 'Bearer guessed')).body.code).toBe('rate-limited');
    await signIn();
  });

  test('more often than 10 times in a minute is refused, so that no account can fill the audit log', async () => {
    for (let time = 0; time < 10; time += 1) await signIn(world.tokens.operator);
    const refused = await request(world.origin).post(session).send({ token: world.tokens.operator });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
    await signIn(world.tokens.admin);
    world.clock.advance(60_000);
    await signIn(world.tokens.operator);
  });

  test('for the 21st time ends the oldest of this account, and of no other', async () => {
    const other = await signIn(world.tokens.admin);
    const cookies: string[] = [];
    for (let time = 0; time < 21; time += 1) {
      cookies.push(await signIn(world.tokens.operator));
      world.clock.advance(10_000);
    }
    expect((await whoIs(cookies[0] as string)).status).toBe(401);
    for (const cookie of [other, cookies[1] as string, cookies[20] as string]) expect((await whoIs(cookie)).status).toBe(200);
  });

  test('and what ends a sign-in ends the live events of that browser at once: the sign-out, or a newer one', async () => {
    const [gone, oldest, stays] = [await signIn(), await signIn(world.tokens.operator), await signIn()];
    const listeners = await Promise.all([gone, oldest, stays].map((cookie) => listenTo(world.origin, { cookie })));
    for (const listener of listeners) await listener.whenHeard('ready');
    await request(world.origin)
      .delete(session)
      .set({ Cookie: gone, ...ownHeader });
    await listeners[0]?.whenOver();
    for (let time = 0; time < 20; time += 1) {
      await signIn(world.tokens.operator);
      // No timer fires: it is not the sweep that ends them.
      world.clock.block(10_000);
    }
    await listeners[1]?.whenOver();
    expect(listeners[2]?.isOver()).toBe(false);
    listeners[2]?.close();
  });
});

describe('A sign-in ends', () => {
  test('on the disk, too: with its token, after its time, at the sign-out, and when newer ones take its place', async () => {
    const kept = () => world.signIns.all().length;
    const [gone, stays] = [await signIn(), await signIn()];
    await signIn(await world.tokenOf(callers.operator, 1));
    await signIn(world.tokens.operator);
    expect(kept()).toBe(4);
    await request(world.origin)
      .delete(session)
      .set({ Cookie: gone, ...ownHeader });
    expect(kept()).toBe(3);
    await world.accountService.removeAccount(callers.admin, callers.operator.username);
    expect(kept()).toBe(1);
    for (let time = 0; time < 22; time += 1) {
      await signIn();
      world.clock.advance(10_000);
    }
    expect(kept()).toBe(20);
    expect((await whoIs(stays)).status).toBe(401);
    const last = await signIn();
    world.clock.advance(30 * 86_400_000);
    await whoIs(last);
    expect(kept()).toBe(19);
    expect(JSON.stringify(world.signIns.all())).not.toContain(last.slice('latchd='.length));
  });

  test('with the token behind it, at once', async () => {
    const cookie = await signIn(world.tokens.operator);
    const { list } = await world.accountService.listTokens(callers.admin, { pageNo: 1, pageSize: 100 });
    const tokenId = list.find(({ username }) => username === callers.operator.username)?.token.tokenId ?? 0;
    await world.accountService.removeToken(callers.admin, tokenId);
    expect((await whoIs(cookie)).body.code).toBe('token-invalid');
  });

  test('when that token expires', async () => {
    const cookie = await signIn(await world.tokenOf(callers.operator, 1));
    world.clock.advance(86_399_999);
    expect((await whoIs(cookie)).status).toBe(200);
    world.clock.advance(1);
    expect((await whoIs(cookie)).body.code).toBe('token-expired');
  });

  test('after 30 days, also for a token that never expires', async () => {
    const cookie = await signIn();
    world.clock.advance(30 * 86_400_000 - 1);
    expect((await whoIs(cookie)).status).toBe(200);
    world.clock.advance(1);
    expect((await whoIs(cookie)).body.code).toBe('token-expired');
    expect((await whoIs(cookie)).body.code).toBe('token-invalid');
  });
});

describe('CSRF: what another page makes a browser ask is refused', () => {
  test.each([
    ['without the header', {}],
    ['with another value of it', { 'Latchd-Console': 'true' }],
    ['from another site', { ...ownHeader, 'Sec-Fetch-Site': 'cross-site' }],
    ['from another port of this host', { ...ownHeader, 'Sec-Fetch-Site': 'same-site' }],
    ['from an address that was typed', { ...ownHeader, 'Sec-Fetch-Site': 'none' }],
    ['from another origin, over plain http', { ...ownHeader, Origin: 'http://127.0.0.1:1' }],
    ['from a page without an origin', { ...ownHeader, Origin: 'null' }],
  ])('a change %s', async (_title, headers) => {
    const answer = await makeAccount(await signIn(), headers);
    expect([answer.status, answer.body.code]).toEqual([401, 'token-missing']);
    expect(await isMade()).toBe(false);
  });

  test('PUT and DELETE, too, and signing out', async () => {
    const cookie = await signIn();
    for (const asking of [
      request(world.origin).put('/api/v1/gateway/locks/7').send({ lockName: 'x' }),
      request(world.origin).delete('/api/v1/gateway/locks/7'),
      request(world.origin).post('/api/v1/lock/unlock?lockId=7'),
      request(world.origin).delete(session),
    ])
      expect((await asking.set('Cookie', cookie)).body.code).toBe('token-missing');
    expect((await whoIs(cookie)).status).toBe(200);
  });

  test('reading from another origin, and signing in to an account of somebody else', async () => {
    const cookie = await signIn();
    for (const site of ['cross-site', 'same-site'])
      expect((await whoIs(cookie, { 'Sec-Fetch-Site': site })).body.code).toBe('token-missing');
    const asked = await request(world.origin).post(session).set('Origin', 'https://evil.example').send({ token: world.tokens.admin });
    expect([asked.status, asked.body.code, asked.headers['set-cookie']]).toEqual([403, 'forbidden', undefined]);
    // What a form can send without asking first.
    const form = await request(world.origin)
      .post(session)
      .type('text/plain')
      .send(JSON.stringify({ token: world.tokens.admin }));
    expect(form.body.code).toBe('unsupported-media-type');
  });

  test('and what the console itself asks is done; a preflight is answered by nobody', async () => {
    const own = { ...ownHeader, Origin: world.origin, 'Sec-Fetch-Site': 'same-origin' };
    expect((await makeAccount(await signIn(), own)).status).toBe(201);
    const preflight = await request(world.origin)
      .options(accounts)
      .set({ Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([405, undefined]);
  });
});

describe('Beside tokens', () => {
  test('a token in the request counts, and the cookie does not', async () => {
    const cookie = await signIn(world.tokens.admin);
    const { body } = await whoIs(cookie, { Authorization: `Bearer ${world.tokens.operator}` });
    expect(body.username).toBe(callers.operator.username);
    expect((await whoIs(cookie, { Authorization: 'Bearer wrong' })).body.code).toBe('token-invalid');
  });

  test('two sign-ins in one request are none, because nobody knows which is whose', async () => {
    const cookie = await signIn();
    expect((await whoIs(`${cookie}; latchd=planted`)).body.code).toBe('token-invalid');
    expect((await whoIs(`other=1; ${cookie}; latchd2=x`)).status).toBe(200);
  });
});

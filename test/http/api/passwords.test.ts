// Passwords, invitations and sessions (HTTP API 13.1): what a person does, and what others try.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { callers } from '../../support/domain.ts';
import { listenTo } from '../../support/event-client.ts';
import { goodPassword, invite, openBrowser, signedInBrowser } from '../../support/people-at-a-browser.ts';
import { serveDomain } from '../../support/served-domain.ts';

let world: Awaited<ReturnType<typeof serveDomain>>;
beforeEach(async () => {
  world = await serveDomain(() => ({}));
});
afterEach(() => world.server.stop());

const session = '/api/v1/session';
const { username } = callers.operator;
const byToken = (token: string) => ({ Authorization: `Bearer ${token}` });
const guess = (name = username, password = 'wrong password', headers = {}) =>
  openBrowser(world).ask('post', session, { username: name, password }, headers);

async function actions(): Promise<readonly (readonly string[])[]> {
  const { list } = await world.audit.page(callers.admin, { pageNo: 1, pageSize: 50, startDate: 0, endDate: 0 });
  return list.map((entry) => [entry.action, entry.username, entry.outcome]);
}

describe('An invitation', () => {
  test('lets somebody choose a password, once, signs them in, and the password signs in from then on', async () => {
    const secret = await invite(world, username);
    const browser = openBrowser(world);
    const accepted = await browser.ask('post', '/api/v1/invitation', { secret, password: goodPassword });
    expect([accepted.status, accepted.body]).toEqual([
      201,
      { username, gatewayAdministrator: false, accessManager: false, method: 'password' },
    ]);
    expect((await browser.ask('get', session)).body).toMatchObject({ username, method: 'password', hasPassword: true, passkeys: 0 });
    // Whom to ask for more, as long as they are there.
    expect((await browser.ask('get', session)).body.invitedBy).toBe('admin');
    const again = await openBrowser(world).ask('post', '/api/v1/invitation', { secret, password: 'another long one' });
    expect([again.status, again.body.code]).toEqual([401, 'invitation-invalid']);
    const other = openBrowser(world);
    expect((await other.ask('post', session, { username, password: goodPassword })).status).toBe(201);
    expect((await actions()).slice(0, 4)).toEqual([
      ['sign-in', username, 'ok'],
      ['sign-in', username, 'ok'],
      ['password-set', username, 'ok'],
      ['invitation', 'admin', 'ok'],
    ]);
  });

  test('of two browsers at the same time lets one in', async () => {
    const secret = await invite(world, username);
    const both = await Promise.all(
      ['first password', 'other password'].map((password) => openBrowser(world).ask('post', '/api/v1/invitation', { secret, password })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
  });

  test('that is used, over, replaced, forged or of an account that is gone looks the same, also when the name is made again', async () => {
    const used = await invite(world, username);
    await openBrowser(world).ask('post', '/api/v1/invitation', { secret: used, password: goodPassword });
    const replaced = await invite(world, username);
    const over = await invite(world, username, { expiresInHours: 1 });
    const ofGone = await invite(world, callers.stranger.username);
    await world.accountService.removeAccount(callers.admin, callers.stranger.username);
    await world.accountService.createAccount(callers.admin, callers.stranger.username, callers.admin as never);
    await world.clock.advance(3_600_000);
    const answers = [];
    for (const secret of [used, replaced, over, ofGone, 'forged']) {
      const { status, body } = await openBrowser(world).ask('post', '/api/v1/invitation', { secret, password: goodPassword });
      answers.push([status, body.code, body.detail]);
    }
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(answers[0]).toEqual([401, 'invitation-invalid', 'this invitation is not valid, or not any more']);
  });

  test('survives a weak password, and ends the sessions and the password of before when it is used', async () => {
    const before = await signedInBrowser(world, username);
    const secret = await invite(world, username);
    for (const password of ['too short', 'password123', 'x'.repeat(201)]) {
      const { status, body } = await openBrowser(world).ask('post', '/api/v1/invitation', { secret, password });
      expect([password.length, status, body.code]).toEqual([password.length, 400, 'password-weak']);
    }
    expect((await before.ask('get', session)).status).toBe(200);
    await openBrowser(world).ask('post', '/api/v1/invitation', { secret, password: 'a new long one' });
    expect((await before.ask('get', session)).body.code).toBe('token-invalid');
    expect((await guess(username, goodPassword)).body.code).toBe('credentials-invalid');
  });

  test('is made by gateway administrators alone, for accounts that exist, and the link leads to this page', async () => {
    const browser = await signedInBrowser(world, username);
    expect((await browser.ask('post', '/api/v1/gateway/accounts/admin/invitation', {})).body.code).toBe('forbidden');
    const asAdmin = (name: string, body = {}) =>
      request(world.origin).post(`/api/v1/gateway/accounts/${name}/invitation`).set(byToken(world.tokens.admin)).send(body);
    expect((await asAdmin('nobody')).body.code).toBe('not-found');
    expect((await asAdmin(username, { expiresInHours: 169 })).body.code).toBe('invalid-parameter');
    const { body } = await asAdmin(username);
    expect(body.url).toMatch(new RegExp(`^${world.origin}/#/invitation/`));
    expect(body.qr).toContain(body.url);
    expect(body.expiresDate).toBe(world.clock.now() + 24 * 3_600_000);
  });
});

describe('A guess', () => {
  test('looks the same for an unknown name, a wrong password and an account without one, and computes as much', async () => {
    await signedInBrowser(world, username);
    const answers = [];
    for (const name of [username, 'nobody-at-all', callers.manager.username]) {
      const before = world.hashing.computed.length;
      const { status, body } = await guess(name);
      answers.push([status, body.code, body.detail, world.hashing.computed.length - before]);
    }
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(answers[0]).toEqual([401, 'credentials-invalid', 'the username or the password is wrong', 1]);
  });

  test('is refused before anything is computed after ten at one name, and then one in thirty seconds is heard', async () => {
    await signedInBrowser(world, username);
    for (const name of [username, 'nobody-at-all']) {
      for (let n = 0; n < 10; n += 1) expect((await guess(name)).body.code).toBe('credentials-invalid');
      const computed = world.hashing.computed.length;
      const refused = await guess(name.toUpperCase(), goodPassword);
      expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([429, 'rate-limited', '30']);
      expect(world.hashing.computed.length).toBe(computed);
      // The address may go on sooner.
      await world.clock.advance(60_000);
    }
    expect((await guess(username, goodPassword)).status).toBe(201);
    expect((await guess()).body.code).toBe('credentials-invalid');
    expect((await guess()).body.code).toBe('rate-limited');
    await world.clock.advance(15 * 60_000);
    expect((await guess()).body.code).toBe('credentials-invalid');
  });

  test('many at the same time are not more than one after the other', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `name-${n}`);
    const codes = await Promise.all(names.map(async (name) => (await guess(name)).body.code));
    expect(codes.filter((code) => code === 'credentials-invalid').length).toBeLessThanOrEqual(20);
    expect(codes.filter((code) => code === 'rate-limited').length).toBeGreaterThanOrEqual(40);
    // A token, and who is signed in, are not slowed down.
    expect((await request(world.origin).get(session).set(byToken(world.tokens.admin))).status).toBe(200);
  });

  test('counts against the address together with tokens', async () => {
    for (let n = 0; n < 20; n += 1) await request(world.origin).post(session).send({ token: 'guessed' });
    const computed = world.hashing.computed.length;
    expect((await guess()).body.code).toBe('rate-limited');
    expect((await openBrowser(world).ask('post', '/api/v1/invitation', { secret: 'x', password: goodPassword })).body.code).toBe(
      'rate-limited',
    );
    expect(world.hashing.computed.length).toBe(computed);
  });
});

describe('A password', () => {
  const change = '/api/v1/account/password';

  test('is changed by who knows it, which ends all other sessions and no own one', async () => {
    const here = await signedInBrowser(world, username);
    const there = openBrowser(world);
    await there.ask('post', session, { username, password: goodPassword });
    const token = openBrowser(world);
    await token.ask('post', session, { token: world.tokens.operator });
    const listener = await listenTo(world.origin, { cookie: there.cookie() });
    await listener.whenHeard('ready');
    expect((await here.ask('put', change, { password: 'a new long one' })).body.code).toBe('invalid-parameter');
    const wrong = await here.ask('put', change, { current: 'wrong password', password: 'a new long one' });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'credentials-invalid']);
    expect((await here.ask('put', change, { current: goodPassword, password: 'a new long one' })).body).toEqual({ success: true });
    expect((await here.ask('get', session)).status).toBe(200);
    for (const other of [there, token]) expect((await other.ask('get', session)).body.code).toBe('token-invalid');
    await listener.whenOver();
    expect((await guess(username, goodPassword)).body.code).toBe('credentials-invalid');
    expect((await guess(username, 'a new long one')).status).toBe(201);
  });

  test('a first one is not left behind by a token, unless its account may invite itself', async () => {
    const put = (token: string) => request(world.origin).put(change).set(byToken(token)).send({ password: goodPassword });
    expect((await put(world.tokens.operator)).body.code).toBe('forbidden');
    const byItsToken = openBrowser(world);
    await byItsToken.ask('post', session, { token: world.tokens.operator });
    expect((await byItsToken.ask('put', change, { password: goodPassword })).body.code).toBe('forbidden');
    expect((await put(world.tokens.admin)).body).toEqual({ success: true });
  });

  test('a first one is not left behind by a session that ends while it is hashed', async () => {
    const { username: admin } = callers.admin;
    const stolen = openBrowser(world);
    await stolen.ask('post', session, { token: world.tokens.admin });
    const hash = world.hashing.hash;
    world.hashing.hash = async (password) => {
      await world.services.signIns.endOthers(callers.admin, admin);
      return hash(password);
    };
    const put = await stolen.ask('put', change, { password: goodPassword });
    expect([put.status, put.body.code]).toEqual([401, 'token-invalid']);
    world.hashing.hash = hash;
    expect((await guess(admin, goodPassword)).body.code).toBe('credentials-invalid');
  });

  test('of gateway administrators who have a passkey is not enough where the configuration says so, and only who knows it learns that', async () => {
    await world.server.stop();
    world = await serveDomain(() => ({}), { administratorsNeedPasskey: true });
    const admin = await signedInBrowser(world, 'admin');
    expect((await guess('admin', goodPassword)).status).toBe(201);
    await world.credentials.putPasskey({
      ...{ passkeyId: 1, accountId: callers.admin.accountId, name: 'key', host: 'gateway.local', credentialId: 'c', publicKey: 'k' },
      ...{ counter: 0, transports: [], createdAt: 1, lastUsedAt: null },
    });
    const refused = await guess('admin', goodPassword);
    expect([refused.status, refused.body.code, refused.headers['set-cookie']]).toEqual([403, 'passkey-required', undefined]);
    expect((await guess('admin')).body.code).toBe('credentials-invalid');
    expect((await admin.ask('get', session)).status).toBe(200);
    const byToken = openBrowser(world);
    expect((await byToken.ask('post', session, { token: world.tokens.admin })).status).toBe(201);
    const other = await signedInBrowser(world, username);
    // Who has added the first passkey stays signed in until the next start.
    const [signIns] = world.signInParts;
    await signIns.start();
    expect((await admin.ask('get', session)).body.code).toBe('token-invalid');
    expect([(await byToken.ask('get', session)).status, (await other.ask('get', session)).status]).toEqual([200, 200]);
    await signIns.stop();
  });
});

describe('A session', () => {
  test('ends twelve hours after its last use, and with stay after thirty days', async () => {
    const [short, long] = [await signedInBrowser(world, username), openBrowser(world)];
    const signedIn = await long.ask('post', session, { username, password: goodPassword, stay: true });
    expect(String(signedIn.headers['set-cookie'])).toContain('Max-Age=2592000');
    for (let n = 0; n < 5; n += 1) {
      await world.clock.advance(12 * 3_600_000 - 1);
      expect((await short.ask('get', session)).status).toBe(200);
    }
    await world.clock.advance(12 * 3_600_000);
    expect((await short.ask('get', session)).body.code).toBe('token-expired');
    await world.clock.advance(27 * 86_400_000);
    expect((await long.ask('get', session)).status).toBe(200);
    await world.clock.advance(86_400_000);
    expect((await long.ask('get', session)).body.code).toBe('token-expired');
  });

  test('is listed with its browser and ended by its account, and by gateway administrators, and by nobody else', async () => {
    const here = await signedInBrowser(world, username);
    const phone = openBrowser(world, 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36');
    await phone.ask('post', session, { username, password: goodPassword });
    const { list } = (await here.ask('get', '/api/v1/sessions')).body;
    expect(list.map(({ agent, method, current }: Record<string, unknown>) => [agent, method, current])).toEqual([
      ['Chrome, Android', 'password', false],
      ['Firefox, Linux', 'password', true],
    ]);
    const [{ sessionId }] = list;
    const stranger = await signedInBrowser(world, callers.manager.username);
    expect((await stranger.ask('get', `/api/v1/sessions?username=${username}`)).body.code).toBe('forbidden');
    expect((await stranger.ask('delete', `/api/v1/sessions/${sessionId}`)).body.code).toBe('not-found');
    expect((await phone.ask('get', session)).status).toBe(200);
    expect((await here.ask('delete', `/api/v1/sessions/${sessionId}`)).body).toEqual({ success: true });
    expect((await phone.ask('get', session)).body.code).toBe('token-invalid');
    const admin = await signedInBrowser(world, 'admin');
    expect((await admin.ask('get', `/api/v1/sessions?username=${username}`)).body.total).toBe(1);
    expect((await admin.ask('delete', `/api/v1/sessions?username=${username}`)).body).toEqual({ success: true, ended: 1 });
    expect((await here.ask('get', session)).status).toBe(401);
    expect((await admin.ask('delete', '/api/v1/sessions')).body).toEqual({ success: true, ended: 0 });
    expect((await admin.ask('get', session)).status).toBe(200);
  });

  test('may do what its account may, by its present rights, and the audit log says which one did it', async () => {
    const admin = await signedInBrowser(world, 'admin');
    const { sessionId } = (await admin.ask('get', session)).body;
    await admin.ask('post', '/api/v1/gateway/accounts', { username: 'eve', gatewayAdministrator: true });
    await admin.ask('post', '/api/v1/gateway/accounts/eve/invitation', {});
    const { list } = await world.audit.page(callers.admin, { pageNo: 1, pageSize: 1, startDate: 0, endDate: 0 });
    expect(list[0]).toMatchObject({ action: 'invitation', username: 'admin', sessionId });
    const eve = await signedInBrowser(world, 'eve');
    expect((await eve.ask('get', '/api/v1/gateway/accounts')).status).toBe(200);
    await admin.ask('put', '/api/v1/gateway/accounts/eve', { gatewayAdministrator: false, accessManager: false });
    expect((await eve.ask('get', '/api/v1/gateway/accounts')).body.code).toBe('forbidden');
    await admin.ask('delete', '/api/v1/gateway/accounts/eve');
    expect((await eve.ask('get', session)).body.code).toBe('token-invalid');
  });

  test('that was stolen is worth nothing after the sign-out', async () => {
    const browser = await signedInBrowser(world, username);
    const stolen = browser.cookie();
    await browser.ask('delete', session);
    expect((await request(world.origin).get(session).set('Cookie', stolen)).body.code).toBe('token-invalid');
  });

  test('is never one that somebody planted: a sign-in makes a new secret', async () => {
    const planted = `latchd=latchd_${'A'.repeat(43)}`;
    const answer = await openBrowser(world).ask('post', session, { token: world.tokens.operator }, { Cookie: planted });
    expect(String(answer.headers['set-cookie'])).not.toContain(planted);
    expect((await request(world.origin).get(session).set('Cookie', planted)).body.code).toBe('token-invalid');
  });

  test('tells the disk of its use now and then, and not at each request', async () => {
    const browser = await signedInBrowser(world, username);
    let writes = 0;
    const { noteUses } = world.signIns;
    world.signIns.noteUses = async (some) => {
      writes += 1;
      await noteUses(some);
    };
    for (const part of world.signInParts) await part.start();
    for (let n = 0; n < 20; n += 1) await browser.ask('get', session);
    expect(writes).toBe(0);
    await world.clock.advance(5 * 60_000);
    await browser.ask('get', session);
    await world.clock.advance(5 * 60_000);
    expect(writes).toBe(1);
    expect(world.signIns.all().map(({ lastUsedAt }) => lastUsedAt)).toEqual([world.clock.now() - 5 * 60_000]);
    for (const part of world.signInParts) await part.stop();
  });
});

describe('CSRF: what another page makes a browser ask is refused', () => {
  const bodies: Readonly<Record<string, object>> = {
    'post /api/v1/session': { username, password: goodPassword },
    'post /api/v1/session/passkey/options': {},
    'post /api/v1/session/passkey': { response: {} },
    'post /api/v1/invitation': { secret: 'x', password: goodPassword },
    'post /api/v1/handover': { secret: 'x' },
    'post /api/v1/handover/session': { claim: 'x' },
  };
  test.each(Object.entries(bodies))('%s signs nobody in for a page of another origin', async (line, body) => {
    const [method, path] = line.split(' ') as ['post', string];
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'null' }]) {
      const answer = await request(world.origin)[method](path).set(headers).send(body);
      expect([answer.status, answer.body.code, answer.headers['set-cookie']]).toEqual([403, 'forbidden', undefined]);
    }
    const form = await request(world.origin)[method](path).type('text/plain').send(JSON.stringify(body));
    expect(form.body.code).toBe('unsupported-media-type');
  });

  test.each([
    ['put', '/api/v1/account/password', { current: goodPassword, password: 'a new long one' }],
    ['post', '/api/v1/account/passkeys/options', {}],
    ['post', '/api/v1/account/passkeys', { name: 'x', response: {} }],
    ['delete', '/api/v1/account/passkeys/1', undefined],
    ['post', '/api/v1/session/handover', {}],
    ['post', '/api/v1/session/handover/confirm', { handoverId: 'x' }],
    ['delete', '/api/v1/session/handover', undefined],
    ['delete', '/api/v1/sessions', undefined],
    ['delete', '/api/v1/sessions/x', undefined],
    ['post', '/api/v1/gateway/accounts/ole/invitation', {}],
  ] as const)('%s %s without the header, or from elsewhere', async (method, path, body) => {
    const browser = await signedInBrowser(world, 'admin');
    for (const headers of [{ 'Latchd-Console': '' }, { Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'same-site' }])
      expect((await browser.ask(method, path, body, headers)).body.code).toBe('token-missing');
    expect((await browser.ask('get', session)).status).toBe(200);
  });
});

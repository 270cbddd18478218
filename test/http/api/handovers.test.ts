// Handovers (HTTP API 13.1): a screen that is signed in signs a phone in, once its person has seen which browser came.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { callers } from '../../support/domain.ts';
import { openBrowser, secretIn, signedInBrowser, type TestBrowser } from '../../support/people-at-a-browser.ts';
import { serveDomain } from '../../support/served-domain.ts';

let world: Awaited<ReturnType<typeof serveDomain>>;
let screen: TestBrowser;
beforeEach(async () => {
  world = await serveDomain(() => ({}));
  screen = await signedInBrowser(world, callers.operator.username);
});
afterEach(() => world.server.stop());

const handover = '/api/v1/session/handover';
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1';
const whoIs = (browser: TestBrowser) => browser.ask('get', '/api/v1/session');

async function make(by = screen): Promise<{ readonly handoverId: string; readonly secret: string }> {
  const { body } = await by.ask('post', handover, {});
  return { handoverId: body.handoverId, secret: secretIn(body.url) };
}
async function claimBy(browser: TestBrowser, secret: string): Promise<string> {
  return (await browser.ask('post', '/api/v1/handover', { secret })).body.claim;
}
const take = (browser: TestBrowser, claim: string, body = {}) => browser.ask('post', '/api/v1/handover/session', { claim, ...body });

test('signs the phone in when the screen has confirmed it, once, with a session of its own', async () => {
  const { handoverId, secret } = await make();
  expect((await screen.ask('get', handover)).body).toMatchObject({ handoverId, state: 'waiting', agent: null, address: null, code: null });
  const phone = openBrowser(world, iPhone);
  const came = await phone.ask('post', '/api/v1/handover', { secret });
  expect([came.status, came.body.code]).toEqual([202, expect.stringMatching(/^\d{4}$/)]);
  const { claim, code } = came.body;
  expect([(await take(phone, claim)).status, (await take(phone, claim)).body]).toEqual([202, { state: 'claimed' }]);
  expect((await screen.ask('get', handover)).body).toMatchObject({ state: 'claimed', agent: 'Safari, iPhone', address: '127.0.0.1', code });
  expect((await screen.ask('post', `${handover}/confirm`, { handoverId })).body).toEqual({ success: true });
  const taken = await take(phone, claim, { stay: true });
  expect([taken.status, taken.body.method]).toEqual([201, 'handover']);
  expect((await whoIs(phone)).body).toMatchObject({ username: callers.operator.username, method: 'handover' });
  expect((await screen.ask('get', handover)).body.state).toBe('taken');
  expect((await take(openBrowser(world), claim)).body.code).toBe('invitation-invalid');
  await screen.ask('delete', '/api/v1/session');
  expect((await whoIs(phone)).status).toBe(200);
  const { list } = await world.audit.page(callers.admin, { pageNo: 1, pageSize: 10, startDate: 0, endDate: 0 });
  expect(list.find(({ action }) => action === 'handover')).toMatchObject({ detail: 'Safari, iPhone at 127.0.0.1', outcome: 'ok' });
});

describe('It signs nobody in', () => {
  test('without a confirmation, however often the other browser asks, and then never', async () => {
    const { secret } = await make();
    const phone = openBrowser(world, iPhone);
    const claim = await claimBy(phone, secret);
    for (let n = 0; n < 30; n += 1) expect((await take(phone, claim)).status).toBe(202);
    expect(phone.cookie()).toBe('');
    await world.clock.advance(2 * 60_000);
    expect((await take(phone, claim)).body.code).toBe('invitation-invalid');
    expect((await screen.ask('get', handover)).body.code).toBe('not-found');
  });

  test('twice by one secret: who comes second gets nothing, and the screen shows who came first', async () => {
    const { handoverId, secret } = await make();
    const thief = openBrowser(world, 'curl/8.5.0');
    const claim = await claimBy(thief, secret);
    const late = await openBrowser(world, iPhone).ask('post', '/api/v1/handover', { secret });
    expect([late.status, late.body.code]).toEqual([401, 'invitation-invalid']);
    expect((await screen.ask('get', handover)).body.agent).toBe('curl/8.5.0');
    await screen.ask('delete', handover);
    expect((await take(thief, claim)).body.code).toBe('invitation-invalid');
    expect((await screen.ask('post', `${handover}/confirm`, { handoverId })).body.code).toBe('not-found');
  });

  test('when another session, another account or a token confirms', async () => {
    const { handoverId, secret } = await make();
    const phone = openBrowser(world, iPhone);
    const claim = await claimBy(phone, secret);
    const same = openBrowser(world);
    await same.ask('post', '/api/v1/session', { token: world.tokens.operator });
    for (const other of [same, await signedInBrowser(world, 'admin')])
      expect((await other.ask('post', `${handover}/confirm`, { handoverId })).body.code).toBe('not-found');
    const byToken = await request(world.origin)
      .post(`${handover}/confirm`)
      .set('Authorization', `Bearer ${world.tokens.operator}`)
      .send({ handoverId });
    expect(byToken.body.code).toBe('not-found');
    expect((await take(phone, claim)).status).toBe(202);
  });

  test('when the screen confirms what it has not seen: before anybody came, or an earlier one', async () => {
    const earlier = await make();
    expect((await screen.ask('post', `${handover}/confirm`, { handoverId: earlier.handoverId })).body.code).toBe('conflict');
    const phone = openBrowser(world, iPhone);
    const { secret } = await make();
    expect((await phone.ask('post', '/api/v1/handover', { secret: earlier.secret })).body.code).toBe('invitation-invalid');
    const claim = await claimBy(phone, secret);
    expect((await screen.ask('post', `${handover}/confirm`, { handoverId: earlier.handoverId })).body.code).toBe('not-found');
    expect((await take(phone, claim)).status).toBe(202);
  });

  test('when the screen has signed out meanwhile', async () => {
    const { handoverId, secret } = await make();
    const phone = openBrowser(world, iPhone);
    const claim = await claimBy(phone, secret);
    await screen.ask('post', `${handover}/confirm`, { handoverId });
    await screen.ask('delete', '/api/v1/session');
    expect((await take(phone, claim)).body.code).toBe('invitation-invalid');
  });

  test('with a forged secret or claim', async () => {
    await make();
    for (const [path, body] of [
      ['/api/v1/handover', { secret: 'forged' }],
      ['/api/v1/handover/session', { claim: 'forged' }],
    ] as const)
      expect((await openBrowser(world).ask('post', path, body)).body.code).toBe('invitation-invalid');
  });
});

test('what it signed in ends with what signed the screen in: its password, or its token', async () => {
  const byToken = openBrowser(world);
  await byToken.ask('post', '/api/v1/session', { token: await world.tokenOf(callers.manager, 1) });
  for (const maker of [screen, byToken]) {
    const { handoverId, secret } = await make(maker);
    const phone = openBrowser(world, iPhone);
    const claim = await claimBy(phone, secret);
    await maker.ask('post', `${handover}/confirm`, { handoverId });
    await take(phone, claim, { stay: true });
    expect((await whoIs(phone)).status).toBe(200);
    if (maker === byToken) {
      await world.clock.advance(86_400_000);
      expect((await whoIs(phone)).body.code).toBe('token-expired');
    } else {
      await world.services.passwords.reset(callers.admin, callers.operator.username, 'a new long one');
      expect((await whoIs(phone)).body.code).toBe('token-invalid');
    }
  }
});

test('a token makes none, and a session no more than ten in a minute', async () => {
  const answer = await request(world.origin).post(handover).set('Authorization', `Bearer ${world.tokens.operator}`).send({});
  expect(answer.body.code).toBe('forbidden');
  for (let n = 0; n < 10; n += 1) await make();
  expect((await screen.ask('post', handover, {})).body.code).toBe('rate-limited');
});

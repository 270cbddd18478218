// Webhooks from the real daemon to a real receiver: signed, in order, and nothing lost, whoever is away or killed; and never to where they
// may not go.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { makeAuthority, makeKey, makeServerCertificate } from '../../src/platform/tls/x509.ts';
import { type ApiDocument, createJudge } from '../support/api-document.ts';
import { openSite, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';
import { type ReceivedPost, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const base = '/api/v1/gateway/webhooks';
const timeoutMs = 1_000;
const runs = createRuns();
let site: Site;
let folder: string;
const receivers: WebhookReceiver[] = [];
let serial = 4_000_000;
let authority: Awaited<ReturnType<typeof newAuthority>>;

const validity = { from: Date.UTC(2020, 0, 1), to: Date.UTC(2049, 0, 1) };

async function newAuthority() {
  const key = makeKey();
  return { key, certificate: await makeAuthority({ key, name: 'Building', ...validity }) };
}
async function identityBy(by: typeof authority, ...names: string[]) {
  const key = makeKey();
  return { key, cert: await makeServerCertificate({ key, authority: by, names, ...validity }) };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-webhooks-'));
  authority = await newAuthority();
  const config = join(folder, 'latchd.yaml');
  await writeFile(config, `webhooks:\n  networks: [127.0.0.0/8]\n  timeoutMs: ${timeoutMs}\n`);
  // Without a history the locks cannot send again what they have forgotten on a PUBACK: a broken promise shows.
  await writeFile(join(folder, 'ca.crt'), authority.certificate);
  site = await openSite({
    locks: [{ historyCapacity: 0 }, { historyCapacity: 0 }],
    flags: ['--config', config],
    environment: { NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt') },
  });
});
afterEach(async () => {
  const { body } = await site.api('GET', base);
  for (const { webhookId } of body.list as unknown as { webhookId: number }[]) await site.api('DELETE', `${base}/${webhookId}`);
});
afterAll(async () => {
  await runs.endAll();
  for (const receiver of receivers) await receiver.down();
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

async function receive(identity?: { readonly key: string; readonly cert: string }): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver(identity);
  receivers.push(receiver);
  return receiver;
}

async function webhook(url: string, options: object = {}): Promise<{ readonly webhookId: number; readonly secret: string }> {
  const { status, body } = await site.api('POST', base, { body: { name: 'test', url, eventTypes: ['record'], ...options } });
  expect([status, body]).toEqual([201, { webhookId: expect.any(Number), secret: expect.stringMatching(/^hook_.{43}$/) }]);
  return body as unknown as { webhookId: number; secret: string };
}

/** Holds so many cards to a lock and resolves when their events are acknowledged; their numbers, in order. */
async function swipes(lock: number, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, () => String(serial++));
  for (const number of numbers) await site.lock(lock).swipeCard(number);
  await site.lock(lock).whenEventsAcknowledged();
  return numbers;
}

/** The card numbers that came of one lock: each once, at its first coming. */
function cardsOf(receiver: WebhookReceiver, lock: number): unknown[] {
  const ofLock = receiver.posts.filter(({ eventType, data }) => eventType === 'record' && data['lockId'] === site.lockId(lock));
  return [...new Set(ofLock.map(({ data }) => data['keyboardPwd']))];
}

/** The code of the API page that begins with these words, without its indent. */
async function codeOfPage(start: string): Promise<string> {
  const page = await readFile(resolve(import.meta.dirname, '../../src/http/README.md'), 'utf8');
  const block = page.slice(page.indexOf(`\n    ${start}`) + 1).split(/\n(?! {4}|\n {4})/)[0] as string;
  expect(block).toContain(start);
  return block.replaceAll(/^ {4}/gm, '');
}

describe('a webhook', () => {
  test('gets what happens, and the examples of the API page verify it', async () => {
    const receiver = await receive();
    const { webhookId, secret } = await webhook(receiver.url, { eventTypes: [], lockIds: [site.lockId(1)] });
    await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(1) } });
    await site.lock(2).swipeCard('999');
    await until(() => ['state', 'record'].every((type) => receiver.posts.some(({ eventType }) => eventType === type)), 'both came');
    const record = receiver.posts.find(({ eventType }) => eventType === 'record') as ReceivedPost;
    const { list } = (await site.api('GET', '/api/v1/lock/records', { query: { lockId: site.lockId(1), pageSize: 10 } })).body;
    expect(record.data).toEqual(list.find(({ recordId }) => recordId === record.data['recordId']));
    expect(record.headers).toMatchObject({
      'content-type': 'application/json',
      'latchd-webhook': String(webhookId),
      'latchd-event': 'record',
      'latchd-delivery': `record-${record.data['recordId']}`,
      'latchd-attempt': '1',
    });

    const signature = String(record.headers['latchd-signature']);
    await writeFile(join(folder, 'verify.mjs'), await codeOfPage('import { createHmac'));
    const { isFromLatchd } = await import(pathToFileURL(join(folder, 'verify.mjs')).href);
    expect(isFromLatchd(secret, signature, record.body)).toBe(true);
    expect(isFromLatchd(secret, signature, `${record.body} `)).toBe(false);
    expect(isFromLatchd(`${secret}x`, signature, record.body)).toBe(false);
    expect(isFromLatchd(secret, signature, record.body, Date.now() + 301_000)).toBe(false);
    if (spawnSync('openssl', ['version']).status === 0) {
      await writeFile(join(folder, 'body.json'), record.body);
      const script = await codeOfPage('t=$(printf');
      const shown = spawnSync('sh', ['-c', script], { cwd: folder, env: { ...process.env, signature, secret } });
      expect(signature).toBe(`t=${/\d+/.exec(signature)?.[0]},v1=${String(shown.stdout).trim()}`);
    }

    const judge = createJudge((await (await fetch(`${site.gateway.httpUrl}/openapi.json`)).json()) as ApiDocument);
    const asked = await site.api('POST', `${base}/${webhookId}/test`);
    expect(asked.body).toEqual({ delivered: true, status: 204, reason: '', ms: expect.any(Number) });
    expect(receiver.posts.at(-1)).toMatchObject({ eventType: 'test', data: {} });
    expect(receiver.posts.some(({ data }) => data['lockId'] === site.lockId(2))).toBe(false);
    for (const { body } of receiver.posts)
      expect([body, judge.fits({ $ref: '#/components/schemas/WebhookDelivery' }, JSON.parse(body))]).toEqual([body, true]);
  });

  test('loses nothing and keeps the order of each lock, while its receiver is away and the gateway is killed in the middle of it', async () => {
    const receiver = await receive();
    const { webhookId } = await webhook(receiver.url);
    const sent: [string[], string[]] = [await swipes(1, 3), await swipes(2, 3)];
    await until(() => cardsOf(receiver, 1).length === 3 && cardsOf(receiver, 2).length === 3, 'all came');
    await receiver.down();
    sent[0].push(...(await swipes(1, 150)));
    sent[1].push(...(await swipes(2, 3)));
    await until(async () => (await listed(webhookId))['failingSince'] !== null, 'an attempt fails');
    await site.kill9();
    await receiver.up();
    await site.start();
    await until(() => cardsOf(receiver, 1).length === 153 && cardsOf(receiver, 2).length === 6, 'all came');
    expect([cardsOf(receiver, 1), cardsOf(receiver, 2)]).toEqual(sent);
    // What was kept of its progress: a clean start repeats nothing.
    await site.restart();
    const before = receiver.posts.length;
    sent[0].push(...(await swipes(1, 1)));
    await until(() => cardsOf(receiver, 1).length === 154, 'the next one came');
    expect(receiver.posts.length).toBe(before + 1);
    expect((await listed(webhookId))['failingSince']).toBeNull();
  });

  test('deliveries under way when the gateway was killed come again with the same deliveryId', async () => {
    const receiver = await receive();
    await webhook(receiver.url);
    receiver.answer = () => undefined;
    const [card] = await swipes(1, 1);
    await until(() => receiver.posts.length === 1, 'it is under way');
    await site.kill9();
    receiver.answer = (response) => void response.writeHead(200).end();
    await site.start();
    await until(() => receiver.posts.length === 2, 'it comes again');
    expect(receiver.posts.map(({ deliveryId }) => deliveryId)).toEqual([receiver.posts[0]?.deliveryId, receiver.posts[0]?.deliveryId]);
    expect(cardsOf(receiver, 1)).toEqual([card]);
  });

  test('a receiver that hangs, one without an end and one that says no hurt nobody else', async () => {
    const [hanging, endless, refusing, good] = [await receive(), await receive(), await receive(), await receive()];
    hanging.answer = () => undefined;
    endless.answer = (response) => {
      response.writeHead(200);
      const pour = setInterval(() => response.write('x'.repeat(10_000)), 5);
      response.once('close', () => clearInterval(pour));
    };
    refusing.answer = (response, { data }) => void response.writeHead(data['lockId'] === site.lockId(1) ? 500 : 200).end();
    const made = [];
    for (const { url } of [hanging, endless, refusing, good]) made.push(await webhook(url));
    const sent = [await swipes(1, 5), await swipes(2, 5)];
    await until(() => cardsOf(good, 1).length === 5 && cardsOf(good, 2).length === 5, 'the good one has all');
    expect([cardsOf(good, 1), cardsOf(good, 2)]).toEqual(sent);
    await until(() => cardsOf(refusing, 2).length === 5, 'the other lock goes on');
    expect(cardsOf(refusing, 1)).toHaveLength(1);
    // A status is an answer, however much follows it.
    await until(() => cardsOf(endless, 1).length === 5, 'an endless body is cut off');
    const [hangingId, , refusingId] = made.map(({ webhookId }) => webhookId);
    await until(async () => (await tried(hangingId)).length > 0, 'it is given up for now');
    expect((await tried(hangingId))[0]).toMatchObject({ progress: 'waiting', status: null, reason: `no answer within ${timeoutMs} ms` });
    expect(await tried(refusingId)).toContainEqual(expect.objectContaining({ progress: 'waiting', status: 500, lockId: site.lockId(1) }));
  });

  test('goes nowhere that it may not: not to the gateway, not by a name, not by a redirect, not to other networks', async () => {
    const own = new URL(site.gateway.httpUrl);
    const refusals = [
      [`http://127.0.0.1:${own.port}/api/v1/lock/unlock`, `must be another one: 127.0.0.1 port ${own.port} is this gateway itself`],
      [`http://0x7f.1:${own.port}/`, `must be another one: 127.0.0.1 port ${own.port} is this gateway itself`],
      [`http://[::ffff:127.0.0.1]:${own.port}/`, `must be another one: 127.0.0.1 port ${own.port} is this gateway itself`],
      ['http://169.254.169.254/latest/', 'must be another one: 169.254.169.254 is an address to which nothing is ever sent'],
      ['http://10.1.2.3/', 'must be another one: 10.1.2.3 is in none of the networks that webhooks.networks names'],
      ['http://bob:secret@127.0.0.1/', 'must not hold a name or a password'],
    ];
    for (const [url, message] of refusals) {
      const { status, body } = await site.api('POST', base, { body: { name: 'x', url } });
      expect([url, status, body['errors']]).toEqual([url, 400, [{ parameter: 'url', message }]]);
    }
    const byName = await webhook(`http://localhost:${own.port}/healthz`);
    expect((await site.api('POST', `${base}/${byName.webhookId}/test`)).body).toMatchObject({
      ...{ delivered: false, status: null },
      reason: expect.stringMatching(/^not sent: (127\.0\.0\.1|::1) port \d+ is this gateway itself$/),
    });
    const [redirecting, target] = [await receive(), await receive()];
    redirecting.answer = (response) => void response.writeHead(307, { location: target.url }).end();
    const redirected = await webhook(redirecting.url);
    expect((await site.api('POST', `${base}/${redirected.webhookId}/test`)).body).toMatchObject({
      ...{ delivered: false, status: 307, reason: 'answered 307: redirects are not followed' },
    });
    expect(target.posts).toEqual([]);
  });

  test('over https goes only to a receiver that proves its name, or its address, by a trusted authority', async () => {
    const tested = async (url: string): Promise<unknown> => {
      const { webhookId } = await webhook(url);
      return (await site.api('POST', `${base}/${webhookId}/test`)).body;
    };
    const named = await receive(await identityBy(authority, 'localhost'));
    const byName = named.url.replace('127.0.0.1', 'localhost');
    expect(await tested(byName)).toMatchObject({ delivered: true, status: 204 });
    expect(named.posts[0]?.headers.host).toBe(new URL(byName).host);
    expect(await tested(named.url)).toMatchObject({ delivered: false, reason: 'no answer: ERR_TLS_CERT_ALTNAME_INVALID' });
    const addressed = await receive(await identityBy(authority, '127.0.0.1'));
    expect(await tested(addressed.url)).toMatchObject({ delivered: true });
    const strange = await receive(await identityBy(await newAuthority(), '127.0.0.1'));
    expect(await tested(strange.url)).toMatchObject({ delivered: false, reason: 'no answer: UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect([named.posts.length, strange.posts.length]).toEqual([1, 0]);
  });

  test("belongs to its account alone: it has the account's present rights, and ends with it", async () => {
    const receiver = await receive();
    const bob = await site.account('bob');
    const lockId = site.lockId(1);
    const role = (name: string) => site.api('PUT', `/api/v1/gateway/locks/${lockId}/roles/bob`, { body: { role: name } });
    const { body: made } = await site.api('POST', base, {
      token: bob,
      body: { name: 'of bob', url: receiver.url, eventTypes: ['record'] },
    });
    const path = `${base}/${made['webhookId']}`;
    await swipes(1, 1);
    await role('manager');
    const [heard] = await swipes(1, 1);
    await until(() => receiver.posts.length === 1, 'a manager hears');
    await role('operator');
    await swipes(1, 1);
    await role('manager');
    const [again] = await swipes(1, 1);
    await until(() => receiver.posts.length === 2, 'a manager hears again');
    expect(cardsOf(receiver, 1)).toEqual([heard, again]);

    const sam = await site.account('sam');
    const other = await site.api('POST', base, { token: sam, body: { name: 'x', url: receiver.url, lockIds: [lockId] } });
    expect([other.status, other.body.code]).toEqual([403, 'forbidden']);
    expect((await site.api('GET', base, { token: sam })).body.total).toBe(0);
    expect((await site.api('POST', `${path}/test`, { token: sam })).status).toBe(404);
    // Whoever may delete it may not have it send elsewhere.
    expect((await site.api('PUT', path, { body: { url: 'http://127.0.0.1:1/' } })).status).toBe(403);
    expect((await site.api('POST', `${path}/secret`)).status).toBe(403);
    expect((await site.api('GET', base)).body.list[0]).toMatchObject({ username: 'bob', name: 'of bob' });
    await site.api('DELETE', '/api/v1/gateway/accounts/bob');
    await until(async () => (await site.api('GET', base)).body.total === 0, 'it ends with its account');
    await swipes(1, 1);
    expect(receiver.posts).toHaveLength(2);
  });

  test('is listed, tried and ended by the command line, whoever made it', async () => {
    const receiver = await receive();
    const { webhookId } = await webhook(receiver.url);
    const latchd = (...args: string[]) => runs.finish(['webhook', ...args, '--data-dir', site.dataDir]);
    const list = await latchd('list');
    expect([list.exitCode, list.stdout]).toEqual([0, expect.stringMatching(/^webhook +account +name +url +state +waiting +failed\n/)]);
    expect(list.stdout).toMatch(new RegExp(`\n${webhookId} +admin +test +${receiver.url} +works +0 +0\n`));
    expect(JSON.parse((await latchd('list', '--json')).stdout)).toEqual([expect.objectContaining({ webhookId, username: 'admin' })]);

    expect(await latchd('test', String(webhookId))).toEqual({
      ...{ exitCode: 0, stdout: '' },
      stderr: expect.stringMatching(/^the receiver took it with 204, in \d+ ms\n$/),
    });
    expect(receiver.posts).toEqual([expect.objectContaining({ eventType: 'test', data: {} })]);
    receiver.answer = (response) => void response.writeHead(503).end();
    const failed = await latchd('test', String(webhookId), '--json');
    expect([failed.exitCode, failed.stderr]).toEqual([1, 'the receiver did not take it: answered 503\n']);
    expect(JSON.parse(failed.stdout)).toMatchObject({ delivered: false, status: 503 });

    expect(await latchd('remove', String(webhookId))).toEqual({ exitCode: 0, stdout: '', stderr: `webhook ${webhookId} has ended\n` });
    expect(await latchd('remove', String(webhookId))).toMatchObject({
      ...{ exitCode: 1, stdout: '' },
      stderr: `latchd: there is no webhook ${webhookId}: "latchd webhook list" shows what there is\n`,
    });
    expect((await latchd('list')).stderr).toMatch(/^there is no webhook: /);
  });

  test('whose receiver answers 410 is switched off, and gets events again after it was switched on', async () => {
    const receiver = await receive();
    const { webhookId } = await webhook(receiver.url);
    receiver.answer = (response) => void response.writeHead(410).end();
    await swipes(1, 2);
    await until(async () => (await listed(webhookId))['enabled'] === false, 'it is switched off');
    receiver.answer = (response) => void response.writeHead(200).end();
    await swipes(1, 1);
    const on = await site.api('PUT', `${base}/${webhookId}`, { body: { enabled: true } });
    expect(on.body).toMatchObject({ enabled: true, failingSince: null });
    const [card] = await swipes(1, 1);
    await until(() => receiver.posts.length === 2, 'it hears again');
    expect(receiver.posts[1]?.data['keyboardPwd']).toBe(card);
  });
});

async function listed(webhookId: number): Promise<Readonly<Record<string, unknown>>> {
  const { list } = (await site.api('GET', base)).body;
  return list.find((item) => item['webhookId'] === webhookId) ?? {};
}

async function tried(webhookId: number | undefined): Promise<readonly object[]> {
  return (await site.api('GET', `${base}/${webhookId}/deliveries`)).body.list;
}

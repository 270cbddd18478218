// Callbacks of TTLock logins from the real daemon to a real receiver: forms in order, nothing lost, whoever is away or killed, and a login with
// its webhook as one decision.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';
import { createTtlockClient, type TtlockSecrets } from '../support/ttlock-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const logins = '/api/v1/gateway/ttlock-logins';
const webhooks = '/api/v1/gateway/webhooks';
let site: Site;
let folder: string;
const receivers: WebhookReceiver[] = [];
let serial = 5_000_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-callbacks-'));
  const config = join(folder, 'latchd.yaml');
  await writeFile(config, 'webhooks:\n  networks: [127.0.0.0/8]\n  timeoutMs: 1000\n');
  // Without a history the locks cannot send again what they have forgotten on a PUBACK: a broken promise shows.
  site = await openSite({
    locks: [{ historyCapacity: 0 }, { historyCapacity: 0 }],
    flags: ['--config', config, '--ttlock-enabled', 'true'],
  });
});
afterEach(async () => {
  for (const { loginId } of await listed(logins)) await site.api('DELETE', `${logins}/${loginId}`);
});
afterAll(async () => {
  for (const receiver of receivers) await receiver.down();
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Listed {
  readonly loginId?: number;
  readonly webhookId?: number;
  readonly [member: string]: unknown;
}

async function listed(path: string): Promise<readonly Listed[]> {
  return (await site.api('GET', path)).body.list as unknown as readonly Listed[];
}
const webhookDocuments = async () => (await site.storedNames()).filter((name) => name.startsWith('webhooks/'));
async function receive(): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver();
  receivers.push(receiver);
  return receiver;
}
async function login(callback: string, username = 'admin'): Promise<Omit<TtlockSecrets, 'username'> & { readonly loginId: number }> {
  const { status, body } = await site.api('POST', logins, { body: { username, name: 'Home Assistant', callback } });
  expect([status, body]).toEqual([201, expect.objectContaining({ loginId: expect.any(Number) })]);
  return body as never;
}
/** The one webhook that there is. */
async function webhook(): Promise<Listed> {
  const all = await listed(webhooks);
  expect(all).toHaveLength(1);
  return all[0] as Listed;
}
/** Holds so many cards to a lock and resolves when their events are acknowledged; their numbers, in order. */
async function swipes(lock: number, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, () => String(serial++));
  for (const number of numbers) await site.lock(lock).swipeCard(number);
  await site.lock(lock).whenEventsAcknowledged();
  return numbers;
}

interface Sent {
  readonly recordId: number;
  readonly lockId: number;
  readonly recordType: number;
  readonly keyboardPwd: string;
  readonly username: string | null;
}
const recordsIn = ({ data }: { readonly data: Readonly<Record<string, unknown>> }): Sent[] => JSON.parse(String(data['records']));
/** The card numbers that came of one lock: each once, at its first coming. */
function cardsOf(receiver: WebhookReceiver, lock: number): string[] {
  const records = receiver.posts.filter(({ data }) => data['lockId'] === String(site.lockId(lock))).flatMap(recordsIn);
  return [...new Set(records.filter(({ recordType }) => recordType === 7).map(({ keyboardPwd }) => keyboardPwd))];
}

describe('the callback of a login', () => {
  test('gets forms as programs of the cloud read them, whatever 2xx the receiver answers and whatever the names are', async () => {
    const [empty, wordy] = [await receive(), await receive()];
    // Home Assistant answers 200 without a body, programs after the manual of the cloud say `success`.
    empty.answer = (response) => void response.writeHead(200).end();
    wordy.answer = (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('success');
    const hostile = 'a&lockId=9+%26=ü…"\\ \u{1F511}#;';
    await site.account('bob');
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(1)}/roles/bob`, { body: { role: 'manager' } });
    const secrets = await login(empty.url);
    await login(wordy.url, 'bob');
    const named = { cardNumber: '4711471147', cardName: hostile, method: 'regular', addType: 2, startDate: 0, endDate: 0 };
    expect((await site.api('POST', '/api/v1/identity-card/add', { query: { lockId: site.lockId(1), ...named } })).status).toBe(200);
    const program = createTtlockClient(() => site.gateway.httpUrl, { username: 'admin', ...secrets });
    await program.signIn();
    expect(await program.post('/v3/lock/unlock', { lockId: site.lockId(1) })).toMatchObject({ errcode: 0 });
    site.lock(1).jam(true);
    await site.api('POST', '/api/v1/lock/lock', { query: { lockId: site.lockId(1) } });
    site.lock(1).jam(false);
    await site.lock(1).enterPasscode('918273');
    site.lock(1).tamper();
    site.lock(1).setBattery(66);
    await site.lock(1).swipeCard(named.cardNumber);
    const [card] = await swipes(1, 1);
    await until(() => cardsOf(empty, 1).includes(card as string) && cardsOf(wordy, 1).includes(card as string), 'both got the card');

    for (const [receiver, admin] of [
      [empty, 'admin'],
      [wordy, 'bob'],
    ] as const) {
      for (const { headers, data } of receiver.posts) {
        expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
        expect(Object.keys(headers).filter((name) => name.startsWith('latchd-'))).toEqual([]);
        expect(data).toEqual({
          ...{ lockId: String(site.lockId(1)), notifyType: '1', admin, lockMac: site.lock(1).mac.toUpperCase() },
          records: expect.any(String),
        });
      }
      const records = receiver.posts.flatMap(recordsIn);
      expect(records.map(({ recordId }) => recordId)).toEqual([...records.map(({ recordId }) => recordId)].sort((a, b) => a - b));
      expect(records.find(({ recordType }) => recordType === 12)).toMatchObject({ username: 'admin', success: 1 });
      expect(records.map(({ recordType }) => recordType)).toEqual(expect.arrayContaining([12, 66, 44, 7]));
      for (const record of records)
        expect(record).toEqual({
          ...{ recordId: expect.any(Number), lockId: site.lockId(1), lockMac: site.lock(1).mac.toUpperCase() },
          ...{ electricQuantity: expect.any(Number), lockDate: expect.any(Number), serverDate: expect.any(Number) },
          ...{ recordType: expect.any(Number), recordTypeFromLock: expect.any(Number), success: expect.any(Number) },
          ...{ keyboardPwd: expect.any(String), username: record.username === null ? null : expect.any(String) },
        });
      expect(records.filter(({ username }) => username === hostile)).toMatchObject([{ keyboardPwd: named.cardNumber }]);
      expect(JSON.stringify(records)).not.toContain('918273');
    }
    expect(await listed(webhooks)).toMatchObject([
      { kind: 'ttlock', username: 'admin', name: 'Home Assistant', url: empty.url, failingSince: null },
      { kind: 'ttlock', username: 'bob', url: wordy.url },
    ]);
  });

  test('loses nothing and keeps the order of each lock, in few requests, while its receiver is away and the gateway is killed', async () => {
    const receiver = await receive();
    await login(receiver.url);
    const sent: [string[], string[]] = [await swipes(1, 2), await swipes(2, 2)];
    await until(() => cardsOf(receiver, 1).length === 2 && cardsOf(receiver, 2).length === 2, 'all came');
    await receiver.down();
    sent[0].push(...(await swipes(1, 70)));
    sent[1].push(...(await swipes(2, 3)));
    await until(async () => (await webhook())['failingSince'] !== null, 'an attempt fails');
    await site.kill9();
    receiver.answer = () => undefined;
    await receiver.up();
    await site.start();
    const before = receiver.posts.length;
    await until(() => receiver.posts.length > before, 'one is under way');
    await site.kill9();
    receiver.answer = (response) => void response.writeHead(200).end();
    await site.start();
    await until(() => cardsOf(receiver, 1).length === 72 && cardsOf(receiver, 2).length === 5, 'all came');
    expect([cardsOf(receiver, 1), cardsOf(receiver, 2)]).toEqual(sent);
    const sizes = receiver.posts.map((post) => recordsIn(post).length);
    expect([Math.max(...sizes), sizes.length]).toEqual([20, expect.any(Number)]);
    expect(sizes.length).toBeLessThan(20);
    // What was kept of its progress: a clean start repeats nothing.
    await site.restart();
    const repeated = receiver.posts.length;
    sent[0].push(...(await swipes(1, 1)));
    await until(() => cardsOf(receiver, 1).length === 73, 'the next one came');
    expect(receiver.posts.length).toBe(repeated + 1);
  });

  test('is tested and replayed as a webhook is, and changes and ends with its login alone', async () => {
    const [receiver, other] = [await receive(), await receive()];
    const { loginId } = await login(receiver.url);
    const { webhookId } = await webhook();
    const path = `${webhooks}/${webhookId}`;
    expect((await site.api('POST', `${path}/test`)).body).toMatchObject({ delivered: true, status: 204 });
    expect(receiver.posts[0]?.data).toEqual({ lockId: '0', notifyType: '1', admin: 'admin', lockMac: '', records: '[]' });
    for (const [method, url, body] of [
      ['PUT', path, { url: other.url }],
      ['PUT', path, { eventTypes: [] }],
      ['DELETE', path, undefined],
      ['POST', `${path}/secret`, undefined],
    ] as const)
      expect([method, (await site.api(method, url, body && { body })).body.code]).toEqual([method, 'conflict']);

    // 410 switches it off; the login switches it on again, or its account.
    receiver.answer = (response) => void response.writeHead(410).end();
    await swipes(1, 1);
    await until(async () => (await webhook())['enabled'] === false, 'it is switched off');
    await site.api('PUT', `${logins}/${loginId}`, { body: { callback: other.url } });
    expect(await webhook()).toMatchObject({ webhookId, url: other.url, enabled: true });
    const [card] = await swipes(1, 1);
    await until(() => cardsOf(other, 1).length === 1, 'it hears again');
    expect(cardsOf(other, 1)).toEqual([card]);
    await site.api('DELETE', `${logins}/${loginId}`);
    expect(await listed(webhooks)).toEqual([]);
    expect(await webhookDocuments()).toEqual([]);
  });

  test('goes to no network that the configuration does not name, and counts among the webhooks of its account', async () => {
    for (const callback of ['http://10.1.2.3/', 'http://169.254.169.254/latest', 'ftp://127.0.0.1/']) {
      const { status, body } = await site.api('POST', logins, { body: { username: 'admin', name: 'x', callback } });
      expect([callback, status, (body['errors'] as { parameter: string }[])[0]?.parameter]).toEqual([callback, 400, 'callback']);
    }
    const receiver = await receive();
    for (let n = 0; n < 9; n++) await site.api('POST', webhooks, { body: { name: 'x', url: receiver.url, eventTypes: ['alarm'] } });
    await login(receiver.url);
    const tooMany = await site.api('POST', logins, { body: { username: 'admin', name: 'x', callback: receiver.url } });
    expect([tooMany.status, tooMany.body.code]).toEqual([409, 'conflict']);
    expect(await listed(logins)).toHaveLength(1);
    for (const { webhookId, kind } of await listed(webhooks)) if (kind === 'plain') await site.api('DELETE', `${webhooks}/${webhookId}`);
  });

  test('has its webhook exactly when the login names it, whenever the gateway is killed', async () => {
    const receiver = await receive();
    // Killed before anything is on the disk, behind the first of two writes, and behind the answer.
    const moments = [
      async () => undefined,
      () => until(async () => (await webhookDocuments()).length > 0, 'the webhook is written'),
      undefined,
    ];
    for (const [n, moment] of moments.entries()) {
      const callback = `${receiver.url}/${n}`;
      const asked = site.api('POST', logins, { body: { username: 'admin', name: 'killed', callback } }).catch(() => undefined);
      const answer = await (moment === undefined ? asked : moment());
      await site.kill9();
      await asked;
      await site.start();
      const [named, sending] = [await listed(logins), await listed(webhooks)];
      expect(sending.map(({ url }) => url)).toEqual(named.map((one) => one['callback']));
      if (answer !== undefined) expect(named.at(-1)).toMatchObject({ callback });
    }
    const [{ loginId }] = (await listed(logins)) as [Listed];
    const removed = site.api('DELETE', `${logins}/${loginId}`).catch(() => undefined);
    await site.kill9();
    await removed;
    await site.start();
    const [named, sending] = [await listed(logins), await listed(webhooks)];
    expect(sending.map(({ url }) => url)).toEqual(named.map((one) => one['callback']));
  });
});

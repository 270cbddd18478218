// Nobody but who made it, the lock and the lock's administrator learns a passcode: the real daemon at its most talkative level, through all that
// handles one, and then a search through all that it said and stored.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EventClient, listenTo } from '../support/event-client.ts';
import { type Answer, openSite, type RequestOptions, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Nobody but the second lock has it, which says every code that is typed. Its record has the digits, for the administrator alone. */
const ofOlderLock = '604827315';
const runs = createRuns();
const streams: EventClient[] = [];
let folder: string;
let site: Site;
let receiver: WebhookReceiver;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-passcodes-'));
  const config = join(folder, 'latchd.yaml');
  await writeFile(config, 'webhooks: { networks: [127.0.0.1] }\n');
  site = await openSite({
    locks: [{ features: ['credentials', 'hours', 'once'] }, { passcodes: [ofOlderLock] }],
    flags: ['--config', config, '--log-level', 'trace', '--metrics-enabled', 'true'],
  });
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  for (const stream of streams) stream.close();
  await runs.endAll();
  await receiver.down();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

/** Of nine digits, so that none of them is anywhere by chance. By what it is. */
const codes = new Map<string, string>();
/** All that was said, by who said it. */
const said = new Map<string, string>();

function code(what: string, digits: string): string {
  expect([what, digits]).toEqual([what, expect.stringMatching(/^\d{9}$/)]);
  codes.set(what, digits);
  return digits;
}

let asked = 0;
/** Asks and writes down the answer, which must hold no code. */
async function ask(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  const answer = await site.api(method, path, options);
  said.set(`${++asked}: ${method} ${path}`, JSON.stringify([[...answer.headers], answer.body]));
  return answer;
}

async function latchd(...args: string[]): Promise<void> {
  const run = runs.begin([...args, '--data-dir', site.dataDir]);
  expect([args, await run.ended]).toEqual([args, 0]);
  said.set(`latchd ${args.join(' ')}`, run.stdout() + run.stderr());
}

function authorized(headers: Readonly<Record<string, string>> = {}) {
  return { headers: { ...headers, authorization: `Bearer ${site.gateway.token}` } };
}

/** Of each file below a folder, its path from there and its content. */
async function filesIn(directory: string): Promise<readonly (readonly [path: string, text: string])[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.map(async (file) => [file.slice(directory.length + 1), (await readFile(file)).toString('latin1')] as const));
}

/** The documents in which a code may be. */
const documents = /^(cards\/\d+\.jsonl|people\.jsonl|people\/.*)$/;

describe('passcodes', () => {
  test('are in no log, list, event, webhook, audit line, error, export or manifest, and on the disk in the documents of locks and people alone', async () => {
    const lockId = site.lockId(1);
    const lock = site.lock(1);
    const manager = await site.account('bob');
    await ask('PUT', `/api/v1/gateway/locks/${lockId}/roles/bob`, { body: { role: 'manager' } });
    await ask('POST', '/api/v1/gateway/webhooks', { body: { name: 'all', url: receiver.url } });
    for (const token of [site.gateway.token, manager]) streams.push(await listenTo(site.gateway.httpUrl, { token }));
    const add = (query: object, token?: string) =>
      site.api('POST', '/api/v1/passcode/add', {
        query: { lockId, addType: 2, keyboardPwdType: 2, ...query },
        ...(token !== undefined && { token }),
      });

    // The answer that makes a code is the one that shows it.
    const made = await add({ digits: 9, keyboardPwdName: 'Cleaner' }, manager);
    code('a made one', String(made.body['keyboardPwd']));
    const chosen = code('a chosen one', '482913570');
    const second = await add({ keyboardPwd: chosen, keyboardPwdType: 3, endDate: Date.now() + 86_400_000 });
    const once = await add({ digits: 9, keyboardPwdType: 1 });
    code('a one-time code', String(once.body['keyboardPwd']));
    const byPhone = code('one that a phone has put there', '739164028');
    lock.learn({ kind: 'passcode', number: byPhone, startDate: 0, endDate: 0 });
    expect((await add({ keyboardPwd: byPhone, addType: 1 })).status).toBe(200);
    const queued = await add({ digits: 9, queue: 1 });
    code('a queued one', String(queued.body['keyboardPwd']));

    // A person's passcode, on the lock by a grant.
    const access = '/api/v1/access';
    const person = `${access}/people/${(await ask('POST', `${access}/people`, { body: { name: 'Erika M.', externalId: 'HR-1' } })).body['personId']}`;
    const given = await site.api('POST', `${person}/credentials`, { body: { kind: 'passcode', digits: 9 } });
    const ofPerson = code("a person's", String(given.body['passcode']));
    await ask('POST', `${person}/grants`, { body: { lockIds: [lockId], groupIds: [], startDate: 0, endDate: 0 } });
    await until(async () => (await lock.enterPasscode(ofPerson)).done, "the person's code opens");
    await lock.turnThumb();
    await ask('GET', person);
    await ask('GET', `${access}/people`);
    await ask('PUT', person, { body: { name: 'Erika Muster' } });
    const entries = await ask('GET', `${access}/locks/${lockId}/entries`);
    const granted = entries.body.list.find(({ credentialId }) => credentialId === given.body['credentialId']);
    const theirs = { lockId, keyboardPwdId: Number(granted?.['entryId']), deleteType: 2 };
    expect((await ask('DELETE', '/api/v1/passcode/delete', { query: theirs })).body.code).toBe('granted');
    const text = await (await fetch(`${site.gateway.httpUrl}${access}/export.csv`, authorized())).text();
    said.set('export.csv', text);
    const importing = await fetch(`${site.gateway.httpUrl}${access}/imports?absent=keep`, {
      ...authorized({ 'content-type': 'text/csv' }),
      method: 'POST',
      body: text,
    });
    said.set('an import', await importing.text());

    // What goes wrong with one.
    const wrong = { lockId, addType: 2, keyboardPwdType: 2 };
    expect((await ask('POST', '/api/v1/passcode/add', { query: { ...wrong, keyboardPwd: chosen } })).body.code).toBe('passcode-exists');
    const odd = code('a code in a wrong request', '918273645');
    await ask('POST', '/api/v1/passcode/add', { query: { ...wrong, keyboardPwd: `${odd}x` } });
    await ask('POST', '/api/v1/passcode/add', { query: { ...wrong, keyboardPwd: odd, lockId: 999 } });
    await ask('POST', '/api/v1/passcode/add', { query: { ...wrong, keyboardPwd: odd, queue: 'x' }, token: 'nobody' });

    // At the door: right, mistyped, used twice.
    const last = (digits: string) => String((Number(digits.at(-1)) + 1) % 10);
    const mistyped = [...codes.values()].map((digits, n) => code(`slip ${n}`, digits.slice(0, 8) + last(digits)));
    expect(await lock.enterPasscode(chosen)).toMatchObject({ done: true });
    await lock.turnThumb();
    expect(await lock.enterPasscode(String(made.body['keyboardPwd']))).toMatchObject({ done: true });
    await lock.turnThumb();
    expect(await lock.enterPasscode(String(once.body['keyboardPwd']))).toMatchObject({ done: true });
    await lock.turnThumb();
    await lock.enterPasscode(String(once.body['keyboardPwd']));
    for (const slip of mistyped.slice(0, 3)) expect(await lock.enterPasscode(slip)).toMatchObject({ done: false });
    await lock.whenEventsAcknowledged();
    expect(await site.lock(2).enterPasscode(ofOlderLock)).toMatchObject({ done: true });
    await site.lock(2).enterPasscode(code('a slip at an older lock', '604827316'));
    await site.lock(2).whenEventsAcknowledged();
    await ask('PUT', `/api/v1/gateway/locks/${site.lockId(2)}/roles/bob`, { body: { role: 'manager' } });
    const older = { lockId: site.lockId(2), pageSize: 10 };
    const numbers = async (answer: Promise<Answer>) => (await answer).body.list.map(({ keyboardPwd }) => keyboardPwd);
    expect(await numbers(ask('GET', '/api/v1/lock/records', { query: older, token: manager }))).toEqual(['', '****']);
    expect(await numbers(site.api('GET', '/api/v1/lock/records', { query: older }))).toEqual(['', ofOlderLock]);

    // Lists, changes, and who may read what.
    const one = { lockId, keyboardPwdId: made.body.keyboardPwdId };
    const shown = await ask('GET', '/api/v1/passcode/list', { query: { lockId, pageSize: 100 } });
    expect(new Set(shown.body.list.map(({ keyboardPwd }) => keyboardPwd))).toEqual(new Set(['']));
    expect((await ask('GET', '/api/v1/passcode/detail', { query: one, token: manager })).body.code).toBe('not-lock-administrator');
    const detail = await site.api('GET', '/api/v1/passcode/detail', { query: one });
    expect(detail.body['keyboardPwd']).toBe(codes.get('a made one'));
    await ask('PUT', '/api/v1/passcode/change', { query: { ...one, changeType: 2, startDate: 1, endDate: 0 } });
    await ask('PUT', '/api/v1/passcode/rename', { query: { ...one, changeType: 2, keyboardPwdName: 'Post' } });
    const ofManager = await ask('GET', '/api/v1/lock/records', { query: { lockId, pageSize: 100 }, token: manager });
    const ofPasscodes = ofManager.body.list.filter(({ recordType }) => recordType === 'unlock by passcode');
    expect(ofPasscodes.slice(0, 7).map(({ keyboardPwd, success }) => [success, keyboardPwd])).toEqual([
      ...[
        [0, ''],
        [0, ''],
        [0, ''],
      ],
      ...[
        [0, expect.stringMatching(/^(\*{4})?$/)],
        [1, '****'],
        [1, '****'],
        [1, '****'],
      ],
    ]);
    const whole = await site.api('GET', '/api/v1/lock/records', { query: { lockId, pageSize: 100 } });
    const seen = JSON.stringify(whole.body);
    expect([seen.includes(chosen), mistyped.some((slip) => seen.includes(slip))]).toEqual([true, false]);
    const second_ = { lockId, keyboardPwdId: second.body.keyboardPwdId, deleteType: 2 };
    expect((await ask('DELETE', '/api/v1/passcode/delete', { query: second_ })).body).toEqual({ success: true });
    expect((await ask('GET', '/api/v1/passcode/detail', { query: second_ })).body.code).toBe('not-found');
    expect(JSON.stringify((await ask('GET', '/api/v1/lock/records', { query: { lockId, pageSize: 100 }, token: manager })).body)).toContain(
      '****',
    );

    const range = { lockId, startDate: Date.now() - 86_400_000, endDate: Date.now() };
    await ask('GET', `${access}/who`, { query: { lockId, date: Date.now() } });
    await ask('GET', `${access}/where`, { query: { credentialId: Number(given.body['credentialId']), date: Date.now() } });
    await ask('GET', `${access}/records`, { query: { ...range, lockId: undefined, personId: Number(person.split('/').at(-1)) } });
    await ask('GET', `${access}/completeness`, { query: range });
    for (const path of ['gateway/audit', 'gateway/alarms', 'gateway/status', 'gateway/webhooks', 'access/suggestions'])
      await ask('GET', `/api/v1/${path}`, {});
    said.set('/metrics', await (await fetch(`${site.gateway.httpUrl}/metrics`)).text());

    // What leaves the gateway by itself.
    const records = ofManager.body.list.length;
    for (const stream of streams) await until(async () => stream.of('record').length >= records, 'the streams have heard all');
    await until(async () => receiver.posts.filter(({ eventType }) => eventType === 'record').length >= records, 'the receiver has all');
    for (const [n, stream] of streams.entries()) said.set(`stream ${n}`, JSON.stringify(stream.events));
    said.set('webhooks', receiver.posts.map(({ body, headers }) => body + JSON.stringify(headers)).join('\n'));
    const again = await listenTo(site.gateway.httpUrl, { token: site.gateway.token, lastId: '1' });
    streams.push(again);
    await until(async () => again.of('record').length >= records - 1, 'what was missed is there');
    said.set('stream from the log', JSON.stringify(again.events));

    await latchd('backup');
    await latchd('export', '--lock', String(lockId));
    await latchd('export', '--lock', String(site.lockId(2)), '--format', 'jsonl');
    await latchd('audit', 'list');
    const log = site.gateway.log;
    await site.kill9();
    await latchd('verify');
    await site.start();
    await site.whenOnline(1);
    await site.restart();
    said.set('the log', [...log, ...site.gateway.log].map((line) => JSON.stringify(line)).join('\n'));
    expect(said.get('the log')?.length).toBeGreaterThan(5_000);

    expect([...said].filter(([, text]) => text.includes(ofOlderLock)).map(([where]) => where)).toEqual([]);
    const leaks = (where: string, text: string) =>
      [...codes].flatMap(([what, digits]) => (text.includes(digits) ? [`${what} in ${where}`] : []));
    expect([...said].flatMap(([where, text]) => leaks(where, text))).toEqual([]);

    // On the disk: in the lock's own document, where each code of the gateway is, and no slip; and nowhere else.
    const archives = (await filesIn(site.dataDir)).filter(([path]) => path.startsWith('backups/')).map(([path]) => path);
    expect(archives.length).toBeGreaterThan(0);
    const stored: (readonly [string, string])[] = [...(await site.allStored())].filter(([path]) => !path.startsWith('backups/'));
    for (const [n, archive] of archives.entries()) {
      const unpacked = join(folder, `backup-${n}`);
      await mkdir(unpacked);
      await promisify(execFile)('tar', ['-xf', join(site.dataDir, archive), '-C', unpacked]);
      stored.push(...(await filesIn(unpacked)));
    }
    const isDocument = (path: string) => documents.test(path.replace(/^(data|latchd)\//, ''));
    expect(stored.filter(([path]) => !isDocument(path)).flatMap(([path, text]) => leaks(path, text))).toEqual([]);
    const inDocuments = stored.filter(([path]) => isDocument(path)).map(([, text]) => text);
    expect(inDocuments.some((text) => text.includes(codes.get('a made one') ?? 'none'))).toBe(true);
    for (const slip of [...mistyped, odd]) expect(inDocuments.some((text) => text.includes(slip))).toBe(false);
  });
});

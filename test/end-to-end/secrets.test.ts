// No secret is ever said: the real daemon and its commands at the most talkative level, through everything that handles one, and then a search
// through all that they wrote, but for the one place where a secret is handed over.
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site } from '../support/site.ts';
import { connectHandLock } from '../support/site-lock.ts';
import { createRuns } from '../support/site-process.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const gateway = '/api/v1/gateway';
const loopback = ['--https-host', '127.0.0.1', '--https-port', '0', '--mqtts-host', '127.0.0.1', '--mqtts-port', '0'];
const runs = createRuns();
const config = join(tmpdir(), `latchd-secrets-${process.pid}.yaml`);
const passwordFile = join(tmpdir(), `latchd-secrets-${process.pid}.password`);
const withDatabase = process.env['LATCHD_TEST_STORE'] === 'postgres';
let site: Site;

beforeAll(async () => {
  const encrypted = [...loopback, '--https-enabled', 'true', '--mqtts-enabled', 'true'];
  await writeFile(passwordFile, secret('the password of the database', randomBytes(24).toString('base64url')));
  await writeFile(config, `webhooks: { networks: [127.0.0.1] }\n${withDatabase ? `storePasswordFile: ${passwordFile}\n` : ''}`);
  site = await openSite({
    locks: [{}, {}],
    hubs: 1,
    flags: [...encrypted, '--config', config, '--log-level', 'trace', '--metrics-enabled', 'true'],
  });
});
afterAll(async () => {
  await runs.endAll();
  await site.close();
  for (const file of [config, passwordFile]) await rm(file, { force: true });
});

/** By what it is. */
const secrets = new Map<string, string>();
/** All that was written, by what wrote it. */
const said = new Map<string, string>();

function secret(what: string, text: string): string {
  expect([what, text.length > 5]).toEqual([what, true]);
  secrets.set(what, text);
  return text;
}

/** Runs a command; the last line of its standard output is the secret that it hands over, when there is one. */
async function latchd(what: string | undefined, ...args: string[]): Promise<string> {
  const run = runs.begin([...args, '--data-dir', site.dataDir], { LATCHD_CONFIG: config });
  // The server of the tests flushes nothing, which the doctor finds.
  const exitCode = withDatabase && args[0] === 'doctor' ? 1 : 0;
  expect([args, await run.ended, run.stderr()]).toEqual([args, exitCode, expect.any(String)]);
  const lines = run.stdout().trimEnd().split('\n');
  const handedOver = what === undefined ? '' : secret(what, lines.pop() ?? '');
  said.set(`latchd ${args.join(' ')}`, `${lines.join('\n')}\n${run.stderr()}`);
  return handedOver;
}

async function refusedLogin(what: string, deviceId: string, mqttUrl = site.gateway.mqttUrl): Promise<void> {
  const deviceKey = secret(what, randomBytes(24).toString('base64url'));
  await expect(connectHandLock({ mqttUrl, deviceId, deviceKey })).rejects.toThrow();
}

/** What is not MQTT and holds a secret all the same: a CONNECT that breaks off, a broken packet. */
async function garbage(what: string): Promise<void> {
  const { hostname, port } = new URL(site.gateway.mqttUrl);
  const text = secret(what, randomBytes(24).toString('base64url'));
  const socket = connectTcp(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined).resume();
  socket.write(
    Buffer.concat([Buffer.from([0x10, 0x7f, 0, 4]), Buffer.from(`MQTT\u0004\u00c2\u0000\u003c\u0000\u0001x${text}`), Buffer.alloc(130)]),
  );
  await closed;
}

describe('secrets', () => {
  test('are in no line of the log, in no answer that does not hand them over, and in nothing that a command says (Fault T18)', async () => {
    const { token, mqttsUrl } = site.gateway;
    secret('the first token', token);
    for (const file of await readdir(join(site.dataDir, 'tls'))) {
      if (!file.endsWith('.key')) continue;
      const [, line = ''] = (await readFile(join(site.dataDir, 'tls', file), 'utf8')).split('\n');
      secret(`tls/${file}`, line);
    }
    secret('command.key', (await site.stored('command.key')).trim());

    // Management, by the API and by commands; with and without a daemon.
    const issued = await site.api('POST', `${gateway}/locks`, {
      body: { lockMac: '02:CC:00:00:00:01', lockName: 'Gate', noKeyPwd: secret('a super passcode', '86420975313') },
    });
    secret("a lock's key", issued.body.deviceKey);
    secret("a hub's key", (await site.api('POST', `${gateway}/hubs`, { body: { mac: '02:CC:00:00:00:F1', name: 'Hub' } })).body.deviceKey);
    secret("a hub's new key", (await site.api('POST', `${gateway}/hubs/02cc000000f1/key`)).body.deviceKey);
    secret("an account's token", await site.account('reception'));
    await latchd(undefined, 'account', 'create', 'cleaner');
    await latchd('a token by command', 'token', 'create', 'cleaner', '--name', 'phone');
    const key = await latchd("a lock's new key by command", 'lock', 'key', String(issued.body.lockId));
    await latchd(undefined, 'token', 'list');
    await latchd(undefined, 'lock', 'list');
    await latchd(undefined, 'check-config');
    await latchd(undefined, 'backup');

    // A webhook to a receiver that takes something and then refuses: what it answers is not said either.
    const receiver = await startWebhookReceiver();
    const says = secret('what a receiver answers', randomBytes(24).toString('base64url'));
    const url = `${receiver.url}?key=${secret("a key in a webhook's URL", randomBytes(24).toString('base64url'))}`;
    const hook = `${gateway}/webhooks/${(await site.api('POST', `${gateway}/webhooks`, { body: { name: 'a', url } })).body['webhookId']}`;
    const made = await site.api('POST', `${gateway}/webhooks`, { body: { name: 'b', url } });
    secret("a webhook's secret", String(made.body['secret']));
    secret("a webhook's new secret", String((await site.api('POST', `${hook}/secret`)).body['secret']));
    said.set('a test', JSON.stringify((await site.api('POST', `${hook}/test`)).body));
    receiver.answer = (response) => void response.writeHead(500, says, { 'x-key': says }).end(says);
    said.set('a refused test', JSON.stringify((await site.api('POST', `${hook}/test`)).body));

    // Doors, cards and passcodes.
    const lockId = site.lockId(1);
    await site.api('POST', '/api/v1/lock/unlock', { query: { lockId } });
    const card = { lockId, cardNumber: secret('a card number', '9071325672378'), method: 'regular', addType: 2, startDate: 0, endDate: 0 };
    expect((await site.api('POST', '/api/v1/identity-card/add', { query: card })).status).toBe(200);
    await site.lock(1).swipeCard(card.cardNumber);
    await site.lock(1).enterPasscode(secret('a passcode that was typed', '975318642'));
    await site.lock(1).whenEventsAcknowledged();
    await site.api('PUT', `${gateway}/locks/${lockId}`, { body: { lockData: secret('bluetooth material', 'bluetooth-material') } });
    await site.api('GET', '/api/v1/lock/detail', { query: { lockId } });

    // Messages that hold secrets and are wrong, or in the wrong place.
    const lock = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: issued.body.deviceId, deviceKey: key });
    await lock.hello();
    const typed = secret('a passcode in a wrong message', '864297531');
    await lock.publish('events', {
      epoch: 'e',
      events: [
        { seq: 1, type: 'passcode-unlock', credential: typed },
        { seq: 'x', credential: card.cardNumber },
      ],
    });
    await lock.publish('state', `passcode ${typed}`);
    await lock.publish('reply', { id: 'unknown', ok: false, error: 'failed', message: `passcode ${typed}` });
    await lock.publish(`latchd/v1/${issued.body.deviceId}/command/${card.cardNumber}`, typed).catch(() => undefined);
    await lock.end();

    // Logins that fail.
    await refusedLogin('a wrong key', issued.body.deviceId);
    await refusedLogin('a key of nobody', '02cc00000009');
    // The password in the place of the name, as a hurried person configures it.
    await expect(connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: key, deviceKey: issued.body.deviceId })).rejects.toThrow();
    await refusedLogin('a key to who does not trust the authority', issued.body.deviceId, mqttsUrl);
    await garbage('a password in a broken packet');
    const wrong = secret('a wrong token', `latchd_${randomBytes(32).toString('base64url')}`);
    expect((await site.api('GET', '/api/v1/lock/list', { token: wrong, query: { pageSize: 10 } })).status).toBe(401);
    const signIn = await site.api('POST', '/api/v1/session', { body: { token } });
    const [, held = ''] = /=([^;]+)/.exec(signIn.headers.get('set-cookie') ?? '') ?? [];
    const cookie = `latchd=${secret('a sign-in', held)}`;
    expect((await site.api('GET', '/api/v1/session', { token: '', headers: { cookie } })).status).toBe(200);
    await site.api('POST', '/api/v1/session', { body: { token: wrong } });
    await site.api('GET', '/api/v1/session', { token: '', headers: { cookie: `latchd=${secret('a wrong sign-in', `x${held}`)}` } });
    await site.api('DELETE', '/api/v1/session', { token: '', headers: { cookie, 'latchd-console': '1' } });
    const inPath = secret('a token in a path', `latchd_${randomBytes(32).toString('base64url')}`);
    await site.api('GET', `/api/v1/${inPath}/${card.cardNumber}`, { query: { access_token: inPath } });
    await site.api('GET', '/api/v1/lock/state', { query: { lockId, token, access_token: token, cardNumber: card.cardNumber } });
    await site.api('POST', '/api/v1/identity-card/add', { query: { ...card, lockId: 999, cardNumber: `${card.cardNumber}x` } });
    expect((await site.api('POST', '/api/v1/identity-card/add', { query: card })).status).toBe(409);
    await site.api('POST', `${gateway}/locks`, {
      body: { lockMac: 'x', noKeyPwd: secret('a passcode in a wrong body', '13579086421'), lockName: 1 },
    });

    // Pairing: keys that devices bring along.
    await site.api('POST', `${gateway}/pairing`, { body: { seconds: 300 } });
    const own = secret('a key of a new device', randomBytes(24).toString('base64url'));
    const device = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: '02cc00000004', deviceKey: own }).catch(
      () => undefined,
    );
    await device?.hello().catch(() => undefined);
    const contesting = secret('a contesting key', randomBytes(24).toString('base64url'));
    await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: '02cc00000004', deviceKey: contesting }).catch(() => undefined);
    await site.api('POST', `${gateway}/devices/02cc00000004/confirm`, { body: { lockName: 'Cellar' } });

    said.set('deliveries', JSON.stringify((await site.api('GET', `${hook}/deliveries`)).body));
    await receiver.down();
    const looks = ['webhook list', 'audit list', 'alarm list', 'pair list', 'doctor --http-port 0 --mqtt-port 0'];
    for (const words of looks) await latchd(undefined, ...words.split(' '));

    // What everybody may read, what ends badly, and what the next start says.
    said.set('/metrics', await (await fetch(`${site.gateway.httpUrl}/metrics`)).text());
    said.set('status', JSON.stringify((await site.api('GET', `${gateway}/status`)).body));
    said.set(
      'locks',
      JSON.stringify(
        (await site.api('GET', `${gateway}/locks`, { query: { pageSize: 100 } })).body.list.map(({ noKeyPwd: _, ...shown }) => shown),
      ),
    );
    const first = site.gateway.log;
    await site.kill9();
    await latchd('a token by command without a daemon', 'token', 'create', 'cleaner', '--name', 'tablet');
    await latchd("a lock's key by command without a daemon", 'lock', 'key', String(issued.body.lockId));
    await latchd(undefined, 'verify');
    await site.start();
    await site.restart();
    said.set('the log', [...first, ...site.gateway.log].map((line) => JSON.stringify(line)).join('\n'));

    expect(secrets.size).toBeGreaterThan(20);
    expect(said.get('the log')?.length).toBeGreaterThan(10_000);
    const found = [...said].flatMap(([where, text]) =>
      [...secrets].flatMap(([what, one]) => (text.includes(one) ? [`${what} in ${where}`] : [])),
    );
    expect(found).toEqual([]);
  });
});

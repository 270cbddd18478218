// The daemon on a real broker (mosquitto) beside somebody who plays Home Assistant: what is said when the broker comes and goes, when locks change, and
// when the gateway ends in whatever way. The broker has the rules of the page about Home Assistant.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Aedes } from 'aedes';
import { joinBroker, type Neighbour, type RunningMosquitto, startMosquittoFor } from '../support/mosquitto.ts';
import { openSite, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const page = readFileSync(new URL('../../src/integrations/home-assistant/README.md', import.meta.url), 'utf8');
/** As the page has them, and somebody who sees everything. */
const acl = `${/^ {4}user homeassistant\n(?: {4}.*\n)+/m.exec(page)?.[0].replaceAll(/^ {4}/gm, '')}user watcher\ntopic readwrite #\n`;
const passwords = { latchd: 'the password of latchd', homeassistant: 'that of Home Assistant', watcher: 'of the watcher' };

const folder = mkdtempSync(join(tmpdir(), 'latchd-home-'));
const runs = createRuns();
const endings: (() => unknown)[] = [];
afterAll(async () => {
  await runs.endAll();
  for (const end of endings.reverse()) await end();
  rmSync(folder, { recursive: true });
});

/** A configuration file with these settings below homeAssistant, and alarms that begin after a second. */
function configured(name: string, settings: Readonly<Record<string, unknown>>): string {
  const file = join(folder, `${name}.yaml`);
  const lines = Object.entries({ enabled: true, account: 'home-assistant', ...settings }).map(
    ([member, value]) => `  ${member}: ${JSON.stringify(value)}`,
  );
  const alarms = 'alarms:\n  offlineAfterSeconds: 1\n  endAfterSeconds: 1\n';
  writeFileSync(file, `homeAssistant:\n${lines.join('\n')}\nmetrics:\n  enabled: true\n${alarms}`);
  return file;
}

interface Heard {
  readonly topic: string;
  readonly payload: string;
}

/** Everything that is said on the broker, in order, and what it has retained. */
async function watch(port: number) {
  const heard: Heard[] = [];
  const latest = new Map<string, string>();
  const watcher: Neighbour = await joinBroker(port, { username: 'watcher', password: passwords.watcher });
  await watcher.hear('#', (topic, payload) => {
    heard.push({ topic, payload });
    latest.set(topic, payload);
  });
  return { watcher, heard, latest };
}

interface Status {
  readonly connected: boolean;
  readonly gatewayId: string;
  readonly locks: number;
  readonly lastError: string | null;
}

const statusOf = async (site: Site) => (await site.api('GET', '/api/v1/gateway/status')).body['homeAssistant'] as Status | null;
const alarmsOf = async (site: Site) => (await site.all('/api/v1/gateway/alarms')).map((alarm) => alarm['kind']);

describe('the gateway on the broker of Home Assistant', () => {
  let mosquitto: RunningMosquitto;
  let site: Site;
  let seen: Awaited<ReturnType<typeof watch>>;
  let id = '';
  const status = () => seen.latest.get(`latchd/${id}/status`);
  const configOf = (lockId: number) => seen.latest.get(`homeassistant/device/latchd_${id}_${lockId}/config`);
  const nameOf = (lockId: number) => (JSON.parse(configOf(lockId) || '{}') as { device?: { name?: string } }).device?.name;
  const lockSaid = (lockId: number, what: string) => seen.latest.get(`latchd/${id}/${lockId}/${what}`);
  const role = (lockId: number, how: 'PUT' | 'DELETE') =>
    site.api(how, `/api/v1/gateway/locks/${lockId}/roles/home-assistant`, how === 'PUT' ? { body: { role: 'manager' } } : {});

  beforeAll(async () => {
    mosquitto = await startMosquittoFor({ accounts: { passwords, acl } });
    endings.push(() => mosquitto.end());
    seen = await watch(mosquitto.port);
    endings.push(() => seen.watcher.leave());
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, `${passwords.latchd}\n`);
    const settings = { url: `mqtt://127.0.0.1:${mosquitto.port}`, username: 'latchd', passwordFile, commands: true };
    site = await openSite({ locks: [{}, {}], flags: ['--config', configured('main', settings)] });
    endings.push(() => site.close());
    await until(async () => (await statusOf(site))?.connected === true, 'the gateway is on the broker');
    id = (await statusOf(site))?.gatewayId ?? '';
  });

  test('without its account announces itself alone, and a lock as soon as the account has a role on it', async () => {
    expect(await statusOf(site)).toEqual({ connected: true, gatewayId: id, locks: 0, lastError: null, refused: {} });
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    await until(() => status() === 'online', 'it says that it is online');
    expect(new Set(seen.heard.map(({ topic }) => topic))).toEqual(
      new Set([`homeassistant/device/latchd_${id}/config`, `latchd/${id}/state`, `latchd/${id}/status`]),
    );
    await site.account('home-assistant');
    for (const number of [1, 2]) expect((await role(site.lockId(number), 'PUT')).status).toBe(200);
    for (const number of [1, 2]) await until(() => configOf(site.lockId(number)) !== undefined, `lock ${number} is announced`);
    await until(() => lockSaid(site.lockId(2), 'online') === 'online', 'lock 2 is said to be online');
    expect((await statusOf(site))?.locks).toBe(2);
  });

  test('says on a start of each lock its config first, then its state, and that it is online last', async () => {
    seen.heard.splice(0);
    expect(await site.restart()).toBe(0);
    await until(() => status() === 'online', 'it is online again');
    const said = seen.heard.map(({ topic, payload }) => (topic === `latchd/${id}/status` ? payload : topic));
    const before = said.slice(said.indexOf('offline') + 1, said.indexOf('online'));
    const ofLocks = [1, 2].map((number) => site.lockId(number));
    const both = [
      ...[[`homeassistant/device/latchd_${id}/config`, `latchd/${id}/state`]],
      ...ofLocks.map((lockId) => [`homeassistant/device/latchd_${id}_${lockId}/config`, `latchd/${id}/${lockId}/state`]),
    ];
    for (const [config = '', state = ''] of both) {
      expect(before).toContain(config);
      expect(before.slice(before.indexOf(config))).toContain(state);
    }
  });

  test('the last word of the gateway that this one was restored from is not believed', async () => {
    seen.heard.splice(0);
    await seen.watcher.say(`latchd/${id}/status`, 'offline', { retain: true });
    const said = () => seen.heard.flatMap(({ topic, payload }) => (topic === `latchd/${id}/status` ? [payload] : []));
    await until(() => said().length > 1, 'it contradicts');
    expect(said()).toEqual(['offline', 'online']);
  });

  test('a new name, another role and a removal are seen', async () => {
    const [first, second] = [site.lockId(1), site.lockId(2)];
    await site.api('PUT', `/api/v1/gateway/locks/${first}`, { body: { lockAlias: 'Back door' } });
    await until(() => nameOf(first) === 'Back door', 'the new name is announced');
    await role(first, 'DELETE');
    await until(() => configOf(first) === '' && lockSaid(first, 'state') === '', 'a lock without a role is taken away');
    await role(first, 'PUT');
    await until(() => nameOf(first) === 'Back door', 'it is announced again');
    await site.api('DELETE', `/api/v1/gateway/locks/${second}`);
    await until(() => configOf(second) === '' && lockSaid(second, 'online') === '', 'a removed lock is taken away');
  });

  test('after kill -9 the broker says offline, and the next start takes away what is not announced any more', async () => {
    await site.kill9();
    await until(() => status() === 'offline', 'the broker says that it is offline');
    const orphan = `homeassistant/device/latchd_${id}_999999/config`;
    const other = 'homeassistant/device/latchd_0badcafe_1/config';
    for (const topic of [orphan, other]) await seen.watcher.say(topic, '{}', { retain: true });
    await seen.watcher.say(`latchd/${id}/999999/state`, '{}', { retain: true });
    await site.start();
    await until(() => status() === 'online', 'it is online again');
    await until(() => seen.latest.get(orphan) === '' && lockSaid(999_999, 'state') === '', 'the orphan is taken away');
    expect(seen.latest.get(other)).toBe('{}');
    expect((await statusOf(site))?.gatewayId).toBe(id);
  });

  test('when Home Assistant starts, everything is said again', async () => {
    seen.heard.splice(0);
    const home = await joinBroker(mosquitto.port, { username: 'homeassistant', password: passwords.homeassistant });
    await home.say('homeassistant/status', 'online', { qos: 0 });
    const isSaid = () => seen.heard.some(({ topic, payload }) => topic === `latchd/${id}/status` && payload === 'online');
    await until(isSaid, 'it says everything again');
    expect(seen.heard.some(({ topic }) => topic.endsWith(`_${site.lockId(1)}/config`))).toBe(true);
    await home.leave();
  });

  test('the rules of the page let Home Assistant command and hear, and keep everybody else out', async () => {
    const home = await joinBroker(mosquitto.port, { username: 'homeassistant', password: passwords.homeassistant });
    const heard: string[] = [];
    await home.hear(`latchd/${id}/status`, (_topic, payload) => heard.push(payload));
    await until(() => heard.length > 0, 'Home Assistant hears');
    for (const topic of [`latchd/${id}/1/set`, `latchd/${id}/1/auto-lock/set`]) await home.say(topic, 'x');
    await until(() => lockSaid(1, 'auto-lock/set') === 'x', 'it may publish commands');
    const metrics = async () => (await fetch(`${site.gateway.httpUrl}/metrics`)).text();
    const counted = 'latchd_home_assistant_refused_total{reason="malformed"} 2';
    await until(async () => (await metrics()).includes(counted), 'commands that are none are counted');
    await expect(home.say(`latchd/${id}/status`, 'offline')).rejects.toThrow('Not authorized');
    await home.leave();
    const gateway = await joinBroker(mosquitto.port, { username: 'latchd', password: passwords.latchd });
    await expect(gateway.say('homeassistant/status', 'online')).rejects.toThrow('Not authorized');
    await gateway.leave();
    await expect(joinBroker(mosquitto.port)).rejects.toThrow('Not authorized');
  });

  test('when the broker ends, doors open as ever and it is an alarm; when it is back, everything is said to it anew', async () => {
    await seen.watcher.leave();
    await mosquitto.kill();
    await until(async () => (await statusOf(site))?.connected === false, 'the gateway sees it');
    const lockId = site.lockId(1);
    expect((await site.api('POST', '/api/v1/lock/unlock', { query: { lockId } })).status).toBe(200);
    await until(async () => (await alarmsOf(site)).includes('home-assistant'), 'it is an alarm');
    await site.restart();
    await site.whenOnline(1);
    expect((await site.api('POST', '/api/v1/lock/lock', { query: { lockId } })).status).toBe(200);
    const metrics = await (await fetch(`${site.gateway.httpUrl}/metrics`)).text();
    expect(metrics).toContain('latchd_home_assistant_connected 0');
    await mosquitto.start();
    seen = await watch(mosquitto.port);
    await until(() => status() === 'online', 'it is said to the new broker that it is online');
    expect([nameOf(lockId), lockSaid(lockId, 'online')]).toEqual(['Back door', 'online']);
    await until(async () => !(await alarmsOf(site)).includes('home-assistant'), 'the alarm has ended');
  });

  test('a frozen broker holds up neither a door nor the stop', async () => {
    mosquitto.freeze();
    const lockId = site.lockId(1);
    for (const op of ['unlock', 'lock', 'unlock'])
      expect((await site.api('POST', `/api/v1/lock/${op}`, { query: { lockId } })).body).toEqual({ success: true });
    expect(await site.gateway.stop()).toBe(0);
    mosquitto.thaw();
    await until(() => status() === 'offline', 'the broker says that the gateway is gone');
    await site.start();
    await until(() => status() === 'online', 'it is online again');
  });

  test('a backup has the id, so that a restored gateway is the same one', async () => {
    const archive = join(folder, 'backup.tar.gz');
    expect((await runs.finish(['backup', '--data-dir', site.dataDir, '--to', archive])).exitCode).toBe(0);
    const restored = join(folder, 'restored');
    expect((await runs.finish(['restore', archive, '--data-dir', restored])).exitCode).toBe(0);
    expect(JSON.parse(readFileSync(join(restored, 'gateway.json'), 'utf8'))).toEqual({ schemaVersion: 1, gatewayId: id });
  });
});

describe('a broker that refuses', () => {
  let site: Site | undefined;
  let port = 0;
  let answer: (socket: Socket) => void = () => undefined;
  const passwordFile = join(folder, 'wrong');

  beforeAll(async () => {
    // One port for both, because the configuration names one.
    const server = createServer((socket) => answer(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as { port: number }).port;
    endings.push(() => server.close());
    writeFileSync(passwordFile, 'wrong');
  });

  test.each([
    ['that knows version 3.1.1 alone', 'it does not know version 5 of MQTT'],
    ['that refuses the login', 'it refuses the user name or the password'],
  ])('%s is an alarm at once, and the doctor says so', async (_which, reason) => {
    const aedes = await Aedes.createBroker();
    endings.push(() => new Promise<void>((resolve) => aedes.close(resolve)));
    // CONNACK of version 5: bad user name or password.
    const refuseLogin = (socket: Socket) => void socket.once('data', () => socket.write(Buffer.from([0x20, 3, 0, 0x86, 0])));
    answer = reason.includes('version') ? (socket) => void aedes.handle(socket) : refuseLogin;
    const file = configured('refused', { url: `mqtt://127.0.0.1:${port}`, username: 'latchd', passwordFile });
    if (site === undefined) {
      site = await openSite({ flags: ['--config', file] });
      endings.push(() => site?.close());
    } else await site.restart();
    const { api } = site;
    await until(async () => JSON.stringify((await api('GET', '/api/v1/gateway/alarms')).body).includes(reason), 'it is an alarm');
    expect(await statusOf(site)).toMatchObject({ connected: false, locks: 0, lastError: reason });
    const doctor = await runs.finish(['doctor', '--config', file, '--data-dir', site.dataDir]);
    expect(doctor.stdout).toContain(`the broker of Home Assistant, mqtt://127.0.0.1:${port}: ${reason}`);
  });
});

test('a broker in clear on another machine is warned of by check-config, which says what is wrong with the settings', async () => {
  const inClear = await runs.finish(['check-config', '--config', configured('clear', { url: 'mqtt://192.0.2.1' })]);
  expect([inClear.exitCode, inClear.stderr]).toEqual([
    0,
    expect.stringContaining('warning: homeAssistant.url: what is said to 192.0.2.1 is in clear'),
  ]);
  const here = await runs.finish(['check-config', '--config', configured('here', { url: 'mqtt://127.0.0.1' })]);
  expect([here.exitCode, here.stderr]).toEqual([0, '']);
  const wrong = await runs.finish(['check-config', '--config', configured('wrong', { ca: '/x', username: 'latchd' })]);
  expect(wrong.exitCode).toBe(78);
  for (const sentence of ['username: must come with passwordFile', 'ca: must come with an mqtts url', 'url: must be given'])
    expect(wrong.stderr).toContain(`homeAssistant.${sentence}`);
});

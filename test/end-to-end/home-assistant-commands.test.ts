// Commands over the broker of Home Assistant: which open a door, which do not, and why. A real broker (mosquitto), the real daemon, simulated locks,
// and a raw client that plays Home Assistant, its neighbours, and whoever got at the login. What counts is what went over the wire to the locks.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IClientPublishOptions } from 'mqtt';
import { joinBroker, type Neighbour, type RunningMosquitto, startMosquittoFor } from '../support/mosquitto.ts';
import { openSite, program, type Site, until } from '../support/site.ts';

const maxAgeMs = 5_000;
const codePath = '/api/v1/gateway/home-assistant/code';

interface Refusal {
  readonly lock: number;
  readonly reason: string;
  readonly age_ms?: number;
}

/** By number: of the first the account is manager, of the second operator, of the third nothing. */
const [managed, operated, foreign] = [1, 2, 3] as const;

describe('commands of Home Assistant', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchd-home-'));
  let mosquitto: RunningMosquitto;
  let site: Site;
  let home: Neighbour;
  let gatewayId: string;
  const refusals: Refusal[] = [];
  /** What the locks were sent: `1 unlock`. */
  const sent: string[] = [];

  beforeAll(async () => {
    mosquitto = await startMosquittoFor({ persists: true });
    configure(true);
    site = await openSite({ locks: [{}, {}, {}], flags: ['--config', join(folder, 'latchd.yaml')] });
    site.wire.watch((deviceId, bytes, way) => {
      const number = [managed, operated, foreign].find((one) => site.lock(one).deviceId === deviceId);
      if (way === 'to-lock') for (const [, op] of bytes.matchAll(/"op":"((?:un)?lock|set-auto-lock)"/g)) sent.push(`${number} ${op}`);
    });
    await site.account('home-assistant');
    for (const [number, role] of [
      [managed, 'manager'],
      [operated, 'operator'],
    ] as const)
      await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(number)}/roles/home-assistant`, { body: { role } });
    await whenConnected();
    await joinHome();
  });

  afterAll(async () => {
    await site?.close();
    await home?.leave();
    await mosquitto?.end();
    rmSync(folder, { recursive: true });
  });

  function configure(commands: boolean): void {
    const url = `mqtt://127.0.0.1:${mosquitto.port}`;
    const lines = [
      'homeAssistant:',
      `  { enabled: true, url: "${url}", account: home-assistant, commands: ${commands}, maxAgeMs: ${maxAgeMs} }`,
      'bridges:',
      `  - { name: house, url: "${url}", drivers: [{ kind: discovery }] }`,
    ];
    writeFileSync(join(folder, 'latchd.yaml'), `${lines.join('\n')}\n`);
  }
  const statusOf = async () =>
    (await site.api('GET', '/api/v1/gateway/status')).body['homeAssistant'] as {
      readonly connected: boolean;
      readonly gatewayId: string;
      readonly locks: number;
      readonly refused: Readonly<Record<string, number>>;
    };
  async function whenConnected(): Promise<void> {
    await until(async () => (await statusOf()).connected && (await statusOf()).locks === 2, 'the gateway is connected and has announced');
    gatewayId = (await statusOf()).gatewayId;
  }
  async function joinHome(): Promise<void> {
    home = await joinBroker(mosquitto.port);
    await home.hear(`latchd/${gatewayId}/+/refused`, (topic, payload) => {
      const number = [managed, operated, foreign].find((one) => topic.split('/')[2] === String(site.lockId(one))) ?? 0;
      refusals.push({ lock: number, ...(JSON.parse(payload) as { reason: string; age_ms?: number }) });
    });
  }
  const topicOf = (number: number, kind = 'set') => `latchd/${gatewayId}/${site.lockId(number)}/${kind}`;
  let newest = 0;
  const fresh = (): number => {
    newest = Math.max(Date.now(), newest + 1);
    return newest;
  };
  const unlock = (more: object = {}) => ({ do: 'UNLOCK', at: fresh(), ...more });
  const say = (number: number, payload: object | string, options?: IClientPublishOptions) => home.say(topicOf(number), payload, options);
  const counted = async (): Promise<number> => Object.values((await statusOf()).refused).reduce((sum, count) => sum + count, 0);
  const stateOf = (number: number) => site.lock(number).state;

  /** What was refused, and what was sent to locks, because of this; waits until `count` more are refused. */
  async function resultOf(count: number, send: () => Promise<void>) {
    const before = { sent: sent.length, counted: await counted(), by: (await statusOf()).refused };
    await send();
    await until(async () => (await counted()) >= before.counted + count, `${count} commands were refused`);
    const by = (await statusOf()).refused;
    const more = Object.fromEntries(
      Object.entries(by).flatMap(([reason, now]) => (now === (before.by[reason] ?? 0) ? [] : [[reason, now - (before.by[reason] ?? 0)]])),
    );
    return { counted: more, sent: sent.slice(before.sent) };
  }
  async function close(number: number): Promise<void> {
    await site.api('POST', '/api/v1/lock/lock', { query: { lockId: site.lockId(number) } });
    await until(() => stateOf(number) === 'locked', `lock ${number} is locked`);
  }

  test('a good one opens once and closes once, is that of its account in the records, and what is so already is only noted', async () => {
    const before = sent.length;
    const at = fresh();
    await say(managed, { do: 'UNLOCK', at });
    await until(() => stateOf(managed) === 'unlocked', 'it is unlocked');
    await say(managed, unlock());
    await say(operated, unlock());
    await until(() => stateOf(operated) === 'unlocked', 'the other one is unlocked');
    await say(operated, { do: 'LOCK', at: fresh() });
    await until(() => stateOf(operated) === 'locked', 'it is locked');
    await home.say(topicOf(managed, 'auto-lock/set'), { seconds: 9, at: fresh() });
    await until(() => sent.includes(`${managed} set-auto-lock`), 'the time is set');
    expect(sent.slice(before)).toEqual([`${managed} unlock`, `${operated} unlock`, `${operated} lock`, `${managed} set-auto-lock`]);
    const records = () => site.all('/api/v1/lock/records', { lockId: site.lockId(managed) });
    await until(async () => (await records()).length > 0, 'its record is there');
    expect((await records()).map(({ recordType, username }) => [recordType, username])).toEqual([['unlock by gateway', 'home-assistant']]);
    const audit = async () => (await site.api('GET', '/api/v1/gateway/audit', { query: { username: 'home-assistant' } })).body.list;
    await until(async () => (await audit()).filter(({ outcome }) => outcome !== 'unknown').length === 2, 'the audit log has both');
    expect((await audit()).map(({ action, address, outcome }) => [action, address, outcome]).sort()).toEqual([
      ['lock-auto-lock', 'home-assistant', 'ok'],
      ['unlock', 'home-assistant', 'nothing-to-do'],
    ]);
    await close(managed);
  });

  test('every other one opens nothing, is counted with its reason, and says so where the lock is announced', async () => {
    const at = Date.now() + 1_000;
    await say(managed, { do: 'LOCK', at });
    const old = unlock({ at: Date.now() - maxAgeMs - 1 });
    const attacks: readonly (readonly [reason: string, number: number, payload: object | string, options?: IClientPublishOptions])[] = [
      ['malformed', managed, 'UNLOCK'],
      ['malformed', managed, ''],
      ['malformed', managed, '\u0000\uFFFD{'],
      ['malformed', managed, [unlock()]],
      ['malformed', managed, unlock({ force: true })],
      ['malformed', managed, `{"do":"LOCK","at":${fresh()},"do":"UNLOCK"}`],
      ['malformed', managed, unlock({ code: '1'.repeat(65_536) })],
      ['retained', managed, unlock(), { retain: true }],
      ['no-date', managed, { do: 'UNLOCK' }],
      ['late', managed, old],
      ['late', managed, unlock({ at: Date.now() + 60_000 })],
      ['repeated', managed, { do: 'UNLOCK', at }],
      ['forbidden', foreign, unlock()],
    ];
    const { counted, sent } = await resultOf(attacks.length, async () => {
      for (const [, number, payload, options] of attacks) await say(number, payload, options);
    });
    expect(sent.filter((what) => what !== `${managed} lock`)).toEqual([]);
    expect(counted).toEqual({ malformed: 7, retained: 1, 'no-date': 1, late: 2, repeated: 1, forbidden: 1 });
    await until(() => refusals.length >= attacks.length - 1, 'all but one are published');
    expect(refusals.map(({ lock, reason }) => [reason, lock])).toEqual(attacks.slice(0, -1).map(([reason, number]) => [reason, number]));
    const [older, ahead] = refusals.filter(({ reason }) => reason === 'late').map(({ age_ms }) => age_ms ?? 0);
    expect([(older ?? 0) > maxAgeMs, (ahead ?? 0) < -2_000]).toEqual([true, true]);
    // The retained one is gone from the broker: nobody gets it later.
    const later: string[] = [];
    await home.hear(topicOf(managed), (_topic, payload) => void later.push(payload));
    await say(managed, { do: 'LOCK', at: fresh() });
    await until(() => later.length > 0, 'the broker has sent what it has');
    expect(later.filter((payload) => payload.includes('UNLOCK'))).toEqual([]);
  });

  test('what needs a manager is refused to an operator', async () => {
    const { counted, sent } = await resultOf(2, async () => {
      await home.say(topicOf(operated, 'auto-lock/set'), { seconds: 0, at: fresh() });
      await home.say(topicOf(operated, 'alarm/set'), { do: 'SEEN', at: fresh() });
    });
    expect([counted, sent]).toEqual([{ forbidden: 2 }, []]);
  });

  test('with a code UNLOCK needs it, and after five guesses none opens, not even the right one', async () => {
    const wrong = await site.api('PUT', codePath, { body: { code: '12' } });
    expect([wrong.status, wrong.body['errors']]).toEqual([400, [{ parameter: 'code', message: 'must be 4 to 9 decimal digits' }]]);
    const token = await site.account('nobody');
    expect((await site.api('PUT', codePath, { body: { code: '4711' }, token })).status).toBe(403);
    expect((await site.api('PUT', codePath, { body: { code: '123456789' } })).body).toEqual({ success: true });
    latchd('set', '4711\n');
    expect(await configWith('code_format')).toBe(true);
    // What was promised is on the disk.
    await site.kill9();
    // For whom is away nothing waits: its date would still be good at the next start.
    const before = sent.length;
    await say(operated, unlock({ at: Date.now() + 1_900, code: '4711' }), { qos: 1 });
    await site.start();
    for (const number of [managed, operated, foreign]) await site.whenOnline(number);
    await whenConnected();
    await say(managed, unlock({ code: '4711' }));
    await until(() => stateOf(managed) === 'unlocked', 'the right code opens');
    expect(sent.slice(before)).toEqual([`${managed} unlock`]);
    await close(managed);
    const guesses = await resultOf(8, async () => {
      await say(managed, unlock());
      // One after the other: of more at once the lock is busy.
      for (const [n, code] of ['0000', '1111', '471', '47111', 'code'].entries()) {
        await until(async () => ((await statusOf()).refused['code'] ?? 0) > n, 'the one before is judged');
        await say(managed, unlock({ code }));
      }
      await until(async () => ((await statusOf()).refused['code'] ?? 0) >= 6, 'all guesses are judged');
      await say(managed, unlock({ code: '4711' }));
      await say(operated, unlock({ code: '4711' }));
    });
    expect(guesses).toEqual({ counted: { code: 6, throttled: 2 }, sent: [] });
    latchd('remove');
    expect(await configWith('code_format', false)).toBe(true);
    expect((await site.api('DELETE', codePath)).body).toEqual({ success: true });
    await say(managed, unlock());
    await until(() => stateOf(managed) === 'unlocked', 'without a code it opens again');
    await close(managed);
    const audit = async () => (await site.api('GET', '/api/v1/gateway/audit', { query: { action: 'home-assistant-code' } })).body.list;
    expect((await audit()).map(({ detail, outcome }) => [detail, outcome])).toEqual([
      ['removed', 'ok'],
      ['removed', 'ok'],
      ['set', 'ok'],
      ['set', 'ok'],
      ['set', 'forbidden'],
    ]);
  });

  function latchd(action: 'set' | 'remove', input = ''): void {
    execFileSync(process.execPath, [program, 'home-assistant', 'code', action, '--data-dir', site.dataDir], { input, stdio: 'pipe' });
  }

  /** Whether the newest config of the first lock has this text (or has it no more). */
  async function configWith(text: string, isThere = true): Promise<boolean> {
    let config = '';
    const looker = await joinBroker(mosquitto.port);
    await looker.hear(`homeassistant/device/latchd_${gatewayId}_${site.lockId(managed)}/config`, (_topic, payload) => {
      config = payload;
    });
    await until(() => config !== '' && config.includes(text) === isThere, `the config ${isThere ? 'has' : 'has no'} ${text}`);
    await looker.leave();
    return true;
  }

  test('those that lay unread while the gateway stood still open nothing', async () => {
    const { counted, sent } = await resultOf(6, async () => {
      process.kill(site.gateway.pid, 'SIGSTOP');
      for (const number of [managed, operated]) for (let n = 0; n < 3; n++) await say(number, unlock());
      await new Promise((resolve) => setTimeout(resolve, maxAgeMs + 500));
      process.kill(site.gateway.pid, 'SIGCONT');
    });
    expect([counted, sent]).toEqual([{ late: 6 }, []]);
  });

  test('those from before a restart of a broker that stores everything open nothing, and those after it open once', async () => {
    const before = sent.length;
    const connections = () => site.gateway.log.filter(({ code }) => code === 'home-assistant-connected').length;
    const connectionsBefore = connections();
    process.kill(site.gateway.pid, 'SIGSTOP');
    await say(managed, unlock(), { qos: 2, retain: true });
    // It lies in the socket of the gateway until it is too old.
    await say(operated, unlock(), { qos: 1 });
    await mosquitto.restart();
    await new Promise((resolve) => setTimeout(resolve, maxAgeMs + 500));
    process.kill(site.gateway.pid, 'SIGCONT');
    const thawedAt = performance.now();
    await until(() => connections() > connectionsBefore, 'the gateway is there again');
    await whenConnected();
    await joinHome();
    // Nothing of before is on its way any more, when this has come.
    await say(operated, { do: 'LOCK' });
    await until(() => refusals.at(-1)?.reason === 'no-date', 'the gateway hears commands again');
    expect(sent.slice(before)).toEqual([]);
    await site.whenOnline(managed);
    // For a second after a thaw, what is new cannot be told from what has waited.
    await until(() => performance.now() > thawedAt + 1_100, 'what comes now is new');
    await say(managed, unlock());
    await until(() => stateOf(managed) === 'unlocked', 'it is unlocked');
    expect(sent.slice(before)).toEqual([`${managed} unlock`]);
    await close(managed);
  });

  test('the locks that this gateway announces, or another one like it, are not offered to be registered, and nothing goes round', async () => {
    const announced = async () => (await site.all('/api/v1/gateway/devices')).map(({ name }) => name);
    const components = { lock: { platform: 'lock', unique_id: 'latchd_ffffffff_3_lock', command_topic: 'x/set', state_topic: 'x/state' } };
    const other = { device: { identifiers: ['latchd_ffffffff_3'], name: 'Theirs' }, origin: { name: 'latchd' }, components };
    await home.say('homeassistant/device/latchd_ffffffff_3/config', other, { retain: true });
    await home.say(
      'homeassistant/lock/strike/config',
      { uniq_id: 'strike', name: 'Strike', cmd_t: 's/set', stat_t: 's/state' },
      { retain: true },
    );
    await until(async () => (await announced()).length > 0, 'the lock of somebody else is announced');
    expect(await announced()).toEqual(['Strike']);
    // Somebody registers one all the same.
    const driver = { kind: 'discovery', bridge: 'house', uniqueId: `latchd_${gatewayId}_${site.lockId(managed)}_lock` };
    const { status, body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockName: 'Mirror', driver } });
    expect(status).toBe(201);
    const asked: string[] = [];
    await home.hear(`latchd/${gatewayId}/+/set`, (topic, _payload, { retain }) => void (retain || asked.push(topic)));
    const answer = await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: body.lockId } });
    expect([answer.status, answer.body.code]).toEqual([503, 'lock-offline']);
    await say(managed, unlock());
    await until(() => stateOf(managed) === 'unlocked', 'it is unlocked');
    expect(asked).toEqual([topicOf(managed)]);
    await close(managed);
  });

  test('none is asked for when the configuration does not want any', async () => {
    const filters = (log: string) =>
      [...log.matchAll(/^\d+: \S+ 0 (latchd\/\S+)$/gm)].map(([, filter]) => filter).filter((one) => one?.endsWith('/set'));
    expect(filters(mosquitto.said())).toContain(`latchd/${gatewayId}/+/set`);
    configure(false);
    const before = mosquitto.said().length;
    await site.restart();
    await whenConnected();
    expect(mosquitto.said().slice(before)).toContain('0 homeassistant/status');
    expect(filters(mosquitto.said().slice(before))).toEqual([]);
  });
});

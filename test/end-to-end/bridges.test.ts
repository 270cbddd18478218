// The daemon with a bridge to a real broker (mosquitto), on which somebody plays Zigbee2MQTT: what a caller gets when all is well, and when the
// broker lies, freezes, ends or is not there. Bounds such as 10 seconds are for slow machines only.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Door } from '../../device-sim/devices/device.ts';
import { createDeviceFleet, parseDeviceSpec } from '../../device-sim/devices/device-fleet.ts';
import { joinBroker, type MosquittoOptions, type Neighbour, type RunningMosquitto, startMosquittoFor } from '../support/mosquitto.ts';
import { type Answer, openSite, type Site, type SiteOptions, until } from '../support/site.ts';

const ieee = '0x000d6f0012bc896e';
const features = [
  { name: 'state', property: 'state', access: 7 },
  { name: 'lock_state', property: 'lock_state', access: 1 },
];
const devices = [
  {
    ...{ ieee_address: ieee, friendly_name: 'floor 1/Front Door' },
    definition: { model: 'YRD226HA2619', vendor: 'Yale', exposes: [{ type: 'lock', features }] },
  },
];
const front = 'zigbee2mqtt/floor 1/Front Door';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** For who waits for a time-out. */
const soon: SiteOptions = { flags: ['--command-timeout-ms', '3000'] };

/** A site whose configuration has the bridge `house` to this port. */
async function siteWithBridge(port: number, options: SiteOptions = {}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'latchd-bridges-'));
  endings.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'latchd.yaml');
  const drivers = '[{ kind: zigbee2mqtt }, { kind: discovery }]';
  writeFileSync(file, `bridges:\n  - { name: house, url: "mqtt://127.0.0.1:${port}", drivers: ${drivers} }\n`);
  const site = await openSite({ ...options, flags: ['--config', file, ...(options.flags ?? [])] });
  endings.push(() => site.close());
  return site;
}

async function broker(options?: MosquittoOptions): Promise<RunningMosquitto> {
  const running = await startMosquittoFor(options);
  endings.push(() => running.end());
  return running;
}

/** Plays Zigbee2MQTT without a cache; its lock obeys while `obeys` is true. */
async function playZigbee(port: number) {
  const program: Neighbour = await joinBroker(port);
  endings.push(() => program.leave());
  const heard: { readonly payload: string; readonly expiry: unknown; readonly retain: boolean }[] = [];
  const played = { program, heard, obeys: true, bolt: 'locked' };
  await program.hear('zigbee2mqtt/+/set', (_topic, payload, { properties, retain }) => {
    heard.push({ payload, expiry: (properties as { messageExpiryInterval?: number } | undefined)?.messageExpiryInterval, retain });
    const { state } = JSON.parse(payload) as { state?: string };
    if (!played.obeys || state === undefined) return;
    played.bolt = state === 'LOCK' ? 'locked' : 'unlocked';
    void program.say(front, { action: state.toLowerCase(), action_source_name: 'rf', action_source: 1, action_user: null });
    void program.say(front, { lock_state: played.bolt, state });
  });
  await program.hear('zigbee2mqtt/+/get', () => {
    if (played.obeys) void program.say(front, { lock_state: played.bolt });
  });
  await program.say('zigbee2mqtt/bridge/info', { config: { advanced: { cache_state: false } } }, { retain: true });
  await program.say('zigbee2mqtt/bridge/devices', devices, { retain: true });
  await program.say('zigbee2mqtt/bridge/state', { state: 'online' }, { retain: true });
  return played;
}

async function register(site: Site, driver: object = { kind: 'zigbee2mqtt', bridge: 'house', ieee }): Promise<number> {
  const answer = await site.api('POST', '/api/v1/gateway/locks', { body: { lockName: 'Front Door', driver } });
  expect(answer.status).toBe(201);
  return answer.body.lockId;
}

/** The daemon, a broker, and a simulated program or lock on it, written from the makers' pages alone (device-sim/README.md). */
async function simulated(as: string, driver: object, faults: readonly string[] = [], options: SiteOptions = {}) {
  const { port } = await broker();
  const mqttUrl = `mqtt://127.0.0.1:${port}`;
  const fleet = createDeviceFleet({
    ...{ specs: [parseDeviceSpec(as)], gatewayUrl: '', mqttUrl, token: () => Promise.reject(new Error('nothing is registered here')) },
    ...{ usernames: [], passwords: [], faults, travelMs: 20, reconnect: { minMs: 20, maxMs: 80 } },
  });
  endings.push(() => fleet.stop());
  await fleet.start();
  const site = await siteWithBridge(port, options);
  const lockId = await register(site, driver);
  await whenOnline(site, lockId);
  const door: Door = fleet.door(1).door;
  const recordTypes = async () => (await site.all('/api/v1/lock/records', { lockId })).map(({ recordType }) => recordType);
  return { site, lockId, door, recordTypes };
}

const yale = { kind: 'zigbee2mqtt', bridge: 'house', ieee: '0x000d6f0012bc8961' };
const strike = { kind: 'discovery', bridge: 'house', uniqueId: 'front_door' };

async function whenOnline(site: Site, lockId: number, online = true): Promise<void> {
  const isSo = async () => {
    const { body } = await site.api('GET', '/api/v1/gateway/locks');
    return body.list.some((lock) => lock.lockId === lockId && lock.online === online);
  };
  await until(isSo, `lock ${lockId} is ${online ? 'online' : 'offline'}`);
}

/** Asks again when its turn did not come in time: nothing was sent then. */
async function move(op: 'lock' | 'unlock', site: Site, lockId: number): Promise<Answer> {
  const answer = await site.api('POST', `/api/v1/lock/${op}`, { query: { lockId } });
  return answer.body.code === 'lock-busy' ? move(op, site, lockId) : answer;
}
const unlock = (site: Site, lockId: number) => move('unlock', site, lockId);

describe('a lock behind a bridge', () => {
  test('is registered, unlocked with an expiry and without being retained, and has one record of it', async () => {
    const { port } = await broker();
    const zigbee = await playZigbee(port);
    const site = await siteWithBridge(port);
    const lockId = await register(site);
    await whenOnline(site, lockId);
    const { status, body } = await unlock(site, lockId);
    expect([status, body]).toEqual([200, { success: true }]);
    expect(zigbee.heard).toEqual([{ payload: '{"state":"UNLOCK"}', expiry: expect.any(Number), retain: false }]);
    expect(zigbee.heard[0]?.expiry).toBeLessThanOrEqual(10);
    const records = async () => (await site.all('/api/v1/lock/records', { lockId })).map(({ recordType }) => recordType);
    await until(async () => (await records()).length > 0, 'the unlock has its record');
    await zigbee.program.say(front, { action: 'unlock', action_source_name: 'keypad', action_user: 3 });
    await until(async () => (await records()).length > 1, 'the keypad has its record');
    expect(new Set(await records())).toEqual(new Set(['unlock by gateway', 'unlock by passcode']));
  });

  test('is announced, confirmed by a person, and told of with its bridge', async () => {
    const { port } = await broker();
    await playZigbee(port);
    const site = await siteWithBridge(port);
    const announced = async () => site.all('/api/v1/gateway/devices');
    await until(async () => (await announced()).length > 0, 'the lock is announced');
    const driver = { kind: 'zigbee2mqtt', bridge: 'house', ieee };
    const facts = { name: 'floor 1/Front Door', make: 'Yale', model: 'YRD226HA2619', refused: null, connected: true };
    expect(await announced()).toMatchObject([{ ...facts, deviceId: '02e70059d86b', driver, address: `house: ${front}` }]);
    const confirmed = await site.api('POST', '/api/v1/gateway/devices/02e70059d86b/confirm', { body: { lockName: 'Front Door' } });
    expect([confirmed.status, confirmed.body.deviceId]).toEqual([201, '02e70059d86b']);
    await whenOnline(site, confirmed.body.lockId);
    expect(await announced()).toEqual([]);
    const [bridge] = (await site.api('GET', '/api/v1/gateway/bridges')).body.list;
    const drivers = [
      { kind: 'zigbee2mqtt', base: 'zigbee2mqtt', online: true },
      { kind: 'discovery', prefix: 'homeassistant', online: true },
    ];
    expect(bridge).toMatchObject({ name: 'house', url: `mqtt://127.0.0.1:${port}`, connected: true, reason: '', locks: 1, drivers });
  });

  test('is not opened by what the broker has stored, and events that somebody has stored there are no records', async () => {
    const { port } = await broker();
    const zigbee = await playZigbee(port);
    const site = await siteWithBridge(port, soon);
    zigbee.obeys = false;
    await zigbee.program.say(front, { lock_state: 'unlocked', action: 'unlock', action_source_name: 'rf' }, { retain: true });
    const lockId = await register(site);
    await whenOnline(site, lockId);
    const { status, body } = await unlock(site, lockId);
    expect([status, body.code]).toEqual([504, 'lock-timeout']);
    expect(await site.all('/api/v1/lock/records', { lockId })).toEqual([]);
  });

  test('is offline while the broker is gone, gets nothing that was asked meanwhile, and is back with it', async () => {
    const running = await broker();
    const site = await siteWithBridge(running.port);
    await playZigbee(running.port);
    const lockId = await register(site);
    await whenOnline(site, lockId);
    await running.kill();
    await whenOnline(site, lockId, false);
    const { status, body } = await unlock(site, lockId);
    expect([status, body.code]).toEqual([503, 'lock-offline']);
    await running.start();
    const zigbee = await playZigbee(running.port);
    await whenOnline(site, lockId);
    expect(zigbee.heard).toEqual([]);
    expect((await unlock(site, lockId)).body).toEqual({ success: true });
  });

  test('of a broker that has frozen answers lock-timeout, and is back when it thaws', async () => {
    const running = await broker();
    await playZigbee(running.port);
    const site = await siteWithBridge(running.port, soon);
    const lockId = await register(site);
    await whenOnline(site, lockId);
    // Then nothing that the gateway asks by itself is under way, which would end the connection before.
    await until(async () => (await unlock(site, lockId)).status === 200, 'it is unlocked');
    running.freeze();
    const { status, body } = await move('lock', site, lockId);
    expect([status, body.code]).toEqual([504, 'lock-timeout']);
    await whenOnline(site, lockId, false);
    running.thaw();
    await whenOnline(site, lockId);
  });
});

describe('a simulated Zigbee2MQTT', () => {
  test.each([[['cache-off']], [[]], [['last-seen']], [['cache-off', 'last-seen']]])(
    'with the settings %j unlocks and locks, with one record for each',
    async (faults) => {
      const { site, lockId, door, recordTypes } = await simulated('z2m:1', yale, faults);
      expect((await unlock(site, lockId)).body).toEqual({ success: true });
      expect(door.bolt()).toBe('unlocked');
      expect((await move('lock', site, lockId)).body).toEqual({ success: true });
      expect(door.bolt()).toBe('locked');
      await until(async () => (await recordTypes()).length >= 2, 'both have their records');
      expect((await recordTypes()).sort()).toEqual(['lock by gateway', 'unlock by gateway']);
    },
  );

  test.each([[['refuses', 'last-seen']], [['refuses', 'cache-off']], [['silent']]])(
    'with the faults %j answers lock-timeout and never success, whatever its cache repeats',
    async (faults) => {
      const { site, lockId, door, recordTypes } = await simulated('z2m:1', yale, faults, soon);
      const { status, body } = await unlock(site, lockId);
      expect([status, body.code, door.bolt()]).toEqual([504, 'lock-timeout', 'locked']);
      expect(await recordTypes()).toEqual([]);
    },
  );

  test('whose lock is out of reach answers lock-timeout, and does not open when it is back', async () => {
    const { site, lockId, door } = await simulated('z2m:1', yale, ['cache-off'], soon);
    door.faults.set('away', true);
    const { status, body } = await unlock(site, lockId);
    expect([status, body.code]).toEqual([504, 'lock-timeout']);
    door.faults.set('away', false);
    door.turn();
    await until(() => door.bolt() === 'unlocked', 'it is turned by hand');
    door.turn();
    await until(() => door.bolt() === 'locked', 'and back');
    await whenOnline(site, lockId);
    expect(door.bolt()).toBe('locked');
  });
});

describe('a simulated lock that announces itself', () => {
  test('is unlocked, and refuses as jammed when it says so', async () => {
    const { site, lockId, door, recordTypes } = await simulated('discovery:front_door', strike);
    expect((await unlock(site, lockId)).body).toEqual({ success: true });
    await until(async () => (await recordTypes()).includes('unlock by gateway'), 'the unlock has its record');
    door.faults.set('jam', true);
    const { status, body } = await move('lock', site, lockId);
    expect([status, body]).toEqual([200, { success: false, reason: 'jammed' }]);
  });

  test('is offline while it says so', async () => {
    const { site, lockId, door } = await simulated('discovery:front_door', strike, ['long-keys']);
    door.faults.set('unavailable', true);
    await whenOnline(site, lockId, false);
    expect((await unlock(site, lockId)).body.code).toBe('lock-offline');
  });
});

test('a broker that is not there, or refuses, does not hold up the start', async () => {
  const running = await broker({ login: { username: 'somebody', password: 'else' } });
  const site = await siteWithBridge(running.port);
  await until(async () => site.gateway.log.some(({ code }) => code === 'bridge-away'), 'the log says that the bridge is away');
  const [line] = site.gateway.log.filter(({ code }) => code === 'bridge-away');
  expect(line).toMatchObject({ bridge: 'house', reason: 'it refuses the user name or the password' });
  expect((await site.api('GET', '/healthz', { token: '' }).catch(() => ({ status: 200 }))).status).toBe(200);
});

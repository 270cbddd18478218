// Locks of other makes from the HTTP API to the device and back: the daemon with simulated devices that log in to it (device-sim/README.md).
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Door } from '../../device-sim/devices/device.ts';
import { createDeviceFleet, type DeviceFleet, parseDeviceSpec } from '../../device-sim/devices/device-fleet.ts';
import { type Item, openSite, type Site, until } from '../support/site.ts';

const devices = ['--devices-enabled', 'true', '--devices-port', '0', '--devices-networks', '127.0.0.1'];
let site: Site;
let fleet: DeviceFleet | undefined;

beforeAll(async () => {
  const commandTimeoutMs = ['--command-timeout-ms', '3000'];
  site = await openSite({ flags: [...devices, ...commandTimeoutMs] });
});
afterAll(() => site.close());

afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
  for (const { lockId } of await locks()) await site.api('DELETE', `/api/v1/gateway/locks/${lockId}`);
});

async function locks(): Promise<readonly Item[]> {
  return site.all('/api/v1/gateway/locks');
}

interface Standing {
  readonly lockId: number;
  readonly door: Door;
}

/** The devices log in, registered by the simulator, and the gateway has their locks online. The first comes back. */
async function put(as: string, faults: readonly string[] = []): Promise<Standing> {
  const { httpUrl, token, mqttUrl } = site.gateway;
  fleet = createDeviceFleet({
    ...{ specs: as.split(' ').map(parseDeviceSpec), gatewayUrl: httpUrl, mqttUrl, token: () => Promise.resolve(token) },
    ...{ usernames: [], passwords: [], faults, travelMs: 20, reconnect: { minMs: 20, maxMs: 80 } },
  });
  await fleet.start();
  await until(async () => (await locks()).every(({ online }) => online), `${as} is online`);
  const [lock] = await locks();
  return { door: fleet.door(1).door, lockId: lock?.lockId ?? 0 };
}

function ask(op: 'lock' | 'unlock', lockId: number) {
  return site.api('POST', `/api/v1/lock/${op}`, { query: { lockId } });
}

async function recordsOf(lockId: number): Promise<readonly string[]> {
  const { body } = await site.api('GET', '/api/v1/lock/records', { query: { lockId, pageNo: 1, pageSize: 50 } });
  return body.list.map(({ recordType, keyboardPwd }) => `${recordType} ${keyboardPwd}`.trim()).reverse();
}

const prefix = 'shellyplus1-a8032abe54dc';
const each = [{ make: 'nuki:2BB28570' }, { make: 'nuki-hub:nukihub' }, { make: `shelly:${prefix}` }];

describe.each(each)('a simulated $make at the daemon', ({ make }) => {
  test('registers, unlocks and locks, and leaves one record for each', async () => {
    const { lockId, door } = await put(make);
    const { status, body } = await ask('unlock', lockId);
    expect([status, body]).toMatchObject([200, { success: true }]);
    expect(door.bolt()).toBe('unlocked');
    expect((await ask('lock', lockId)).body).toMatchObject({ success: true });
    expect(door.bolt()).toBe('locked');
    await until(async () => (await recordsOf(lockId)).length >= 2, 'both records are there');
    expect(await recordsOf(lockId)).toEqual(['unlock by gateway', 'lock by gateway']);
  });

  test('that does not answer is lost for this command, back soon, and opens nothing late', async () => {
    const { lockId, door } = await put(make);
    door.faults.set('silent', true);
    expect((await ask('unlock', lockId)).status).toBe(504);
    door.faults.set('silent', false);
    await until(async () => (await locks()).every(({ online }) => online), 'it is back');
    expect(door.bolt()).toBe('locked');
    expect((await ask('unlock', lockId)).body).toMatchObject({ success: true });
  });

  test('that says what it must not stays where it is', async () => {
    const { lockId, door } = await put(make, [
      'foreign',
      'half-json',
      'other-prefix',
      'will-elsewhere',
      'persistent-session',
      'keep-alive-0',
    ]);
    expect((await ask('unlock', lockId)).body).toMatchObject({ success: true });
    expect(door.bolt()).toBe('unlocked');
  });

  test('that floods or says too much hurts only itself, and is back afterwards', async () => {
    const { lockId, door } = await put(`${make} shelly:other`);
    const list = await locks();
    door.faults.set('large', true);
    door.faults.set('flood', true);
    expect((await ask('unlock', list[1]?.lockId ?? 0)).body).toMatchObject({ success: true });
    door.faults.set('large', false);
    door.faults.set('flood', false);
    await until(async () => (await locks()).every(({ online }) => online), 'it is back');
    expect((await ask('unlock', lockId)).body).toMatchObject({ success: true });
  });
});

describe('what only one make does', () => {
  test('a Nuki says why it does not, and a record says whose code it was', async () => {
    const { lockId, door } = await put('nuki:2BB28570');
    for (const [fault, reason] of [
      ['jam', 'jammed'],
      ['actions-refused', 'remote-not-allowed'],
      ['weak-motor', 'low-battery'],
      ['uncalibrated', 'not-calibrated'],
    ] as const) {
      door.faults.set(fault, true);
      expect((await ask('unlock', lockId)).body).toEqual({ success: false, reason });
      door.faults.set(fault, false);
    }
    door.enterCode('589472');
    await until(async () => (await recordsOf(lockId)).some((record) => /passcode/.test(record)), 'the code is recorded');
    expect(await recordsOf(lockId)).toContain('unlock by passcode code 12345');
  });

  test('nuki_hub tells each entry of its log once, also when it says it twice or leaves it out', async () => {
    const { lockId, door } = await put('nuki-hub:logged', ['duplicate-log']);
    door.turn();
    await until(() => door.bolt() === 'unlocked', 'it has turned');
    door.faults.set('skipped-index', true);
    door.turn();
    await until(async () => (await recordsOf(lockId)).length >= 2, 'what was left out is filled in from the whole log');
    door.faults.set('skipped-index', false);
    expect(await recordsOf(lockId)).toEqual(['unlock from inside', 'lock from inside']);
  });

  test('a Shelly that opens at power-up gets no command, and its capabilities warn', async () => {
    const { lockId, door } = await put(`shelly:${prefix}`, ['powers-up-restore']);
    expect((await ask('unlock', lockId)).body).toEqual({ success: false, reason: 'failed' });
    expect(door.bolt()).toBe('locked');
    expect((await locks())[0]?.['capabilities']).toMatchObject({ warnings: ['power-up-state'] });
  });

  test('a Shelly ends its pulse itself, and the gateway hears of it', async () => {
    const { lockId, door } = await put(`shelly:${prefix}`);
    await ask('unlock', lockId);
    await until(() => door.bolt() === 'locked', 'the pulse is over');
    const isLocked = async () => (await site.api('GET', '/api/v1/lock/state', { query: { lockId } })).body['state'] === 'locked';
    await until(isLocked, 'the gateway knows');
  });
});

// Passcodes on locks of other makes: wanted by a grant or by somebody, brought to the lock when it can take them, missed when somebody removes them
// there. Through the real daemon, with the simulated devices; Zigbee2MQTT on a real broker (mosquitto).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { Door } from '../../device-sim/devices/device.ts';
import { createDeviceFleet, parseDeviceSpec } from '../../device-sim/devices/device-fleet.ts';
import { startMosquittoFor } from '../support/mosquitto.ts';
import { openSite, type Site, until } from '../support/site.ts';

const access = '/api/v1/access';
/** What the keypad of a Nuki takes. */
const takenByNuki = /^(?!12)[1-9]{6}$/;
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Standing {
  readonly site: Site;
  readonly lockId: number;
  readonly door: Door;
}

async function started(spec: string, gatewayUrl: string, mqttUrl: string, token: string): Promise<Door> {
  const fleet = createDeviceFleet({
    ...{ specs: [parseDeviceSpec(spec)], gatewayUrl, mqttUrl, token: () => Promise.resolve(token) },
    ...{ usernames: [], passwords: [], faults: ['cache-off'].filter(() => spec.startsWith('z2m')), travelMs: 20 },
    reconnect: { minMs: 20, maxMs: 80 },
  });
  endings.push(() => fleet.stop());
  await fleet.start();
  return fleet.door(1).door;
}

/** The only lock of the gateway. */
async function whenOnline(site: Site): Promise<number> {
  const locks = async () => site.all('/api/v1/gateway/locks');
  await until(async () => (await locks()).some(({ online }) => online), 'the lock is online');
  return (await locks())[0]?.lockId ?? 0;
}

async function nukiHub(): Promise<Standing> {
  const site = await openSite({ flags: ['--devices-enabled', 'true', '--devices-port', '0', '--devices-networks', '127.0.0.1'] });
  endings.push(() => site.close());
  const { httpUrl, mqttUrl, token } = site.gateway;
  const door = await started('nuki-hub:nukihub', httpUrl, mqttUrl, token);
  return { site, door, lockId: await whenOnline(site) };
}

async function zigbee2mqtt(): Promise<Standing> {
  const broker = await startMosquittoFor();
  endings.push(() => broker.end());
  const mqttUrl = `mqtt://127.0.0.1:${broker.port}`;
  const door = await started('z2m:1', '', mqttUrl, '');
  const folder = mkdtempSync(join(tmpdir(), 'latchd-passcodes-'));
  endings.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'latchd.yaml');
  writeFileSync(file, `bridges:\n  - { name: house, url: "${mqttUrl}", drivers: [{ kind: zigbee2mqtt }] }\n`);
  const site = await openSite({ flags: ['--config', file] });
  endings.push(() => site.close());
  const driver = { kind: 'zigbee2mqtt', bridge: 'house', ieee: '0x000d6f0012bc8961' };
  const { status } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockName: 'Front Door', driver } });
  expect(status).toBe(201);
  return { site, door, lockId: await whenOnline(site) };
}

/** A person has this code, which the gateway has made. */
async function madeCode(site: Site): Promise<{ readonly code: string; readonly name: string }> {
  for (let tries = 1; ; tries++) {
    const name = `code ${tries}`;
    const body = { name: 'Jan', credentials: [{ kind: 'passcode', name }], grants: [] };
    const answer = await site.api('PUT', `${access}/people/external/G-1`, { body });
    const [{ passcode: code }] = answer.body['credentials'] as unknown as [{ readonly passcode: string }];
    if (takenByNuki.test(code)) return { code, name };
  }
}

test.each([
  ['nuki_hub', nukiHub],
  ['Zigbee2MQTT', zigbee2mqtt],
])(
  'behind %s are put and taken off as people decide, and stay away when somebody removes them at the lock',
  async (_make, put) => {
    const { site, lockId, door } = await put();
    const entries = async () => (await site.all(`${access}/locks/${lockId}/entries`)).map(({ status, kind }) => `${kind} ${status}`);
    const isStatus = (status: string) => until(async () => (await entries()).join() === `passcode ${status}`, `it is ${status}`, 60_000);
    const check = () => site.api('POST', `${access}/locks/${lockId}/check`);
    const alarms = async () => (await site.all('/api/v1/gateway/alarms')).map(({ kind }) => kind);

    const { code, name } = await madeCode(site);
    const opens = () => door.enterCode(code) === 'done';
    const guest = { name: 'Jan', credentials: [{ kind: 'passcode', name }], grants: [{ lockIds: [lockId] }] };
    expect((await site.api('PUT', `${access}/people/external/G-1`, { body: guest })).status).toBe(200);
    await isStatus('on-lock');
    expect(opens()).toBe(true);

    door.faults.set('codes-removed', true);
    expect((await check()).body).toMatchObject({ same: 0, missing: 1, extraneous: 0 });
    expect(await alarms()).toContain('credentials-differ');
    expect([(await check()).body['missing'], opens()]).toEqual([1, false]);
    const [entry] = await site.all(`${access}/locks/${lockId}/entries`);
    const restore = { entryId: entry?.['entryId'], do: 'restore' };
    expect((await site.api('POST', `${access}/locks/${lockId}/settle`, { body: restore })).status).toBe(200);
    await isStatus('on-lock');
    expect(opens()).toBe(true);

    expect((await site.api('PUT', `${access}/people/external/G-1`, { body: { ...guest, grants: [] } })).status).toBe(200);
    await until(async () => (await entries()).length === 0, 'it is off the lock', 60_000);
    expect(opens()).toBe(false);

    const query = { lockId, keyboardPwd: code, keyboardPwdType: 2, addType: 2, queue: 1 };
    const queued = await site.api('POST', '/api/v1/passcode/add', { query });
    expect(queued.status).toBe(200);
    await isStatus('on-lock');
    expect(opens()).toBe(true);
    const { keyboardPwdId } = queued.body;
    const removed = await site.api('DELETE', '/api/v1/passcode/delete', { query: { lockId, keyboardPwdId, deleteType: 2, queue: 1 } });
    expect(removed.status).toBe(200);
    await until(async () => (await entries()).length === 0, 'it is gone', 60_000);
    expect(opens()).toBe(false);
  },
  240_000,
);

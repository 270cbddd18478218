// Locks of other makes on the command line, by the running daemon: latchd lock register --driver, lock key, capture and doctor (HTTP API 8.10).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDeviceFleet, type DeviceFleet, parseDeviceSpec } from '../../device-sim/devices/device-fleet.ts';
import { openSite, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const runs = createRuns();
let site: Site;
let fleet: DeviceFleet | undefined;

beforeAll(async () => {
  site = await openSite({ flags: ['--devices-enabled', 'true', '--devices-port', '0', '--devices-networks', '127.0.0.1'] });
});
afterAll(async () => {
  await fleet?.stop();
  await runs.endAll();
  await site?.close();
});

const latchd = (...args: string[]) => runs.finish([...args, '--data-dir', site.dataDir]);
const refused = (sentence: RegExp) => ({ exitCode: 1, stdout: '', stderr: expect.stringMatching(sentence) });

/** The lines that the command prints for a person who types them into the app of a device. */
const login = (username: string) =>
  new RegExp(`^host {7}127\\.0\\.0\\.1\\nport {7}\\d+\\nuser name {2}${username}\\npassword {3}[A-Za-z0-9]{20}\\n$`);

describe('a lock of another make', () => {
  test('is registered by kind and address; what to type into its app is printed once, as JSON with --json', async () => {
    const told = await latchd('lock', 'register', '--driver', 'nuki-hub:upstairs/hub', '--set', 'unlock=unlatch', '--name', 'Attic');
    expect(told.stderr).toMatch(
      /^lock \d+ was registered, its administrator is admin; type this into the MQTT settings of the device, shown this once:\n$/,
    );
    expect([told.exitCode, told.stdout]).toEqual([0, expect.stringMatching(login('nuki-hub-[0-9a-f]{10}'))]);
    const answer = await latchd(
      'lock',
      'register',
      '--driver',
      'shelly:shellyplus1-a8032abe54dc',
      '--set',
      'contact=1',
      '--name',
      'Gate',
      '--json',
    );
    expect(JSON.parse(answer.stdout)).toEqual({
      ...{ lockId: expect.any(Number), deviceId: expect.stringMatching(/^02[0-9a-f]{10}$/) },
      mqtt: { host: '127.0.0.1', port: expect.any(Number), tlsPort: null, username: expect.any(String), password: expect.any(String) },
    });
    const { body } = await site.api('GET', '/api/v1/gateway/locks', { query: { pageSize: 10 } });
    expect(body.list.map(({ driver }) => driver)).toEqual([
      { kind: 'nuki-hub', base: 'upstairs/hub', unlock: 'unlatch' },
      { kind: 'shelly', prefix: 'shellyplus1-a8032abe54dc', switch: 0, pulseSeconds: 3, contact: 1 },
    ]);
  });

  test('is refused in the words of the command line', async () => {
    const register = (...args: string[]) => latchd('lock', 'register', '--name', 'x', ...args);
    expect(await register('--driver', 'nuki:7', '--set', 'unlock=wide')).toEqual(
      refused(/^latchd: --driver must be the 8 hex digits .*; --set unlock must be unlock or unlatch\n$/),
    );
    expect(await register('--driver', 'nuki:2BB28570', '--set', 'speed=9')).toEqual(refused(/^latchd: --set speed is not known\n$/));
    expect(await register('--driver', 'knob:7')).toEqual(refused(/it must begin with one of nuki, /));
    expect(await register('--driver', 'zigbee2mqtt:house/0x000d6f0012bc896e')).toEqual(refused(/^latchd: --driver .*bridge/));
    expect(await register()).toEqual(refused(/^latchd: <mac> is required\n$/));
    expect(await register('--set', 'unlock=unlatch', '02:CC:00:00:00:11')).toEqual(refused(/--set is for a lock with a --driver/));
  });

  test('gets another login by lock key', async () => {
    const [lock] = await site.all('/api/v1/gateway/locks');
    const { exitCode, stdout } = await latchd('lock', 'key', String(lock?.lockId));
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(login('nuki-hub-[0-9a-f]{10}'))]);
  });

  test('is looked on at: its login without the password, and what it and the gateway say, as it is said', async () => {
    const registered = JSON.parse((await latchd('lock', 'register', '--driver', 'nuki:2BB28570', '--name', 'Nuki', '--json')).stdout);
    const { host, port, username, password } = registered.mqtt;
    const { lockId } = registered;
    fleet = createDeviceFleet({
      ...{ specs: [parseDeviceSpec('nuki:2BB28570')], mqttUrl: `mqtt://${host}:${port}`, usernames: [username], passwords: [password] },
      ...{ gatewayUrl: site.gateway.httpUrl, token: () => Promise.resolve(site.gateway.token), faults: [] },
      ...{ travelMs: 20, reconnect: { minMs: 20, maxMs: 80 } },
    });
    await fleet.start();
    const isOnline = async () => (await site.all('/api/v1/gateway/locks')).some((lock) => lock.lockId === lockId && lock.online);
    await until(isOnline, 'it is online');
    const capture = runs.begin(['capture', '--driver', 'nuki', '--lock', String(lockId), '--seconds', '60', '--data-dir', site.dataDir]);
    await until(async () => {
      await site.api('POST', '/api/v1/lock/unlock', { query: { lockId } });
      await site.api('POST', '/api/v1/lock/lock', { query: { lockId } });
      // The capture may begin between a command and what came of it.
      return /lockAction"[^\n]*"payload":"1"/.test(capture.stdout()) && capture.stdout().includes('"payload":"3"');
    }, 'an unlock is seen');
    // Its session ends when it is spoken to in another way: it logs in again.
    await site.api('PUT', `/api/v1/gateway/locks/${lockId}`, { body: { driver: { kind: 'nuki', nukiId: '2BB28570', unlock: 'unlatch' } } });
    await until(() => capture.stdout().includes('"connect"'), 'its login is seen');
    capture.signal('SIGINT');
    expect(await capture.ended).toBe(0);
    const stdout = capture.stdout();
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.find((line) => 'connect' in line)).toEqual({
      ...{ t: expect.any(Number), from: 'device' },
      connect: { clientId: expect.any(String), keepAlive: expect.any(Number), clean: expect.any(Boolean), will: expect.anything() },
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ from: 'gateway', topic: 'nuki/2BB28570/lockAction', payload: '1', retain: false }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ from: 'device', topic: 'nuki/2BB28570/state', payload: '3' }));
    expect(stdout).not.toContain(password);
    expect(await latchd('capture', '--driver', 'nuki', '--seconds', '3601')).toEqual(
      refused(/^latchd: --seconds must be between 1 and 3600\n$/),
    );
  });

  test('is in what the doctor says', async () => {
    const settings = ['--devices-enabled', 'true', '--devices-port', '0', '--devices-networks', '127.0.0.1'];
    const { stdout } = await runs.finish(['doctor', '--json', '--data-dir', site.dataDir, ...settings]);
    const { findings } = JSON.parse(stdout);
    expect(findings).toContainEqual({ check: 'devices', verdict: 'ok', seen: 'devices of 127.0.0.1 may log in' });
  });
});

test('without a daemon a lock of another make is not registered, and nothing is looked on at', async () => {
  await fleet?.stop();
  await site.kill9();
  const nobody = refused(/^latchd: no latchd is running on /);
  expect(await latchd('lock', 'register', '--driver', 'nuki:2BB28571', '--name', 'y', '--administrator', 'admin')).toEqual(nobody);
  expect(await latchd('capture', '--driver', 'nuki', '--seconds', '1')).toEqual(nobody);
});

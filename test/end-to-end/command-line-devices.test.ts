// latchd hub and latchd pair: hubs with and without a daemon, pairing by the running daemon alone (HTTP API 8.2 and 8.3, Protocol 7 and 8).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';
import { connectHandLock } from '../support/site-lock.ts';
import { createRuns } from '../support/site-process.ts';

const runs = createRuns();
let site: Site;

beforeAll(async () => {
  site = await openSite({ locks: [{}], pair: true });
});
afterAll(async () => {
  await runs.endAll();
  await site?.close();
});

const latchd = (...args: string[]) => runs.finish([...args, '--data-dir', site.dataDir]);

async function json(...args: string[]) {
  const { exitCode, stdout } = await latchd(...args, '--json');
  expect(exitCode).toBe(0);
  return JSON.parse(stdout);
}

const refused = (sentence: RegExp) => ({ exitCode: 1, stdout: '', stderr: expect.stringMatching(sentence) });

/** The same story with and without a daemon; `number` keeps the two apart. */
async function managesHubs(number: number): Promise<{ readonly deviceId: string; readonly deviceKey: string }> {
  const deviceId = `02bb0000000${number}`;
  const registered = await latchd('hub', 'register', `02:BB:00:00:00:0${number}`, '--name', 'Stairwell');
  expect([registered.stdout, registered.stderr]).toEqual([
    expect.stringMatching(/^[\w-]{32}\n$/),
    `the hub was registered; it logs in as ${deviceId} with this key, shown this once:\n`,
  ]);
  expect((await json('hub', 'list')).at(-1)).toMatchObject({ deviceId, name: 'Stairwell', online: false, locks: 0 });
  const { stdout } = await latchd('hub', 'list');
  expect(stdout).toMatch(/^hub +name +MAC address +online +locks +registered\n/);

  const lock = await json('lock', 'register', `02:CC:00:00:00:1${number}`, '--name', 'Archive', '--hub', deviceId);
  expect(lock.lockId).toBeGreaterThan(0);
  expect(await latchd('hub', 'remove', deviceId)).toEqual(refused(/^latchd: there are locks bound to this hub \(1\); /));
  expect(await latchd('hub', 'register', 'stairwell', '--name', 'x')).toEqual(refused(/^latchd: <mac> must be a MAC address such as /));
  expect(await latchd('hub', 'key', '02bb0000ffff')).toEqual(
    refused(/^latchd: there is no hub 02bb0000ffff: "latchd hub list" shows what there is\n$/),
  );
  const key = await json('hub', 'key', deviceId);
  expect(key).toEqual({ deviceId, deviceKey: expect.any(String) });
  expect(key.deviceKey).not.toBe(registered.stdout.trim());

  await latchd('hub', 'register', `02:BB:00:00:01:0${number}`, '--name', 'spare');
  expect(await latchd('hub', 'remove', `02bb0000010${number}`)).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `the hub 02bb0000010${number} is refused from now on\n`,
  });
  return key;
}

describe('latchd hub', () => {
  test('while the daemon runs: its keys open a connection at once', async () => {
    const hub = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, ...(await managesHubs(1)) });
    expect((await json('hub', 'list')).find(({ deviceId }: { deviceId: string }) => deviceId === '02bb00000001')).toMatchObject({
      online: true,
      locks: 1,
    });
    await hub.end();
  });

  test('while no daemon runs: the same, on the data directory, and the daemon knows it when it is back', async () => {
    await site.gateway.stop();
    const key = await managesHubs(2);
    await site.start();
    const hub = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, ...key });
    await hub.end();
  });
});

describe('latchd pair', () => {
  test('from a closed pairing to an open door, by the command line alone', async () => {
    expect((await latchd('pair', 'list')).stderr).toBe('pairing is closed: "latchd pair open" opens it\n');
    expect((await latchd('pair', 'open', '--seconds', '5')).stderr).toBe('latchd: --seconds must be between 30 and 900\n');
    expect(await json('pair', 'open')).toEqual({ closeDate: expect.any(Number) });
    const lock = site.lock(1);
    await until(() => lock.waiting, 'it waits');
    const [device] = await json('pair', 'list');
    expect(device).toMatchObject({ lockMac: lock.mac, contested: false, replaces: null });
    expect((await latchd('pair', 'list')).stdout).toMatch(
      new RegExp(`^device .* remark\\n${lock.mac} +${lock.keyFingerprint} +- +SN-9 +127.0.0.1 +yes .* new: confirm it with a --name\\n$`),
    );

    const confirm = (fingerprint: string, ...more: string[]) => latchd('pair', 'confirm', lock.mac, '--fingerprint', fingerprint, ...more);
    expect(await confirm('0000-0000-0000-0000', '--name', 'Cellar')).toEqual(
      refused(/does not wait with the key 0000-0000-0000-0000 any more\n$/),
    );
    expect(await confirm(device.keyFingerprint)).toEqual(refused(/^latchd: --name is required\n$/));
    expect(await confirm(device.keyFingerprint, '--name', 'Cellar')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/ is lock \d+: within seconds it is back as that\n$/),
    });
    await lock.whenOnline();
    expect((await json('lock', 'list')).at(-1)).toMatchObject({ lockName: 'Cellar', administrator: 'admin', online: true });
    expect(await latchd('pair', 'close')).toMatchObject({ exitCode: 0, stderr: 'pairing is closed; who was not confirmed is forgotten\n' });
  });

  test('of two devices that claim the same address only a person can tell which is the lock', async () => {
    await latchd('pair', 'open');
    const deviceId = '02cc00000021';
    const first = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId, deviceKey: 'A'.repeat(32) });
    await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId, deviceKey: 'B'.repeat(32) });
    expect((await latchd('pair', 'list')).stdout.split('more than one claims to be this one')).toHaveLength(3);
    await latchd('pair', 'close');
    await first.ended;
  });

  test('without a daemon nobody can wait, and every one of its commands says what to do', async () => {
    await site.gateway.stop();
    const confirm = ['pair', 'confirm', '02:CC:00:00:00:21', '--fingerprint', '9f86-d081-884c-7d65'];
    for (const args of [['pair', 'open'], ['pair', 'list'], ['pair', 'close'], confirm]) {
      expect(await latchd(...args)).toEqual(refused(/^latchd: no latchd is running on .*, and this needs it: start it first \(.*\)\n$/));
    }
  });
});

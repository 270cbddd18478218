// The watchdog through the real daemon: systemd hears of it while it answers, and not a word more once its broker hangs.
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hangingBroker, preload } from '../support/preload.ts';
import { openSite, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const runs = createRuns();
let folder: string;
let site: Site;

/** The environment of a daemon whose systemd-notify writes down, in a file of this name, what it is to say. */
async function watched(name: string): Promise<Record<string, string>> {
  const bin = join(folder, `bin-${name}`);
  await mkdir(bin);
  await writeFile(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$*" >>${join(folder, name)}\n`);
  await chmod(join(bin, 'systemd-notify'), 0o755);
  return { PATH: `${bin}:${process.env['PATH']}`, NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '200000' };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-watchdog-'));
  site = await openSite({
    flags: ['--mqtts-enabled', 'true', '--mqtts-host', '127.0.0.1', '--mqtts-port', '0', '--discovery-enabled', 'false'],
    environment: {
      ...(await watched('said')),
      ...(await preload(folder, hangingBroker)),
    },
  });
});
afterAll(async () => {
  await runs.endAll();
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

const said = async (name = 'said'): Promise<readonly string[]> => (await readFile(join(folder, name), 'utf8')).trim().split('\n');
/** What a container's health check says of the gateway. */
const health = (dataDir = site.dataDir) => runs.finish(['health', '--data-dir', dataDir]);
const fed = async (name?: string): Promise<number> => (await said(name)).filter((line) => line.includes('WATCHDOG=1')).length;

test('the watchdog is fed while http, mqtt and mqtts answer, no longer when the broker hangs, and again when it is back; nothing of it is in the log', async () => {
  // Over a database it is ready to be asked before it serves, and says that it serves at its next look.
  expect((await said())[0]).toMatch(/^READY=1 STATUS=(serving http|starting|waiting)/);
  const isServing = (line: string) => /STATUS=serving http .*, mqtt .*, mqtts /.test(line);
  await until(async () => (await said()).some(isServing), 'the status says where it serves');
  await until(async () => (await fed()) > 8, 'it is fed');
  // A machine that is busy with other work may let the process wait: it says so, and that has nothing to do with the watchdog.
  expect(site.gateway.log.filter(({ level, code }) => level !== 'info' && code !== 'stood-still')).toEqual([]);
  const { body } = await site.api('GET', '/api/v1/gateway/status');
  expect(body['broker']).toMatchObject({
    refusedConnections: {},
    protocolErrors: 0,
    failedHandshakes: 0,
    refusedFrames: {},
    slowedNetworks: 0,
  });

  expect(await health()).toEqual({ exitCode: 0, stdout: '', stderr: 'everything answers\n' });
  process.kill(site.gateway.pid, 'SIGUSR2');
  const silence = 'mqtt does not answer: no answer within 5 s; mqtts does not answer: no answer within 5 s';
  await until(async () => (await said()).at(-1) === `STATUS=${silence}`, 'the status says what hangs');
  await until(() => site.gateway.log.some(({ code }) => code === 'watchdog-hungry'), 'the log says so, too');
  expect(site.gateway.log).toContainEqual(expect.objectContaining({ code: 'watchdog-hungry', level: 'error', reason: silence }));
  expect(await health()).toEqual({ exitCode: 1, stdout: '', stderr: `latchd: ${silence}\n` });
  const before = await fed();
  expect((await fetch(`${site.gateway.httpUrl}/healthz`)).status).toBe(200);
  // The next check has begun by now, and would have fed it.
  process.kill(site.gateway.pid, 'SIGUSR2');
  await until(async () => (await fed()) > before, 'it is fed again');
  await until(() => site.gateway.log.some(({ code }) => code === 'watchdog-fed'), 'and the log says so');
});

test('latchd health fails where no daemon runs', async () => {
  expect(await health(join(folder, 'nobody'))).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('no latchd is running'),
  });
});

test('the watchdog is fed while a lock has the only slot, and its own check finds none', async () => {
  const config = join(folder, 'latchd.yaml');
  await writeFile(config, 'mqtt: { connectionsPerAddress: 1 }\n');
  const full = await openSite({
    locks: [{}],
    flags: ['--config', config, '--discovery-enabled', 'false'],
    environment: await watched('full'),
  });
  try {
    await until(async () => (await fed('full')) > 8, 'it is fed');
    const { body } = await full.api('GET', '/api/v1/gateway/status');
    expect(body).toMatchObject({ online: 1, broker: { refusedFrames: { 'too-many-from-address': expect.any(Number) } } });
    expect(full.gateway.log.filter(({ code }) => code === 'watchdog-hungry')).toEqual([]);
  } finally {
    await full.close();
  }
});

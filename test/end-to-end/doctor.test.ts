// latchd doctor as it is typed: beside a daemon, without one, and what it makes of one that hangs.
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Finding } from '../../src/admin/doctor/examine.ts';
import { openSite, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const runs = createRuns();
let site: Site;

beforeAll(async () => {
  site = await openSite({ locks: [{}] });
  // What the daemon writes of the lock's coming is stored.
  const accessLines = async () =>
    [...(await site.allStored())].flatMap(([name, text]) => (name.startsWith('access') ? [text] : [])).join('');
  await until(async () => (await accessLines()).includes('"what":"clock"'), 'the clock of the lock is known');
});
afterAll(async () => {
  await runs.endAll();
  await site?.close();
});

const doctor = (args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) =>
  runs.finish(['doctor', '--data-dir', site.dataDir, '--http-port', '0', '--mqtt-port', '0', ...args], environment);

async function findings(args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) {
  const { exitCode, stdout } = await doctor([...args, '--json'], environment);
  const answer = JSON.parse(stdout) as { readonly ok: boolean; readonly findings: readonly Finding[] };
  expect(answer.ok).toBe(exitCode === 0);
  return answer.findings;
}

const seen = (all: readonly Finding[], check: string) =>
  all.filter((finding) => finding.check === check).map(({ verdict, seen: text }) => `${verdict} ${text}`);

/** A program of this name, first on the PATH, that says this. */
async function programThatSays(name: string, words: string): Promise<Readonly<Record<string, string>>> {
  const folder = join(site.folder, `path-${name}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `#!/bin/sh\necho "${words}"\n`);
  await chmod(join(folder, name), 0o755);
  return { PATH: `${folder}:${process.env['PATH']}` };
}

async function contents(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name !== 'status.json').sort();
  return Promise.all(names.map(async (name) => `${name} ${await readFile(join(folder, name), 'utf8').catch(() => '')}`));
}

describe('beside a running daemon', () => {
  test('in order: exit code 0, a line for each check, and everything as it was', async () => {
    const before = await contents(site.dataDir);
    const { exitCode, stdout, stderr } = await doctor();
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^nothing has failed; \d to look at\n$/)]);
    expect(stdout).toMatch(/^ok {4}configuration +in order/);
    expect(stdout).toMatch(/^ok {4}daemon +process \d+ is ready, since /m);
    expect(stdout).toMatch(/^ok {4}ports +http 127\.0\.0\.1:\d+ answers, and is the daemon's$/m);
    expect(stdout).toMatch(/^warn {2}reach +.*\n +-> set enabled: true below mqtts/m);
    expect(stdout).toMatch(/^ok {4}disk +a flushed write takes /m);
    expect(await contents(site.dataDir)).toEqual(before);
  });

  test('a configuration that the daemon does not have yet', async () => {
    expect(seen(await findings(['--http-port', '1025']), 'ports')[0]).toMatch(
      /^warn the daemon serves http at 127\.0\.0\.1:\d+, the configuration says http 127\.0\.0\.1:1025$/,
    );
  });

  test('a daemon that hangs has failed, and so have its listeners', async () => {
    process.kill(site.gateway.pid, 'SIGSTOP');
    try {
      const all = await findings(['--http-port', new URL(site.gateway.httpUrl).port]);
      expect(seen(all, 'daemon')).toEqual([
        `fail process ${site.gateway.pid} has the data directory and does not answer: no answer within 5 s`,
      ]);
      expect(seen(all, 'ports')[0]).toMatch(/^fail http .* is the daemon's and does not answer: no answer within 5 s$/);
    } finally {
      process.kill(site.gateway.pid, 'SIGCONT');
    }
  });
});

const [service, visitor] = [54_321, 65_534];
const asRoot = process.getuid?.() === 0 ? describe : describe.skip;
asRoot('asked by a user who may not look into the data', () => {
  test('checks that cannot see something say so, recognise the listeners of the service, and nothing has failed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchd-doctor-'));
    await chmod(folder, 0o755);
    const dataDir = join(folder, 'data');
    await mkdir(dataDir, { mode: 0o700 });
    await chown(dataDir, service, service);
    const flags = ['--data-dir', dataDir, '--https-enabled', 'true', '--https-host', '127.0.0.1'];
    const daemon = runs.begin(['serve', ...flags, '--http-port', '0', '--https-port', '0', '--mqtt-port', '0'], {}, service);
    const ready = () => daemon.log().find(({ code }) => code === 'ready');
    await until(() => ready() !== undefined, 'the daemon is ready');
    const port = (scheme: string) => String((ready()?.[scheme] as { readonly port: number } | undefined)?.port);
    const ports = ['http', 'https', 'mqtt'].flatMap((scheme) => [`--${scheme}-port`, port(scheme)]);
    const ask = async (args: readonly string[]) => {
      const { exitCode, stdout } = await runs.finish(['doctor', ...flags, ...args, '--json'], {}, visitor);
      return { exitCode, all: (JSON.parse(stdout) as { readonly findings: readonly Finding[] }).findings };
    };

    const { exitCode, all } = await ask(ports);
    expect(exitCode).toBe(0);
    for (const check of ['daemon', 'data', 'backups', 'certificates']) {
      expect(seen(all, check)).toEqual([expect.stringMatching(/^warn cannot tell as this user: /)]);
    }
    expect(seen(all, 'ports')).toEqual([
      expect.stringMatching(/^ok http 127\.0\.0\.1:\d+ answers, and is the daemon's$/),
      expect.stringMatching(/^ok https 127\.0\.0\.1:\d+ answers, and is the daemon's$/),
      expect.stringMatching(/^ok mqtt 127\.0\.0\.1:\d+ answers, and is the daemon's$/),
    ]);

    // Of another user it is known not to be the daemon; of root, not whether it is.
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const taken = String((other.address() as AddressInfo).port);
    expect(seen((await ask([...ports, '--mqtt-port', taken])).all, 'ports')[2]).toBe(
      `fail mqtt 127.0.0.1:${taken} is taken by another program`,
    );
    await chown(dataDir, 0, 0);
    expect(seen((await ask([...ports, '--mqtt-port', taken])).all, 'ports')[2]).toBe(
      `warn cannot tell as this user: mqtt 127.0.0.1:${taken} is taken, by latchd or by another program`,
    );
    other.close();
    await chown(dataDir, service, service);
    daemon.signal('SIGTERM');
    await daemon.ended;
    await rm(folder, { recursive: true });
  });
});

describe('without a daemon', () => {
  test('the same checks; what it needs for a port below 1024 is a port above it, or systemd', async () => {
    await site.gateway.stop();
    expect(seen(await findings(), 'daemon')).toEqual(['warn no daemon is running']);
    if (process.getuid?.() !== 0) return;
    await chown(site.dataDir, 12_345, 12_345);
    expect(seen(await findings(['--mqtt-port', '1']), 'ports')[1]).toMatch(/^fail mqtt 127\.0\.0\.1:1 is a port for root/);
    const given = await programThatSays('systemctl', 'cap_net_bind_service');
    expect(seen(await findings(['--mqtt-port', '1'], given), 'ports')[1]).toBe('ok mqtt 127.0.0.1:1 is free');
    await chown(site.dataDir, 0, 0);
  });

  test.each([
    ['yes', 'ok it is synchronised by NTP'],
    ['no', 'warn nothing keeps it right: it is not synchronised by NTP'],
  ])('timedatectl says %s', async (word, sentence) => {
    expect(seen(await findings([], await programThatSays('timedatectl', word)), 'clock').at(-1)).toBe(sentence);
  });

  test('doctor lists every problem of a wrong configuration and exits with 1', async () => {
    const file = join(site.folder, 'wrong.yaml');
    await writeFile(file, 'door: open\nhttp: { port: none }\n');
    const { exitCode, stdout, stderr } = await doctor(['--config', file]);
    expect([exitCode, stderr]).toEqual([1, '2 failed, 0 to look at\n']);
    expect(stdout).toMatch(/^fail {2}configuration .*wrong\.yaml:1: door: there is no such setting; there are .*\n +-> mend it/m);
  });
});

// A newer latchd is to be had: what the real daemon and the real doctor say of it, with a program in front of apt-cache that says so.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Finding } from '../../src/admin/doctor/examine.ts';
import { offering, ownVersion, putApt, saying } from '../support/fake-apt.ts';
import { openSite, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const newer = saying(offering('99.0.0', ownVersion));
const runs = createRuns();
let folder: string;
let site: Site | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-updates-'));
});
afterEach(async () => {
  await runs.endAll();
  await site?.close();
  await rm(folder, { recursive: true });
});

/** The environment in which `apt-cache` is this script. */
function withApt(script: string): Readonly<Record<string, string>> {
  putApt(folder, script);
  return { PATH: `${folder}:${process.env['PATH']}`, LATCHD_UPDATES_CHECK: 'true' };
}

async function update(): Promise<Readonly<Record<string, unknown>>> {
  return (await site?.api('GET', '/api/v1/gateway/status'))?.body['update'] as Readonly<Record<string, unknown>>;
}
const series = async () => {
  const answer = await fetch(new URL('/metrics', site?.gateway.httpUrl));
  return (await answer.text()).split('\n').filter((line) => line.startsWith('latchd_update_available'));
};
async function doctor(environment: Readonly<Record<string, string>>): Promise<Finding | undefined> {
  const args = ['doctor', '--json', '--data-dir', site?.dataDir ?? '', '--http-port', '0', '--mqtt-port', '0'];
  const { stdout } = await runs.finish(args, environment);
  return (JSON.parse(stdout) as { readonly findings: readonly Finding[] }).findings.find(({ check }) => check === 'updates');
}

describe('a newer version', () => {
  test('is in the status, the metrics, the log and what doctor says', async () => {
    const environment = withApt(newer);
    site = await openSite({ flags: ['--metrics-enabled', 'true'], environment });
    await until(async () => (await update())['askedDate'] !== null, 'apt has answered');
    const lookedDate = existsSync('/var/lib/apt/lists/partial') ? expect.any(Number) : null;
    expect(await update()).toEqual({ state: 'available', version: '99.0.0', reason: null, askedDate: expect.any(Number), lookedDate });
    expect(await series()).toEqual(['latchd_update_available{version="99.0.0"} 1']);
    expect(site.gateway.log).toContainEqual(expect.objectContaining({ code: 'update-available', newest: '99.0.0' }));
    expect(await doctor(environment)).toMatchObject({
      verdict: 'warn',
      seen: `latchd 99.0.0 is in its repository, and this is ${ownVersion}`,
    });
  });

  test('is looked for by nobody while that is off', async () => {
    const environment = { ...withApt(`touch ${folder}/asked; ${newer}`), LATCHD_UPDATES_CHECK: 'false' };
    site = await openSite({ flags: ['--metrics-enabled', 'true'], environment });
    expect(await update()).toEqual({ state: 'off', version: null, reason: null, askedDate: null, lookedDate: null });
    expect(await series()).toEqual([]);
    expect(await doctor(environment)).toEqual({ check: 'updates', verdict: 'ok', seen: 'nobody looks for newer versions (updates.check)' });
    await expect(readFile(join(folder, 'asked'))).rejects.toThrow('ENOENT');
  });
});

test('an apt that hangs holds up neither the start nor the stop, and is ended with the gateway', async () => {
  const environment = withApt(`echo $$ >${folder}/pid; exec sleep 600`);
  site = await openSite({ environment });
  const pid = async () => Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => ''));
  await until(async () => (await pid()) > 0, 'apt is asked');
  expect(await update()).toEqual({ state: 'unknown', version: null, reason: 'not-asked', askedDate: null, lookedDate: null });
  expect(await site.gateway.stop()).toBe(0);
  const asked = await pid();
  await until(() => !isThere(asked), 'apt has ended');
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

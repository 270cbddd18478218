// The unit as systemd's own tools see it. They come with the package systemd; without them this fails instead of passing unseen.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const unit = join(import.meta.dirname, '../../systemd/latchd.service');
let folder = '';
let copy = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-unit-'));
  copy = join(folder, 'latchd.service');
  // verify asks for an ExecStart that exists; latchd need not be installed where its tests run.
  await writeFile(copy, (await readFile(unit, 'utf8')).replace('ExecStart=/usr/bin/latchd ', `ExecStart=${process.execPath} `));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function analyze(...options: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  return new Promise((resolve, reject) => {
    execFile('systemd-analyze', [...options], (error, stdout, stderr) => {
      if (error?.code === 'ENOENT')
        reject(new Error('systemd-analyze is not installed, so the unit was not checked: apt-get install systemd'));
      else resolve({ code: error?.code ?? 0, output: stdout + stderr });
    });
  });
}

/** Every value of a setting of the unit. */
async function valuesOf(setting: string): Promise<readonly string[]> {
  return (await readFile(unit, 'utf8'))
    .split('\n')
    .flatMap((line) => (line.startsWith(`${setting}=`) ? [line.slice(setting.length + 1)] : []));
}

test('systemd-analyze verify finds nothing wrong with the unit', async () => {
  expect(await analyze('verify', '--man=no', copy)).toEqual({ code: 0, output: '' });
});

test('the exposure of the unit is at most 1.6 of 10', async () => {
  const { code, output } = await analyze('security', '--offline=true', '--no-pager', '--threshold=16', copy);
  expect(output).toContain('Overall exposure level');
  expect(code).toBe(0);
});

test('the unit waits for READY, has a watchdog, restarts after a failure but not after a wrong configuration, and has time to stop', async () => {
  expect(await valuesOf('Type')).toEqual(['notify']);
  expect(await valuesOf('NotifyAccess')).toEqual(['all']);
  expect(await valuesOf('WatchdogSec')).toEqual(['30']);
  expect(await valuesOf('Restart')).toEqual(['on-failure']);
  expect(await valuesOf('RestartPreventExitStatus')).toEqual(['78']);
  expect(Number((await valuesOf('TimeoutStopSec'))[0])).toBeGreaterThan(5);
});

test('nothing in the unit breaks the gateway: Node compiles at run time, and an owner of the data directory is found in /proc', async () => {
  for (const setting of ['MemoryDenyWriteExecute', 'ProtectProc', 'ProcSubset']) expect(await valuesOf(setting)).toEqual([]);
});

test('every hardening line of the unit has its reason above it', async () => {
  const lines = (await readFile(unit, 'utf8')).split('\n');
  const begin = lines.findIndex((line) => line.startsWith('NoNewPrivileges='));
  const block = lines.slice(begin - 1, lines.indexOf('[Install]'));
  // One reason may cover several lines that belong together.
  const runs = block
    .join('\n')
    .split(/(?:^|\n)#/)
    .slice(1);
  expect(runs.length).toBeGreaterThan(15);
  for (const run of runs) expect(run.split('\n').filter((line) => /^\w+=/.test(line)).length).toBeLessThanOrEqual(4);
});

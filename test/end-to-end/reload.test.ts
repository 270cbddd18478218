// SIGHUP: what a running daemon takes over from a changed configuration file, and what it only says.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../support/site.ts';
import { createRuns, type Run } from '../support/site-process.ts';

const runs = createRuns();
let folder: string;
let configFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-reload-'));
  configFile = join(folder, 'latchd.yaml');
});
afterAll(async () => {
  await runs.endAll();
  await rm(folder, { recursive: true, force: true });
});

function says(run: Run, code: string) {
  return run.log().find((line) => line['code'] === code);
}

function debugLines(run: Run): number {
  return run.log().filter(({ level }) => level === 'debug').length;
}

describe('SIGHUP', () => {
  test('takes over the level of the log, says what takes a restart, and a wrong file changes nothing', async () => {
    await writeFile(configFile, 'http: { port: 0 }\nmqtt: { port: 0 }\nlogLevel: info\n');
    const run = runs.begin(['serve', '--config', configFile, '--data-dir', join(folder, 'data')]);
    await until(() => says(run, 'ready') !== undefined, 'it serves');
    const { http } = says(run, 'ready') as { http: { port: number } };
    const ask = () => fetch(`http://127.0.0.1:${http.port}/healthz`);
    await ask();
    expect(debugLines(run)).toBe(0);

    await writeFile(configFile, 'http: { port: 0 }\nmqtt: { port: 0 }\nlogLevel: loud\n');
    run.signal('SIGHUP');
    await until(() => says(run, 'reload-refused') !== undefined, 'the wrong file is refused');
    expect(says(run, 'reload-refused')?.['problems']).toEqual([expect.stringMatching(/latchd\.yaml:3: logLevel: must be one of /)]);

    await writeFile(configFile, 'http: { port: 0 }\nmqtt: { port: 0 }\nlogLevel: debug\ncommandTimeoutMs: 2000\n');
    run.signal('SIGHUP');
    await until(() => says(run, 'restart-needed') !== undefined, 'it says what takes a restart');
    expect(says(run, 'restart-needed')?.['settings']).toEqual(['commandTimeoutMs']);
    await ask();
    await until(() => debugLines(run) > 0, 'a health check has a line now');
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
  });
});

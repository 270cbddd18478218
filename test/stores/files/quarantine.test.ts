// The quarantine file: bounded, durable, readable.
import { readFile, stat } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { startedStore, testStore, withDirectory } from './support/directory.ts';
import { faultyFiles } from './support/faulty-files.ts';
import { deviceId } from './support/samples.ts';

const seen = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).reason);

test('a message is on the disk when the promise resolves, and there after a restart', () =>
  withDirectory(async (directory) => {
    const path = `${directory}/quarantine.jsonl`;
    const { store } = await startedStore(directory);
    await store.ports.quarantine.keep(deviceId(7), 'first', '{"seq":');
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ deviceId: '000000000007', reason: 'first', payload: '{"seq":' });
    await store.stop();
    const again = await startedStore(directory);
    await again.store.ports.quarantine.keep(deviceId(7), 'second', '');
    expect(await seen(path)).toEqual(['first', 'second']);
    await again.store.stop();
  }));

test('the quarantine never takes more than two generations of 1 MiB, and has the newest messages', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    const payload = 'x'.repeat(60_000);
    for (let n = 0; n < 60; n += 4)
      await Promise.all([0, 1, 2, 3].map((m) => store.ports.quarantine.keep(deviceId(1), `${n + m}`, payload)));
    const files = ['quarantine.previous.jsonl', 'quarantine.jsonl'].map((name) => `${directory}/${name}`);
    for (const file of files) expect((await stat(file)).size).toBeLessThanOrEqual(1 << 20);
    const kept = (await Promise.all(files.map(seen))).flat();
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => `${60 - kept.length + n}`));
    expect(kept.length).toBeGreaterThan(17);
    await store.stop();
  }));

test('the quarantine accepts messages again after a failure at any step of a change of generations', () =>
  withDirectory(async (directory) => {
    const files = faultyFiles();
    const { store } = await startedStore(directory, { files });
    const payload = '\u0000'.repeat(60_000);
    for (let step = 1; step < 12; step++) {
      const start = files.operations;
      files.fault = (operation, _path, n) => (n === start + step && operation !== 'syncFolder' ? 'ENOSPC' : undefined);
      for (let n = 0; n < 4; n++) await store.ports.quarantine.keep(deviceId(1), `${step}`, payload).catch(() => undefined);
      files.fault = undefined;
      await store.ports.quarantine.keep(deviceId(1), `${step}`, payload);
    }
    await store.stop();
    await (await startedStore(directory)).store.stop();
  }));

test('an unreadable quarantine keeps no door closed: it is set aside, and messages are accepted (Fault T4)', () =>
  withDirectory(async (directory) => {
    const before = await startedStore(directory);
    await before.store.ports.quarantine.keep(deviceId(1), 'first', '{');
    await before.store.stop();
    const files = faultyFiles();
    files.unreadable = (path, step) => (step === 'read' && path.endsWith('quarantine.jsonl') ? 'EIO' : undefined);
    const { store, log } = testStore(directory, { files });
    await store.start();
    files.unreadable = undefined;
    await store.ports.quarantine.keep(deviceId(1), 'second', '[');
    await store.stop();
    expect(log.lines.join()).toContain('quarantine-unreadable');
    expect(await seen(`${directory}/quarantine.previous.jsonl`)).toEqual(['first']);
    expect(await seen(`${directory}/quarantine.jsonl`)).toEqual(['second']);
  }));

// One process per data directory.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { startedStore, testStore, withDirectory } from './support/directory.ts';

async function owner(directory: string): Promise<{ pid: number; bootId: string; startedAt: string }> {
  return JSON.parse(await readFile(`${directory}/latchd.lock`, 'utf8'));
}

describe('a data directory', () => {
  test('serves one process at a time: the error for the second names the first', () =>
    withDirectory(async (directory) => {
      const { store } = await startedStore(directory);
      const second = testStore(directory);
      await expect(second.store.start()).rejects.toThrow(
        `latchd is already running on ${directory} as process ${process.pid}: stop it first, or use another data directory`,
      );
      await second.store.stop();
      expect(await owner(directory)).toMatchObject({ pid: process.pid });
      await store.stop();
      expect(existsSync(`${directory}/latchd.lock`)).toBe(false);
      await (await startedStore(directory)).store.stop();
    }));

  test('has one owner when two processes start at once', () =>
    withDirectory(async (directory) => {
      const stores = Array.from({ length: 5 }, () => testStore(directory).store);
      const outcomes = await Promise.allSettled(stores.map((store) => store.start()));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await Promise.all(stores.map((store) => store.stop()));
    }));

  test.each([
    ['a pid that is no more', (own: object) => ({ ...own, pid: 2 ** 22 + 1 })],
    ['a pid that another process has now', (own: object) => ({ ...own, startedAt: '1' })],
    ['another boot', (own: object) => ({ ...own, bootId: '00000000-0000-0000-0000-000000000000' })],
  ])('is taken over from %s, with a warning', (_title, change) =>
    withDirectory(async (directory) => {
      const first = await startedStore(directory);
      const stale = JSON.stringify(change(await owner(directory)));
      await first.store.stop();
      await writeFile(`${directory}/latchd.lock`, stale);
      const { store, log } = await startedStore(directory);
      expect(log.lines.join()).toContain('the lock of a process that has ended was taken over');
      expect(await owner(directory)).toMatchObject({ pid: process.pid });
      await store.stop();
      expect((await readdir(directory)).filter((name) => name.startsWith('latchd.lock'))).toEqual([]);
    }),
  );

  // What another process is to a lock that names it under another boot id, as a container shows one to a service and one to its administrator.
  test.each([
    ['refused while a process of that pid, name and start runs', 'sleep', false],
    ['taken over when the process of that pid and start has another name', 'latchd', true],
  ])('is %s, whatever its boot id', (_title, name, isTakenOver) =>
    withDirectory(async (directory) => {
      const other = spawn('sleep', ['600']);
      const { pid } = other;
      try {
        const startedAt = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[21];
        const bootId = '00000000-0000-0000-0000-000000000000';
        await writeFile(`${directory}/latchd.lock`, JSON.stringify({ pid, name, bootId, startedAt }));
        const { store } = testStore(directory);
        const outcome = await store.start().then(
          () => 'started',
          (error: Error) => error.message,
        );
        await store.stop();
        expect(outcome).toContain(isTakenOver ? 'started' : `latchd is already running on ${directory} as process ${pid}`);
      } finally {
        other.kill();
      }
    }),
  );

  test.each(['', 'undefined', '{"pid":"7"}', '\0\0\0'])('is taken over when its lock file holds %j', (text) =>
    withDirectory(async (directory) => {
      await writeFile(`${directory}/latchd.lock`, text);
      await (await startedStore(directory)).store.stop();
    }),
  );
});

// Browsers that stay signed in, on the disk: still there after a restart, ended for good, stored only as hashes, and never a reason for a
// start to fail.
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { createBackups } from '../../../../src/stores/files/backup/backups.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { sampleSignIn } from '../../../support/sample-sign-ins.ts';
import { captureLog, startedStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';

const signIn = (n: number) => sampleSignIn(n);

test('stored sign-ins are there after a restart, the oldest first, and ended ones are not', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    expect(await store.ports.signIns.all()).toEqual([]);
    await store.ports.signIns.end([signIn(1).hash]);
    await Promise.all([3, 1, 2].map((n) => store.ports.signIns.keep([signIn(n)])));
    await store.ports.signIns.end([signIn(1).hash, signIn(7).hash]);
    await store.stop();
    expect((await stat(`${directory}/sign-ins.jsonl`)).mode & 0o777).toBe(0o600);
    const { store: second } = await startedStore(directory);
    expect(await second.ports.signIns.all()).toEqual([signIn(3), signIn(2)]);
    await second.stop();
    expect(await verify(directory)).toMatchObject({ findings: [], remarks: [] });
  }));

test('a sign-in that comes and goes ten thousand times leaves a small file', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    for (let n = 1; n <= 10_000; n += 100) {
      const some = Array.from({ length: 100 }, (_, at) => signIn(n + at));
      await Promise.all(some.map((one) => store.ports.signIns.keep([one])));
      await store.ports.signIns.end(some.slice(1).map(({ hash }) => hash));
    }
    expect((await stat(`${directory}/sign-ins.jsonl`)).size).toBeLessThan(500_000);
    expect(await store.ports.signIns.all()).toHaveLength(100);
    await store.stop();
  }));

test('a file that is damaged in the middle signs nobody in, so that people who signed out stay signed out', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    for (const n of [1, 2]) await store.ports.signIns.keep([signIn(n)]);
    await store.ports.signIns.end([signIn(1).hash]);
    await store.stop();
    const text = await readFile(`${directory}/sign-ins.jsonl`, 'utf8');
    await writeFile(`${directory}/sign-ins.jsonl`, text.replace('"tokenId":2', '"tokenId":7'));
    const { store: second } = await startedStore(directory);
    expect(await second.ports.signIns.all()).toEqual([]);
    await second.ports.signIns.keep([signIn(3)]);
    await second.stop();
    const { store: third } = await startedStore(directory);
    expect(await third.ports.signIns.all()).toEqual([signIn(3)]);
    await third.stop();
  }));

test('a start sets a damaged file aside with a line in the log, and nobody is signed in', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.signIns.keep([signIn(1)]);
    await store.stop();
    const text = await readFile(`${directory}/sign-ins.jsonl`, 'utf8');
    await writeFile(`${directory}/sign-ins.jsonl`, text.replace('"tokenId":1', '"tokenId":2'));
    expect((await verify(directory)).findings).toEqual([
      { file: 'sign-ins.jsonl', problem: 'is damaged: line 2 is not as it was written' },
    ]);
    const { store: second, log } = await startedStore(directory);
    expect(await second.ports.signIns.all()).toEqual([]);
    expect(log.lines.filter((line) => line.includes('sign-ins-lost'))).toHaveLength(1);
    await second.ports.signIns.keep([signIn(2)]);
    await second.stop();
    expect(await readdir(directory)).toContain('sign-ins.jsonl.damaged');
  }));

test('on a full disk, starting and ending a sign-in fail with an error, and work again afterwards', () =>
  withDirectory(async (directory) => {
    const files = faultyFiles();
    const { store } = await startedStore(directory, { files });
    const full = (isFull: boolean) => {
      files.fault = (operation, path) =>
        isFull && ['write', 'commit'].includes(operation) && path.includes('sign-ins') ? 'ENOSPC' : undefined;
    };
    full(true);
    await expect(store.ports.signIns.keep([signIn(1)])).rejects.toMatchObject({ code: 'storage-unavailable' });
    full(false);
    await store.ports.signIns.keep([signIn(1)]);
    full(true);
    await expect(store.ports.signIns.end([signIn(1).hash])).rejects.toMatchObject({ code: 'storage-unavailable' });
    full(false);
    await store.ports.signIns.end([signIn(1).hash]);
    expect(await store.ports.signIns.all()).toEqual([]);
    await store.stop();
  }));

test('no backup contains sign-ins', () =>
  withDirectory(async (root) => {
    const directory = join(root, 'data');
    const { store, clock } = await startedStore(directory);
    await store.ports.signIns.keep([signIn(1)]);
    const backups = createBackups({
      ...{ directory, folder: root, keep: 1, latchd: '9.9.9', clock, log: captureLog() },
      ...{ accounts: store.ports.accounts, maintenance: store.maintenance },
    });
    const { file } = await backups.make({ reason: 'asked' });
    const archive = gunzipSync(await readFile(file)).toString('latin1');
    expect(archive).toContain('data/accounts.jsonl');
    expect(archive).not.toContain('sign-ins');
    await store.stop();
  }));

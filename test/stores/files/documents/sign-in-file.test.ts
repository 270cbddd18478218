// Browsers that stay signed in, on the disk: still there after a restart, ended for good, stored only as hashes, and never a reason for a
// start to fail.
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, jest, test } from '@jest/globals';
import { createBackups } from '../../../../src/stores/files/backup/backups.ts';
import { checksummedLine } from '../../../../src/stores/files/checksummed-line.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { samplePassword, sampleSignIn } from '../../../support/sample-sign-ins.ts';
import { captureLog, startedStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';

const signIn = (n: number) => sampleSignIn(n);

test('stored sign-ins are there after a restart, the oldest first, and ended ones are not', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    expect(store.ports.signIns.all()).toEqual([]);
    await store.ports.signIns.end([signIn(1).hash]);
    await Promise.all([3, 1, 2].map((n) => store.ports.signIns.begin(signIn(n))));
    await store.ports.signIns.end([signIn(1).hash, signIn(7).hash]);
    await store.stop();
    expect((await stat(`${directory}/sign-ins.jsonl`)).mode & 0o777).toBe(0o600);
    const { store: second } = await startedStore(directory);
    expect(second.ports.signIns.all()).toEqual([signIn(3), signIn(2)]);
    await second.stop();
    expect(await verify(directory)).toMatchObject({ findings: [], remarks: [] });
  }));

test('a sign-in that comes and goes ten thousand times leaves a small file', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    for (let n = 1; n <= 10_000; n += 100) {
      const some = Array.from({ length: 100 }, (_, at) => signIn(n + at));
      await Promise.all(some.map((one) => store.ports.signIns.begin(one)));
      await store.ports.signIns.end(some.slice(1).map(({ hash }) => hash));
    }
    expect((await stat(`${directory}/sign-ins.jsonl`)).size).toBeLessThan(500_000);
    expect(store.ports.signIns.all()).toHaveLength(100);
    await store.stop();
  }));

test('a file that is damaged in the middle signs nobody in, so that people who signed out stay signed out', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    for (const n of [1, 2]) await store.ports.signIns.begin(signIn(n));
    await store.ports.signIns.end([signIn(1).hash]);
    await store.stop();
    const text = await readFile(`${directory}/sign-ins.jsonl`, 'utf8');
    await writeFile(`${directory}/sign-ins.jsonl`, text.replace('"tokenId":2', '"tokenId":7'));
    const { store: second } = await startedStore(directory);
    expect(second.ports.signIns.all()).toEqual([]);
    await second.ports.signIns.begin(signIn(3));
    await second.stop();
    const { store: third } = await startedStore(directory);
    expect(third.ports.signIns.all()).toEqual([signIn(3)]);
    await third.stop();
  }));

test('a start sets a damaged file aside with a line in the log, and nobody is signed in', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.signIns.begin(signIn(1));
    await store.stop();
    const text = await readFile(`${directory}/sign-ins.jsonl`, 'utf8');
    await writeFile(`${directory}/sign-ins.jsonl`, text.replace('"tokenId":1', '"tokenId":2'));
    expect((await verify(directory)).findings).toEqual([
      { file: 'sign-ins.jsonl', problem: 'is damaged: line 2 is not as it was written' },
    ]);
    const { store: second, log } = await startedStore(directory);
    expect(second.ports.signIns.all()).toEqual([]);
    expect(log.lines.filter((line) => line.includes('sign-ins-lost'))).toHaveLength(1);
    await second.ports.signIns.begin(signIn(2));
    await second.stop();
    expect(await readdir(directory)).toContain('sign-ins.jsonl.damaged');
  }));

test('on a full disk a sign-in begins and ends all the same, until the next start; the disk learns of it with its next use', () =>
  withDirectory(async (directory) => {
    const files = faultyFiles();
    const { store } = await startedStore(directory, { files });
    const { signIns } = store.ports;
    const full = (isFull: boolean) => {
      files.fault = (operation, path) =>
        isFull && ['write', 'commit'].includes(operation) && path.includes('sign-ins') ? 'ENOSPC' : undefined;
    };
    full(true);
    for (const n of [1, 2]) await expect(signIns.begin(signIn(n))).rejects.toMatchObject({ code: 'storage-unavailable' });
    await expect(signIns.noteUses([{ hash: signIn(2).hash, lastUsedAt: 7 }])).rejects.toMatchObject({ code: 'storage-unavailable' });
    expect(signIns.all()).toEqual([signIn(1), signIn(2)]);
    full(false);
    const used = signIns.noteUses([1, 2].map((n) => ({ hash: signIn(n).hash, lastUsedAt: 9 })));
    const ended = signIns.end([signIn(1).hash]);
    await Promise.all([used, ended]);
    expect(signIns.all()).toEqual([{ ...signIn(2), lastUsedAt: 9 }]);
    full(true);
    await signIns.begin(signIn(3)).catch(() => undefined);
    await expect(signIns.end([signIn(2).hash])).rejects.toMatchObject({ code: 'storage-unavailable' });
    expect(signIns.all()).toEqual([signIn(3)]);
    full(false);
    await signIns.noteUses([2, 3].map((n) => ({ hash: signIn(n).hash, lastUsedAt: 10 })));
    expect(signIns.all()).toEqual([{ ...signIn(3), lastUsedAt: 10 }]);
    await store.stop();
    const { store: second } = await startedStore(directory);
    expect(second.ports.signIns.all()).toEqual([{ ...signIn(2), lastUsedAt: 9 }, second.ports.signIns.get(signIn(3).hash)]);
    await second.ports.signIns.end([signIn(2).hash]);
    await second.stop();
    const { store: third } = await startedStore(directory);
    expect(third.ports.signIns.all()).toEqual([{ ...signIn(3), lastUsedAt: 10 }]);
    await third.stop();
  }));

test('sign-ins of an older program are upgraded, with a copy: they stay those of their tokens, for their time', () =>
  withDirectory(async (directory) => {
    await (await startedStore(directory)).store.stop();
    const older = { hash: 'ab'.repeat(32), tokenId: 7, accountId: 1, expiresAt: 9_000_000_000_000 };
    const lines = [{ of: 'sign-ins', schemaVersion: 1 }, { rows: [[older.hash, older]] }].map(checksummedLine).join('');
    await writeFile(`${directory}/sign-ins.jsonl`, lines);
    const beforeUpgrade = jest.fn(async () => undefined);
    const { store } = await startedStore(directory, { beforeUpgrade });
    expect(store.ports.signIns.all()).toEqual([
      {
        ...{ ...older, sessionId: 'abababababab', method: 'token', passkeyId: null, stay: true, address: '', agent: '' },
        ...{ createdAt: older.expiresAt - 30 * 86_400_000, lastUsedAt: older.expiresAt - 30 * 86_400_000 },
      },
    ]);
    await store.stop();
    expect(beforeUpgrade).toHaveBeenCalledTimes(1);
    expect(await readFile(`${directory}/sign-ins.jsonl.schema-1`, 'utf8')).toBe(lines);
    expect(await verify(directory)).toMatchObject({ findings: [] });
  }));

test('no backup contains sign-ins and invitations, and each has the passwords as hashes, and passkeys', () =>
  withDirectory(async (root) => {
    const directory = join(root, 'data');
    const { store, clock } = await startedStore(directory);
    await store.ports.signIns.begin(signIn(1));
    await store.ports.signIns.invite({ accountId: 1 as never, hash: 'cd'.repeat(32), expiresAt: 9e12 });
    await store.ports.signInCredentials.setPassword(samplePassword());
    const backups = createBackups({
      ...{ directory, folder: root, keep: 1, latchd: '9.9.9', clock, log: captureLog() },
      ...{ accounts: store.ports.accounts, maintenance: store.maintenance },
    });
    const { file } = await backups.make({ reason: 'asked' });
    const archive = gunzipSync(await readFile(file)).toString('latin1');
    expect(archive).toContain('data/accounts.jsonl');
    expect(archive).not.toContain('sign-ins');
    expect(archive).not.toContain('cd'.repeat(32));
    expect(archive).toContain(samplePassword().hash);
    await store.stop();
  }));

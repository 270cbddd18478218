// The folder of the backups seen from outside, and the encryption of a backup that is carried away.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Decrypter } from 'age-encryption';
import { createArchives } from '../../../../src/stores/files/backup/archives.ts';
import { encryptedFor } from '../../../../src/stores/files/backup/passphrase.ts';
import { nodeFiles } from '../../../../src/stores/files/files.ts';
import { withDirectory } from '../support/directory.ts';

const passphrase = 'correct horse battery';
const name = 'latchd-20261121T023000Z.tar.gz';
const noBackups = { make: () => Promise.reject(new Error('not asked')) };

async function* inPieces(bytes: Buffer, size: number): AsyncIterable<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function joined(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

// The package's own decryption knows nothing of how the key was wrapped here.
async function opened(bytes: Buffer, by: string): Promise<Buffer> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(by);
  return Buffer.from(await decrypter.decrypt(bytes));
}

test.each([0, 1, 65_535, 65_536, 65_537, 300_000])('%i bytes come back whole with the passphrase, and with no other', async (length) => {
  const bytes = randomBytes(length);
  const encrypted = await joined(encryptedFor(passphrase, inPieces(bytes, 10_000)));
  expect(encrypted.subarray(0, 22).toString()).toBe('age-encryption.org/v1\n');
  expect((await opened(encrypted, passphrase)).equals(bytes)).toBe(true);
  await expect(opened(encrypted, 'correct horse batterz')).rejects.toThrow();
});

test('the list has the finished backups alone, the newest first, and one of them is read', () =>
  withDirectory(async (folder) => {
    const archives = createArchives({ files: nodeFiles(), folder, backups: noBackups });
    const names = ['latchd-before-upgrade-20261120T010000Z.tar.gz', name, `${name}.partial`, 'notes.txt'];
    for (const file of names) await writeFile(join(folder, file), `content of ${file}`);
    expect(await archives.list()).toEqual([
      { name, madeAt: Date.UTC(2026, 10, 21, 2, 30), bytes: 41, beforeUpgrade: false },
      { name: names[0], madeAt: Date.UTC(2026, 10, 20, 1), bytes: 56, beforeUpgrade: true },
    ]);
    expect(String(await opened(await joined(archives.encrypted(name, passphrase)), passphrase))).toBe(`content of ${name}`);
  }));

test('what is no backup is not found: not a file beside it, not a path out of the folder, not one that has gone', () =>
  withDirectory(async (folder) => {
    await writeFile(join(folder, 'notes.txt'), 'mine');
    const archives = createArchives({ files: nodeFiles(), folder, backups: noBackups });
    for (const other of ['notes.txt', `../${name}`, `..%2f${name}`, `x/${name}`, name, '']) {
      await expect(joined(archives.encrypted(other, passphrase))).rejects.toMatchObject({ code: 'not-found' });
    }
    const nowhere = createArchives({ files: nodeFiles(), folder: join(folder, 'missing'), backups: noBackups });
    expect(await nowhere.list()).toEqual([]);
    const noFolder = createArchives({ files: nodeFiles(), folder: join(folder, 'notes.txt'), backups: noBackups });
    await expect(noFolder.list()).rejects.toMatchObject({ code: 'storage-unavailable', message: expect.stringContaining('ENOTDIR') });
  }));

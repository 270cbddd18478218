// The commands on a data directory, for a user who does not own it.
import { chmod } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { exportLock, recordsInDirectory, verifyDirectory } from '../../../src/admin/offline/files.ts';
import { startedStore, withDirectory } from '../../stores/files/support/directory.ts';

const isRoot = process.getuid?.() === 0;

test('verify and export tell another user who owns the data, and not that there is none', async () => {
  await withDirectory(async (directory) => {
    await (await startedStore(directory)).store.stop();
    if (!isRoot) await chmod(directory, 0o000);
    const whose = /^\S+ belongs to the user (\S+): say it as that user \(sudo -u \1 latchd …\) or as root \(sudo latchd …\)$/;
    const wanted = {
      lockId: 1,
      from: 0,
      to: 1,
      recordDays: 184,
      format: 'csv',
      output: process.stdout,
      onProgress() {},
      warn() {},
    } as const;
    try {
      if (isRoot) process.seteuid?.(65_534);
      await expect(verifyDirectory(directory)).rejects.toThrow(whose);
      await expect(exportLock({ read: recordsInDirectory(directory), ...wanted })).rejects.toThrow(whose);
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(directory, 0o700);
    }
  });
});

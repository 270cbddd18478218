// The real file layer, where it does more than pass a call on.
import { constants } from 'node:fs';
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { nodeFiles } from '../../../src/stores/files/files.ts';
import { withDirectory } from './support/directory.ts';

test('a file is closed after its running reads have ended, so that none of them reads the file that is opened next', () =>
  withDirectory(async (directory) => {
    const files = nodeFiles();
    const [first, second] = [`${directory}/first`, `${directory}/second`];
    await writeFile(first, 'a'.repeat(100_000));
    await writeFile(second, 'b'.repeat(100_000));
    for (let round = 0; round < 20; round++) {
      const file = await files.open(first, 'read');
      const order: string[] = [];
      const read = Array.from({ length: 20 }, async () => {
        const into = Buffer.alloc(100_000);
        await file.read(into, 0);
        order.push('read');
        return into.every((byte) => byte === 0x61);
      });
      const closed = [file.close(), file.close()].map((close) => close.then(() => order.push('closed')));
      const next = files.open(second, 'read');
      expect(await Promise.all(read)).not.toContain(false);
      await Promise.all(closed);
      expect(order.slice(-2)).toEqual(['closed', 'closed']);
      expect(order).toHaveLength(22);
      await expect(file.read(Buffer.alloc(1), 0)).rejects.toThrow();
      await (await next).close();
    }
  }));

test('each write to a journal is on the disk when it ends: the kernel has the file opened with O_DSYNC', () =>
  withDirectory(async (directory) => {
    const path = `${directory}/journal`;
    await writeFile(path, '');
    const journal = await nodeFiles().open(path, 'journal');
    const flags: number[] = [];
    for (const fd of await readdir('/proc/self/fd')) {
      if ((await readlink(`/proc/self/fd/${fd}`).catch(() => '')) !== path) continue;
      const [, octal = ''] = /^flags:\s+(\d+)$/m.exec(await readFile(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
      flags.push(Number.parseInt(octal, 8));
    }
    await journal.close();
    expect(flags.map((one) => one & constants.O_DSYNC)).toEqual([constants.O_DSYNC]);
  }));

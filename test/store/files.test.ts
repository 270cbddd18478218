// The real file layer, where it does more than pass a call on.
import { writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { nodeFiles } from '../../src/store/files.ts';
import { withDirectory } from './support/directory.ts';

test('a file is closed once the reads that were under way have ended: none of them reads the file that is opened next', () =>
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

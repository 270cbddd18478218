// One JSON document: which changes are written together, when readers see them, and older schemas.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createDocument, type Document, keepCopy } from '../../../../src/stores/files/documents/document.ts';
import type { DocumentFormat } from '../../../../src/stores/files/documents/document-format.ts';
import type { FileLayer } from '../../../../src/stores/files/files.ts';
import { withDirectory } from '../support/directory.ts';
import { type FaultyFiles, faultyFiles } from '../support/faulty-files.ts';

interface Count {
  readonly count: number;
}
const format: DocumentFormat<Count> = { schemaVersion: 1, schema: z.strictObject({ count: z.int() }) };
const up = ({ count }: Count): Count => ({ count: count + 1 });

async function withDocument(run: (document: Document<Count>, files: FaultyFiles, path: string) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    const files = faultyFiles();
    const path = `${directory}/count.json`;
    const document = createDocument({ files, path, format });
    expect(await document.load()).toBe(false);
    await document.put({ count: 0 });
    await run(document, files, path);
  });
}

const onDisk = async (path: string): Promise<number> => JSON.parse(await readFile(path, 'utf8')).count;

describe('a document', () => {
  test('writes changes that arrive together once, and resolves each with its own outcome', () =>
    withDocument(async (document, files, path) => {
      let writes = 0;
      files.fault = (operation) => {
        if (operation === 'write') writes += 1;
        return undefined;
      };
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => document.update(up)));
      expect(outcomes.map(({ count }) => count)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
      expect(writes).toBeLessThanOrEqual(2);
      expect(await onDisk(path)).toBe(50);
    }));

  test('shows a value only after its flush, which is before its promise resolves', () =>
    withDocument(async (document, files, path) => {
      const seen: number[] = [];
      files.fault = () => {
        seen.push(document.current().count);
        return undefined;
      };
      await document.update(up);
      expect(new Set(seen)).toEqual(new Set([0]));
      expect(document.current().count).toBe(1);
      expect(await onDisk(path)).toBe(1);
    }));

  test('undoes a failed write and everything that was built on it, and accepts later changes', () =>
    withDocument(async (document, files, path) => {
      files.fault = (operation) => (operation === 'write' ? 'ENOSPC' : undefined);
      const outcomes = await Promise.allSettled([document.update(up), document.update(up), document.update(up)]);
      for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'storage-unavailable' } });
      expect(document.current().count).toBe(0);
      files.fault = undefined;
      expect(await document.update(up)).toEqual({ count: 1 });
      expect(await onDisk(path)).toBe(1);
    }));

  test('has the old value or the new one when a step of its write fails, never a mixture', () =>
    withDocument(async (document, files, path) => {
      for (let step = 1; ; step++) {
        const before = document.current();
        const start = files.operations;
        files.fault = (_operation, _path, n) => (n === start + step ? 'EIO' : undefined);
        const isStored = await document.update(up).then(
          () => true,
          () => false,
        );
        files.fault = undefined;
        expect(document.current()).toEqual(isStored ? up(before) : before);
        expect([before.count, before.count + 1]).toContain(await onDisk(path));
        if (files.operations < start + step) break;
      }
    }));

  test('leaves the previous generation beside it and never loads that by itself', () =>
    withDocument(async (document, files, path) => {
      await document.update(up);
      await document.update(up);
      expect(await onDisk(`${path}.previous`)).toBe(1);
      await files.unlink(path);
      expect(await createDocument({ files, path, format }).load()).toBe(false);
    }));

  test('writes nothing when a change changes nothing', () =>
    withDocument(async (document, files) => {
      const before = files.operations;
      await document.update((now) => now);
      expect(files.operations).toBe(before);
    }));

  test('does not starve a change while others arrive', () =>
    withDocument(async (document) => {
      let isOver = false;
      const others = (async () => {
        while (!isOver) await document.update(up);
      })();
      for (let n = 0; n < 10; n++) await document.update(up);
      isOver = true;
      await others;
    }));
});

describe('a document of an older schema', () => {
  const second: DocumentFormat<Count> = {
    schemaVersion: 3,
    schema: format.schema,
    upgrades: {
      1: (content) => ({ total: (content as Count).count }),
      2: (content) => ({ count: (content as { total: number }).total * 10 }),
    },
  };
  const load = async (files: FileLayer, path: string, as: DocumentFormat<Count>): Promise<Document<Count>> => {
    const document = createDocument({ files, path, format: as, beforeUpgrade: (older) => keepCopy(files, older) });
    await document.load();
    return document;
  };

  test('is upgraded step by step, after a copy was made', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/count.json`;
      const text = '{"schemaVersion":1,"count":4}';
      await writeFile(path, text);
      const document = await load(faultyFiles(), path, second);
      expect(document.current()).toEqual({ count: 40 });
      expect(await readFile(`${path}.schema-1`, 'utf8')).toBe(text);
      await document.update(up);
      expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ schemaVersion: 3, count: 41 });
      expect((await readdir(directory)).sort()).toEqual(['count.json', 'count.json.previous', 'count.json.schema-1']);
    }));

  test('is rejected by name when there is no upgrade for it, or when it is newer', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/count.json`;
      await writeFile(path, '{"schemaVersion":1,"count":4}');
      await expect(load(faultyFiles(), path, { ...second, upgrades: {} })).rejects.toThrow(`${path} has schema 1`);
      await writeFile(path, '{"schemaVersion":4,"count":4}');
      await expect(load(faultyFiles(), path, second)).rejects.toThrow(`${path} was written by a newer latchd (schema 4, this one knows 3)`);
    }));
});

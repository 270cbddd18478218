// What a file of rows promises: a change is stored whole or not at all, whatever happens, and damage is always reported.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { checksummedLine } from '../../../../src/stores/files/checksummed-line.ts';
import { createRowFile } from '../../../../src/stores/files/documents/row-file.ts';
import { type RowChange, type RowFormat, readTop } from '../../../../src/stores/files/documents/row-reader.ts';
import type { RowFile } from '../../../../src/stores/files/documents/rows.ts';
import { type FileLayer, nodeFiles } from '../../../../src/stores/files/files.ts';
import { cuttableFiles } from '../support/cuttable-files.ts';
import { withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';

const row = z.strictObject({ id: z.int(), name: z.string() });
type Row = z.infer<typeof row>;
const format = { of: 'things', schemaVersion: 1, schema: row, idOf: ({ id }: Row) => id };

function rowFile(files: FileLayer, path: string, mayCompact?: () => boolean, some: Partial<RowFormat<Row>> = {}): RowFile<Row> {
  return createRowFile<Row>({ files, path, format: { ...format, ...some }, ...(mayCompact && { mayCompact }) });
}

function put(id: number, name = `row ${id}`): RowChange<Row> {
  return [`r${id}`, { id, name }];
}

/** Makes most of the file outdated. */
async function wear(rows: RowFile<Row>, count = 600): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => 1_000 + n);
  await rows.update(() => ids.map((id) => put(id)));
  await rows.update(() => ids.map((id) => [`r${id}`, null]));
}

async function made(path: string, files: FileLayer = nodeFiles()): Promise<RowFile<Row>> {
  const rows = rowFile(files, path);
  await rows.create([]);
  return rows;
}

/** What a new process finds. */
async function found(path: string, files: FileLayer = nodeFiles()): Promise<readonly Row[]> {
  const rows = rowFile(files, path);
  expect(await rows.load()).toBe(true);
  return [...rows.entries()].map(([, one]) => one);
}

const inFolder = (run: (path: string) => Promise<void>) => withDirectory((directory) => run(join(directory, 'rows.jsonl')));

describe('a file of rows', () => {
  test('says that it is not there', () => inFolder(async (path) => expect(await rowFile(nodeFiles(), path).load()).toBe(false)));

  test('returns the last row of each key, in the order in which the keys were first put, and no dropped row', () =>
    inFolder(async (path) => {
      const rows = await made(path);
      await rows.update(() => [put(2), put(1), put(3)]);
      await rows.update(() => [['r2', null], put(1, 'new')]);
      expect([...rows.entries()]).toEqual([put(1, 'new'), put(3)]);
      expect(await found(path)).toEqual([
        { id: 1, name: 'new' },
        { id: 3, name: 'row 3' },
      ]);
    }));

  test('has one line, with a checksum and readable by people, for all changes of one tick', () =>
    inFolder(async (path) => {
      const rows = await made(path);
      await Promise.all([1, 2, 3].map((id) => rows.update(() => [put(id)])));
      const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
        { of: 'things', schemaVersion: 1, crc: expect.any(String) },
        { rows: [put(1), put(2), put(3)], top: 3, crc: expect.any(String) },
      ]);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }));

  test('builds each change on the newest rows, and shows them only when they are flushed', () =>
    inFolder(async (path) => {
      const rows = await made(path);
      const seen: (string | undefined)[] = [];
      const append = (letter: string) =>
        rows.update(({ get }) => {
          seen.push(rows.get('r1')?.name);
          return [put(1, `${get('r1')?.name ?? ''}${letter}`)];
        });
      await Promise.all([...'abc'].map(append));
      expect(seen).toEqual([undefined, undefined, undefined]);
      expect(rows.get('r1')?.name).toBe('abc');
    }));

  test('rejects with what a change throws, only for that change, and writes nothing of it', () =>
    inFolder(async (path) => {
      const rows = await made(path);
      const refused = rows.update(() => {
        throw new RangeError('no');
      });
      await Promise.all([rows.update(() => [put(1)]), expect(refused).rejects.toThrow('no'), rows.update(() => [put(2)])]);
      expect((await found(path)).map(({ id }) => id)).toEqual([1, 2]);
    }));

  test('calls back for each changed row with the one before, also while it is read', () =>
    inFolder(async (path) => {
      const told: unknown[] = [];
      const tell = (...change: unknown[]) => void told.push(change);
      const rows = createRowFile<Row>({ files: nodeFiles(), path, format, onFlushed: tell });
      await rows.create([]);
      await rows.update(() => [put(1)]);
      await rows.update(() => [['r1', null]]);
      const [, one] = put(1);
      const changes = [
        ['r1', one, undefined],
        ['r1', undefined, one],
      ];
      expect(told.splice(0)).toEqual(changes);
      await createRowFile<Row>({ files: nodeFiles(), path, format, onFlushed: tell }).load();
      expect(told).toEqual(changes);
    }));

  test('says nothing of a row that came and went by one write, or was not there', () =>
    inFolder(async (path) => {
      const [heard, groups]: [string[], number[]] = [[], []];
      const onFlushed = (key: string) => void heard.push(key);
      const rows = createRowFile<Row>({ files: nodeFiles(), path, format, onFlushed, onGroup: (group) => void groups.push(group.length) });
      await rows.create([]);
      await Promise.all([rows.update(() => [put(1), put(2)]), rows.update(() => [['r1', null]])]);
      await rows.update(() => [['r9', null]]);
      expect([heard, groups]).toEqual([['r2'], [1, 0]]);
      expect(await found(path)).toEqual([put(2)[1]]);
    }));

  test('remembers the highest id, also when its row is dropped and the file is rewritten', () =>
    inFolder(async (path) => {
      const rows = await made(path);
      await rows.update(() => [put(7_000), put(3)]);
      await rows.update(() => [['r7000', null]]);
      expect([rows.top(), await readTop(nodeFiles(), path, format)]).toEqual([7_000, 7_000]);
      await rows.update(() => [['r3', null]]);
      await wear(rows);
      await rows.idle();
      expect((await stat(path)).size).toBeLessThan(200);
      expect(await readTop(nodeFiles(), path, format)).toBe(7_000);
      const again = rowFile(nodeFiles(), path);
      await again.load();
      expect([again.top(), again.size]).toEqual([7_000, 0]);
      expect(await readTop(nodeFiles(), `${path}.gone`, format)).toBeUndefined();
    }));

  test('grows with its rows, and not with outdated ones', () =>
    inFolder(async (path) => {
      const rows = await made(path);
      await rows.update(() => Array.from({ length: 10 }, (_, n) => put(n)));
      for (let round = 0; round < 5; round++) await wear(rows);
      await rows.idle();
      expect((await stat(path)).size).toBeLessThan(2_000);
      expect(await found(path)).toHaveLength(10);
    }));

  test('has no secret any more that was dropped, when somebody asks for that: also after a crash, and once a backup has read it', () =>
    inFolder(async (path) => {
      let mayCompact = true;
      const dropsSecret = ({ name }: Row, after: Row | null) => after === null && name.startsWith('secret');
      const open = () => rowFile(nodeFiles(), path, () => mayCompact, { dropsSecret });
      const text = () => readFile(path, 'utf8');
      const rows = open();
      await rows.create([]);
      await rows.update(() => [put(1, 'secret one'), put(2, 'secret two'), put(3, 'secret three')]);
      await rows.tidy();
      await rows.update(() => [['r1', null]]);
      expect(await text()).toContain('secret one');
      await rows.tidy();
      expect(await text()).not.toContain('secret one');
      await rows.update(() => [['r2', null]]);
      const again = open();
      await again.load();
      mayCompact = false;
      await again.tidy();
      expect(await text()).toContain('secret two');
      mayCompact = true;
      await again.update(() => [put(4)]);
      await again.idle();
      expect(await text()).not.toContain('secret two');
      expect((await found(path)).map(({ name }) => name)).toEqual(['secret three', 'row 4']);
    }));

  test('is not rewritten while a backup reads it', () =>
    inFolder(async (path) => {
      let mayCompact = false;
      const rows = rowFile(nodeFiles(), path, () => mayCompact);
      await rows.create([]);
      await rows.update(() => [put(1)]);
      const kept = rows.backupSource('things');
      await rows.update(() => [put(2)]);
      await wear(rows);
      const content = await kept.open();
      const bytes = Buffer.alloc((content?.bytes ?? 0) + 100);
      const length = await content?.read(bytes.subarray(0, content.bytes), 0);
      await content?.close();
      expect(bytes.toString('utf8', 0, length)).toBe(
        checksummedLine({ of: 'things', schemaVersion: 1 }) + checksummedLine({ rows: [put(1)], top: 1 }),
      );
      mayCompact = true;
      await rows.update(() => [put(3)]);
      await rows.idle();
      expect((await stat(path)).size).toBeLessThan(1_000);
      expect((await found(path)).map(({ name }) => name)).toEqual(['row 1', 'row 2', 'row 3']);
    }));
});

describe('a file of rows that was torn or damaged', () => {
  const header = checksummedLine({ of: 'things', schemaVersion: 1 });
  const line = (...changes: RowChange<Row>[]) => checksummedLine({ rows: changes, top: 9 });

  test.each([
    ['in the middle of its last line', line(put(2)).slice(0, 30)],
    ['before its newline', line(put(2)).slice(0, -1)],
    ['where a part of it has not reached the disk', line(put(2)).replace('row', '\0\0\0')],
    ['where nothing of it has', '\0'.repeat(100)],
  ])('is as before when a power cut tore it %s, and accepts the next change', (_where, torn) =>
    inFolder(async (path) => {
      await writeFile(path, header + line(put(1)) + torn);
      const rows = rowFile(nodeFiles(), path);
      await rows.load();
      expect([...rows.entries()]).toEqual([put(1)]);
      await rows.update(() => [put(3)]);
      expect((await found(path)).map(({ id }) => id)).toEqual([1, 3]);
    }),
  );

  test.each([
    ['a byte of a line that was kept', header + line(put(1)).replace('row', 'raw') + line(put(2)), 'line 2 is not as it was written'],
    ['the last line, which is whole', header + line(put(1)) + line(put(2)).replace('row', 'raw'), 'line 3 is not as it was written'],
    ['a line that was kept, to zeros', header + line(put(1)).replace('row', '\0\0\0') + line(put(2)), 'line 2 is not as it was written'],
    ['its header', header.replace('things', 'thongs') + line(put(1)), 'line 1 is not as it was written'],
    ['all', '', 'it has no header'],
    ['that it holds other things', checksummedLine({ of: 'others', schemaVersion: 1 }), 'it holds no things'],
    ['a row, to something else', header + checksummedLine({ rows: [['r1', { id: 1 }]] }), 'line 2 has a wrong r1: name:'],
    ['a line, to something else', header + checksummedLine({ row: 1 }), 'line 2 holds something else than rows'],
  ])('fails to load with the file and the line when something changed %s', (_what, text, problem) =>
    inFolder(async (path) => {
      await writeFile(path, text);
      await expect(rowFile(nodeFiles(), path).load()).rejects.toThrow(`${path} is damaged: ${problem}`);
      expect(await readFile(path, 'utf8')).toBe(text);
    }),
  );

  test('fails to load when a newer program wrote it, and names that', () =>
    inFolder(async (path) => {
      await writeFile(path, checksummedLine({ of: 'things', schemaVersion: 2 }));
      await expect(rowFile(nodeFiles(), path).load()).rejects.toThrow('was written by a newer latchd (schema 2, this one knows 1)');
    }));
});

describe('a file of rows on a disk that fails', () => {
  test('has nothing of a change for which there was no space, and accepts the next one', () =>
    inFolder(async (path) => {
      const files = faultyFiles();
      const rows = await made(path, files);
      await rows.update(() => [put(1)]);
      files.fault = (operation) => (operation === 'commit' ? 'ENOSPC' : undefined);
      await expect(rows.update(() => [put(2)])).rejects.toMatchObject({ code: 'storage-unavailable' });
      expect(rows.get('r2')).toBeUndefined();
      files.fault = (operation) => (operation === 'commit' || operation === 'truncate' ? 'ENOSPC' : undefined);
      await expect(rows.update(() => [put(3)])).rejects.toMatchObject({ code: 'storage-unavailable' });
      // Half of that line is still there.
      expect((await found(path)).map(({ id }) => id)).toEqual([1]);
      files.fault = undefined;
      await rows.update(() => [put(4)]);
      expect((await found(path)).map(({ id }) => id)).toEqual([1, 4]);
    }));

  test('continues with the old file when it cannot be rewritten', () =>
    inFolder(async (path) => {
      const files = faultyFiles();
      const rows = await made(path, files);
      files.fault = (operation, at) => (operation === 'write' && at.endsWith('.tmp') ? 'ENOSPC' : undefined);
      await rows.update(() => [put(1)]);
      await wear(rows);
      expect((await found(path)).map(({ id }) => id)).toEqual([1]);
      expect((await stat(path)).size).toBeGreaterThan(20_000);
      files.fault = undefined;
      for (let round = 0; round < 2; round++) await wear(rows);
      await rows.idle();
      expect((await stat(path)).size).toBeLessThan(200);
    }));

  test('writes nothing more after a failed flush, because the content of the disk is unknown', () =>
    inFolder(async (path) => {
      const files = faultyFiles();
      const rows = await made(path, files);
      files.fault = (operation) => (operation === 'commit' ? 'EIO' : undefined);
      await expect(rows.update(() => [put(1)])).rejects.toMatchObject({ code: 'storage-unavailable' });
      files.fault = undefined;
      await expect(rows.update(() => [put(2)])).rejects.toMatchObject({ code: 'storage-unavailable' });
    }));

  test('has every acknowledged change, and every other one whole or not at all, after a power cut at any step, also during a rewrite', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.record({ id: fc.integer({ min: 1, max: 4 }), drop: fc.boolean() }), { maxLength: 3 }), { maxLength: 8 }),
        async (groups) => {
          const files = cuttableFiles();
          const path = '/data/rows.jsonl';
          await files.makeFolder('/data');
          const rows = await made(path, files);
          // So many outdated lines that the next change rewrites the file.
          await wear(rows, 499);
          await rows.update(() => [put(1, 'before')]);
          const states: string[] = [JSON.stringify([...rows.entries()])];
          let acknowledged = 0;
          const cuts: [kept: number, left: ReadonlyMap<string, Buffer | 'folder'>][] = [];
          files.onChange = () => cuts.push([acknowledged, files.left('least')], [acknowledged, files.left('names')]);
          for (const [n, group] of groups.entries()) {
            const model = rowFile(cuttableFiles(files.left('names')), path);
            await model.load();
            const changes = group.map(({ id, drop }): RowChange<Row> => (drop ? [`r${id}`, null] : put(id, `group ${n}`)));
            await model.update(() => changes);
            states.push(JSON.stringify([...model.entries()]));
            await rows.update(() => changes);
            acknowledged += 1;
          }
          await rows.idle();
          for (const [kept, left] of cuts) {
            const after = rowFile(cuttableFiles(left), path);
            expect(await after.load()).toBe(true);
            expect(states.slice(kept, kept + 2)).toContain(JSON.stringify([...after.entries()]));
          }
        },
      ),
      { numRuns: 20 },
    ));
});

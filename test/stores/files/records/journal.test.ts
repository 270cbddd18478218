// Journals: group commit, what a failed write or flush leaves, and opening after any kind of interruption.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { bodyOf, isIntact, withChecksum } from '../../../../src/stores/files/checksummed-line.ts';
import { nodeFiles } from '../../../../src/stores/files/files.ts';
import { createJournal } from '../../../../src/stores/files/records/journal.ts';
import { createJournalFile, recoverJournal } from '../../../../src/stores/files/records/journal-recovery.ts';
import type { LineBuffer } from '../../../../src/stores/files/records/line-buffer.ts';
import { captureLog, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';

const body = (n: number): string => bodyOf({ n, text: 'ä€🔑'.repeat(n % 3) });
const line = (n: number): Buffer => Buffer.from(withChecksum(body(n)));

async function numbersIn(path: string): Promise<number[]> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  expect(lines.pop()).toBe('');
  while (lines.at(-1) === '') lines.pop();
  expect(lines.filter((one) => !isIntact(Buffer.from(one)))).toEqual([]);
  return lines.map((one) => JSON.parse(one).n);
}

/** What a start finds: the numbers of the good lines, the log, and the side file. */
async function recovered(path: string) {
  const log = captureLog();
  const { file, length } = await recoverJournal(nodeFiles(), path, log, () => true);
  expect(await file.size()).toBe(length);
  await file.close();
  const aside = await readFile(`${path}.damaged`).catch(() => undefined);
  return { numbers: await numbersIn(path), lines: log.lines, aside };
}

describe('a journal', () => {
  test('writes lines that arrive together with one flush, in order', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      const journal = createJournal(await createJournalFile(nodeFiles(), path), 0);
      const positions = await Promise.all(Array.from({ length: 100 }, (_, n) => journal.append(body(n))));
      expect(journal.flushes()).toBe(1);
      expect(positions[0]).toBe(0);
      expect(positions[1]).toBe(line(0).length);
      await Promise.all([journal.append(body(100)), journal.append(body(101))]);
      expect(journal.flushes()).toBe(2);
      expect(await numbersIn(path)).toEqual(Array.from({ length: 102 }, (_, n) => n));
      const last = journal.append(body(102));
      await journal.close();
      await last;
      await expect(journal.append(body(103))).rejects.toMatchObject({ code: 'storage-unavailable' });
    }));

  test.each(['ENOSPC', 'EDQUOT'])('cuts off a write that failed with %s, rejects all of it, and continues when it can', (code) =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      const files = faultyFiles();
      const journal = createJournal(await createJournalFile(files, path), 0);
      await journal.append(body(1));
      files.fault = (operation) => (operation === 'commit' ? code : undefined);
      const outcomes = await Promise.allSettled([2, 3, 4].map((n) => journal.append(body(n))));
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'storage-unavailable', cause: { code } } });
      expect(await numbersIn(path)).toEqual([1]);
      files.fault = undefined;
      await journal.append(body(5));
      expect(await numbersIn(path)).toEqual([1, 5]);
      await journal.close();
    }),
  );

  test('cuts before its next write when it could not cut after the failed one', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      const files = faultyFiles();
      const journal = createJournal(await createJournalFile(files, path), 0);
      await journal.append(body(1));
      files.fault = (operation) => (operation === 'commit' || operation === 'truncate' ? 'ENOSPC' : undefined);
      const put = (lines: LineBuffer) => {
        for (const n of [2, 3, 4, 5]) lines.add(body(n));
      };
      await expect(new Promise((flushed, failed) => journal.enqueue({ put, flushed, failed }))).rejects.toThrow();
      await expect(journal.append(body(6))).rejects.toThrow();
      files.fault = undefined;
      await journal.append(body(7));
      expect(await numbersIn(path)).toEqual([1, 7]);
      await journal.close();
    }));

  test('acknowledges nothing after a failed flush, and never flushes again (Fault T4)', () =>
    withDirectory(async (directory) => {
      const files = faultyFiles();
      const journal = createJournal(await createJournalFile(files, `${directory}/j.jsonl`), 0);
      await journal.append(body(1));
      let flushes = 0;
      files.fault = (operation) => {
        if (operation !== 'commit') return undefined;
        flushes += 1;
        return flushes === 1 ? 'EIO' : undefined;
      };
      const first = journal.append(body(2));
      const outcomes = await Promise.allSettled([first, journal.append(body(3))]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      await expect(journal.append(body(4))).rejects.toMatchObject({ code: 'storage-unavailable' });
      expect(flushes).toBe(1);
      await journal.close();
    }));
});

describe('the newlines behind the lines of an open journal', () => {
  const newlines = Buffer.alloc(10_000, '\n');

  test('are there before a flush needs them, and cut off when the journal is closed', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      const journal = createJournal(await createJournalFile(nodeFiles(), path), 0);
      await journal.append(body(1));
      const { size } = await stat(path);
      expect(size).toBeGreaterThan(100_000);
      await journal.append(body(2));
      expect((await stat(path)).size).toBe(size);
      // More lines than there are newlines left.
      await Promise.all(Array.from({ length: 10_000 }, (_, n) => journal.append(body(n + 3))));
      expect((await stat(path)).size).toBeGreaterThan(journal.length());
      const lines = journal.length();
      await journal.close();
      expect((await stat(path)).size).toBe(lines);
      expect(await numbersIn(path)).toEqual(Array.from({ length: 10_002 }, (_, n) => n + 1));
    }));

  test('take no space from a line: if they do not fit, it is written without them', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      const files = faultyFiles();
      const journal = createJournal(await createJournalFile(files, path), 0);
      let writes = 0;
      files.fault = (operation) => {
        if (operation !== 'commit') return undefined;
        writes += 1;
        return writes % 2 === 1 ? 'ENOSPC' : undefined;
      };
      for (const n of [1, 2]) {
        await journal.append(body(n));
        expect((await stat(path)).size).toBe(journal.length());
      }
      expect(writes).toBe(4);
      expect(await numbersIn(path)).toEqual([1, 2]);
      await journal.close();
    }));

  test('do not count as damage at a start after a kill, and are cut off', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      await writeFile(path, Buffer.concat([line(1), line(2), newlines]));
      expect(await recovered(path)).toEqual({ numbers: [1, 2], lines: [], aside: undefined });
    }));

  test.each([
    ['the end', Buffer.concat([line(3), line(4).subarray(0, 20), newlines]), [1, 2, 3]],
    ['the middle', Buffer.concat([line(3).subarray(0, 20), newlines, line(4).subarray(9), line(5), newlines]), [1, 2, 5]],
    ['the beginning', Buffer.concat([newlines, line(4).subarray(9), line(5), newlines]), [1, 2, 5]],
  ])('show where a power cut tore a group of lines in %s: all acknowledged lines are there', (_, torn, numbers) =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      await writeFile(path, Buffer.concat([line(1), line(2), torn]));
      // No operator has to look at it: nothing is lost, and nothing is left for a person to do.
      expect(await recovered(path)).toEqual({
        numbers,
        lines: [expect.stringMatching(/^warn what a power cut tore .*j\.jsonl/)],
        aside: undefined,
      });
    }),
  );

  test('do not hide that the disk changed an acknowledged line', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      const damaged = Buffer.from(line(2));
      damaged[3] = 0x21;
      await writeFile(path, Buffer.concat([line(1), damaged, line(3), newlines, line(4).subarray(9), line(5), newlines]));
      expect(await recovered(path)).toEqual({
        numbers: [1, 3, 5],
        lines: [expect.stringMatching(/^error damaged lines/), expect.stringMatching(/^warn what a power cut tore/)],
        aside: damaged,
      });
    }));
});

describe('opening a journal', () => {
  const whole = Buffer.concat([1, 2, 3, 4].map(line));
  const starts = [1, 2, 3, 4].map((n) => Buffer.concat([1, 2, 3, 4].slice(0, n - 1).map(line)).length);

  test('leaves every whole line and cuts off the torn one after a cut at any byte', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      for (let length = 0; length <= whole.length; length++) {
        await writeFile(path, whole.subarray(0, length));
        const complete = [1, 2, 3, 4].filter((n) => (starts[n] ?? whole.length) <= length);
        const { numbers, lines, aside } = await recovered(path);
        expect(numbers).toEqual(complete);
        expect(aside).toBeUndefined();
        const isTorn = length !== Buffer.concat(complete.map(line)).length;
        expect(lines.filter((one) => one.startsWith('warn what a power cut tore'))).toHaveLength(isTorn ? 1 : 0);
      }
    }));

  test('sets a flipped line aside, logs it and never serves it, whatever byte was flipped', () =>
    withDirectory(async (directory) => {
      for (let at = 0; at < whole.length; at++) {
        const bits = [0x01, 0x80, 0x2a][at % 3] as number;
        const path = `${directory}/${at}.jsonl`;
        const flipped = Buffer.from(whole);
        flipped[at] = (flipped[at] as number) ^ bits;
        await writeFile(path, flipped);
        const hit = starts.filter((start) => start <= at).length;
        const isNewline = whole[at] === 10;
        const lost = isNewline ? [hit, hit + 1] : [hit];
        const { numbers, lines, aside } = await recovered(path);
        expect(numbers).toEqual([1, 2, 3, 4].filter((n) => !lost.includes(n)));
        // The log must not say that the line was never acknowledged: it may have been the last one that was.
        const isUnfinished = hit === 4 && isNewline;
        expect(lines).toEqual([expect.stringMatching(isUnfinished ? /^warn what a power cut tore/ : /^error damaged lines/)]);
        // The last line without its newline is torn, not damaged: it was never complete.
        if (!isUnfinished) expect(aside?.includes(flipped.subarray(starts[hit - 1], starts[hit]))).toBe(true);
        if (at % 8 === 0) expect((await recovered(path)).lines).toEqual([]);
      }
    }));

  test('sets aside lines that are intact and hold something else', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      await writeFile(path, whole);
      const { file } = await recoverJournal(nodeFiles(), path, captureLog(), (one) => JSON.parse(String(one)).n !== 2);
      await file.close();
      expect(await numbersIn(path)).toEqual([1, 3, 4]);
      expect(await readFile(`${path}.damaged`)).toEqual(line(2));
    }));

  test('gives an empty journal when a power cut left only zeros', () =>
    withDirectory(async (directory) => {
      const path = `${directory}/j.jsonl`;
      await writeFile(path, Buffer.concat([whole, Buffer.alloc(5_000)]));
      expect((await recovered(path)).numbers).toEqual([1, 2, 3, 4]);
      await writeFile(path, Buffer.alloc(5_000));
      expect((await recovered(path)).numbers).toEqual([]);
    }));

  test('is finished by the next start when it dies at any step of a repair', () =>
    withDirectory(async (directory) => {
      const damaged = Buffer.from(whole);
      damaged[(starts[1] as number) + 3] = 0;
      for (let step = 1, isDone = false; !isDone; step++) {
        const path = `${directory}/${step}.jsonl`;
        await writeFile(path, damaged);
        const files = faultyFiles();
        files.fault = (_operation, _path, n) => {
          if (n >= step) files.die();
          return n >= step ? 'EDEAD' : undefined;
        };
        await recoverJournal(files, path, captureLog(), () => true).then(
          async ({ file }) => {
            isDone = true;
            await file.close();
          },
          () => undefined,
        );
        const { numbers, aside } = await recovered(path);
        expect(numbers).toEqual([1, 3, 4]);
        expect(aside?.includes(damaged.subarray(starts[1], starts[2]))).toBe(true);
      }
    }));
});

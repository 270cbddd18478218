// Sealed days: the same records from another file format, over crashes and damage.
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { RecordDraft } from '../../../../src/domain/records/record.ts';
import { type FileLayer, nodeFiles } from '../../../../src/stores/files/files.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import { createMemoryRecords } from '../../../support/memory-stores.ts';
import { type ManualClock, manualClock, startedStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';
import { everything, lockId, sampleEvent, sampleEvents } from '../support/samples.ts';

const dayMs = 86_400_000;
const one = lockId(1);

async function seqsOf(store: Store, lock = one): Promise<number[]> {
  return (await store.ports.records.page({ lockId: lock, ...everything })).list.map(({ seq }) => seq);
}
async function recordFiles(directory: string): Promise<string[]> {
  return (await readdir(`${directory}/records`)).sort();
}
/** Three locks with 200 records each, alternating, all of one day; the clock is at the next day. */
async function withFinishedDay(run: (directory: string, clock: ManualClock) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    const clock = manualClock();
    const { store } = await startedStore(directory, { clock });
    for (let n = 0; n < 20; n++)
      for (const lock of [3, 1, 2]) await store.ports.records.append(lockId(lock), 'e', sampleEvents(n * 10 + 1, n * 10 + 10));
    await store.stop();
    clock.advance(dayMs);
    await run(directory, clock);
  });
}
const allSeqs = Array.from({ length: 200 }, (_, n) => 200 - n);

/** Whole numbers below `limit`, the same ones for the same seed (mulberry32). */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * limit);
  };
}

describe('a sealed day', () => {
  test('has the same lines, sorted by lock and recordId, beside its index', () =>
    withFinishedDay(async (directory, clock) => {
      const path = `${directory}/records/2026-11-21-1.jsonl`;
      const before = (await readFile(path, 'utf8')).split('\n').sort();
      const { store } = await startedStore(directory, { clock });
      await store.maintenance.sealDays();
      expect(await recordFiles(directory)).toEqual(['2026-11-21-1.index', '2026-11-21-1.jsonl']);
      const text = await readFile(path, 'utf8');
      expect(text.split('\n').sort()).toEqual(before);
      const keys = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).lockId * 1e6 + JSON.parse(line).recordId);
      expect(keys).toEqual(keys.toSorted((a, b) => a - b));
      expect(await seqsOf(store)).toEqual(allSeqs);
      await store.stop();
    }));

  test('answers every query as the journal did, before and after a restart', () =>
    withDirectory(async (directory) => {
      const next = random(7);
      const clock = manualClock();
      const model = createMemoryRecords();
      let { store } = await startedStore(directory, { clock });
      const start = clock.now();
      for (let round = 0; round < 60; round++) {
        const lock = lockId(1 + next(4));
        const seq = 1 + next(60) * (1 + next(3));
        const date = start + next(20) * dayMs - 10 * dayMs;
        const events: RecordDraft[] = sampleEvents(seq, seq + next(160)).map((event) => ({ ...event, lockDate: date + next(5) * 1_000 }));
        const epoch = `${next(2)}`;
        const [kept, wanted] = [await store.ports.records.append(lock, epoch, events), await model.append(lock, epoch, events)];
        expect(kept).toEqual(wanted);
        if (next(6) === 0) clock.set(clock.now() + (next(8) - 1) * dayMs);
        if (next(5) === 0) await store.maintenance.sealDays();
        if (next(8) === 0) {
          await store.stop();
          store = (await startedStore(directory, { clock })).store;
        }
        for (let n = 0; n < 4; n++) {
          const from = start + (next(24) - 12) * dayMs;
          const query = {
            lockId: lockId(1 + next(5)),
            from,
            to: from + next(12) * dayMs + next(5) * 1_000,
            pageNo: 1 + next(6),
            pageSize: 10 + next(300),
          };
          const [page, expected] = [await store.ports.records.page(query), await model.page(query)];
          expect({ ...page, list: page.list.map(({ recordId, ...record }) => record) }).toEqual({
            ...expected,
            list: expected.list.map(({ recordId, ...record }) => record),
          });
        }
        expect(store.ports.records.progress(lock, epoch)).toEqual(model.progress(lock, epoch));
        expect(store.ports.records.count()).toBe(model.count());
      }
      await store.stop();
    }));

  test('is finished by the next start after a crash at any step of sealing, and nothing is lost', () =>
    withFinishedDay(async (directory, clock) => {
      const path = `${directory}/records/2026-11-21-1.jsonl`;
      const journal = await readFile(path);
      for (let step = 1, isDone = false; !isDone; step++) {
        await rm(`${directory}/records`, { recursive: true });
        await mkdir(`${directory}/records`);
        const files = faultyFiles();
        const { store } = await startedStore(directory, { clock, files });
        await store.maintenance.sealDays();
        await writeFile(path, journal);
        await store.stop();
        const dying = faultyFiles();
        dying.fault = (operation, at, n) => {
          if (!at.includes('/records') || operation === 'open') return undefined;
          if (n >= counter.begin + step) dying.die();
          return n >= counter.begin + step ? 'EDEAD' : undefined;
        };
        const counter = { begin: Number.POSITIVE_INFINITY };
        const second = await startedStore(directory, { clock, files: dying });
        counter.begin = dying.operations;
        await second.store.maintenance.sealDays();
        expect(await seqsOf(second.store)).toEqual(allSeqs);
        isDone = dying.operations < counter.begin + step;
        dying.die();
        await second.store.stop();
        await rm(`${directory}/latchd.lock`, { force: true });
        const third = (await startedStore(directory, { clock })).store;
        expect(await seqsOf(third)).toEqual(allSeqs);
        await third.maintenance.sealDays();
        expect(await recordFiles(directory)).toEqual(['2026-11-21-1.index', '2026-11-21-1.jsonl']);
        for (const lock of [1, 2, 3]) {
          expect(await seqsOf(third, lockId(lock))).toEqual(allSeqs);
          expect(await third.ports.records.append(lockId(lock), 'e', sampleEvents(1, 200))).toMatchObject({ stored: 0, duplicates: 200 });
        }
        await third.stop();
      }
    }));

  test('is sealed later when the disk was full, and reads work meanwhile', () =>
    withFinishedDay(async (directory, clock) => {
      const files = faultyFiles();
      files.fault = (operation, path) => (operation === 'write' && path.includes('.sealing') ? 'ENOSPC' : undefined);
      const { store, log, fatal } = await startedStore(directory, { clock, files });
      await store.maintenance.sealDays();
      expect(log.lines.join()).toContain('could not be sealed; it is tried again');
      expect(await seqsOf(store)).toEqual(allSeqs);
      await store.ports.records.append(one, 'e', [sampleEvent(201)]);
      files.fault = undefined;
      await store.maintenance.sealDays();
      expect(await recordFiles(directory)).toEqual(['2026-11-21-1.index', '2026-11-21-1.jsonl', '2026-11-22-601.jsonl']);
      expect(await seqsOf(store)).toEqual([201, ...allSeqs]);
      expect(fatal).toEqual([]);
      await store.stop();
    }));

  test('is sealed again when its index is damaged, missing, or of another file; duplicates are still known', () =>
    withFinishedDay(async (directory, clock) => {
      const seal = await startedStore(directory, { clock });
      await seal.store.maintenance.sealDays();
      await seal.store.stop();
      const path = `${directory}/records/2026-11-21-1.index`;
      const index = await readFile(path);
      const flipped = Buffer.from(index);
      flipped[index.length - 40] = (flipped[index.length - 40] as number) ^ 1;
      const longer = Buffer.from(index.toString('utf8'));
      for (const bytes of [undefined, Buffer.alloc(0), index.subarray(0, 100), flipped, index.subarray(0, index.indexOf(10) + 1), longer]) {
        if (bytes) await writeFile(path, bytes);
        else await rm(path);
        if (bytes === longer) await writeFile(`${directory}/records/2026-11-21-1.jsonl`, '{"torn', { flag: 'a' });
        const { store, log } = await startedStore(directory, { clock });
        await store.maintenance.sealDays();
        expect(await seqsOf(store)).toEqual(allSeqs);
        expect(await store.ports.records.append(one, 'e', sampleEvents(1, 200))).toMatchObject({ stored: 0 });
        expect(store.ports.records.progress(lockId(2), 'e')).toMatchObject({ highest: 200, gaps: [] });
        if (bytes) expect(log.lines.filter((line) => line.startsWith('warn')).join()).toMatch(/made again/);
        await store.stop();
        expect(await readFile(path)).toEqual(index);
      }
    }));

  test('does not remember an event that is still being written', () =>
    withFinishedDay(async (directory, clock) => {
      const real = nodeFiles();
      const gate = { open: (): void => undefined };
      const opened = new Promise<void>((resolve) => {
        gate.open = resolve;
      });
      const files: FileLayer = {
        ...real,
        async open(path, mode) {
          const file = await real.open(path, mode);
          if (mode !== 'journal' || !path.includes('2026-11-22')) return file;
          return { ...file, write: (bytes, position) => opened.then(() => file.write(bytes, position)) };
        },
      };
      const { store } = await startedStore(directory, { clock, files });
      const underWay = store.ports.records.append(one, 'e', [sampleEvent(201)]);
      await store.maintenance.sealDays();
      const index = await readFile(`${directory}/records/2026-11-21-1.index`, 'utf8');
      gate.open();
      await underWay;
      const { epochs } = JSON.parse(index.split('\n')[1] as string);
      expect(epochs.map(({ ranges }: { ranges: unknown }) => ranges)).toEqual([[[1, 200]], [[1, 200]], [[1, 200]]]);
      await store.stop();
    }));

  test('never serves a line that was flipped on the disk, and logs it', () =>
    withFinishedDay(async (directory, clock) => {
      const seal = await startedStore(directory, { clock });
      await seal.store.maintenance.sealDays();
      await seal.store.stop();
      const path = `${directory}/records/2026-11-21-1.jsonl`;
      const good = await readFile(path);
      const second = good.indexOf(10) + 1;
      for (let at = second; at < good.indexOf(10, second); at += 11) {
        const bad = Buffer.from(good);
        bad[at] = (bad[at] as number) ^ 4;
        await writeFile(path, bad);
        const { store, log } = await startedStore(directory, { clock });
        expect(await seqsOf(store)).toEqual(allSeqs.filter((seq) => seq !== 2));
        expect(log.lines.join()).toContain('a record is damaged on the disk and cannot be shown');
        await store.stop();
      }
    }));

  test('shows what is left when its file has become shorter, and nothing that another page has read', () =>
    withFinishedDay(async (directory, clock) => {
      const { store, log } = await startedStore(directory, { clock });
      await store.maintenance.sealDays();
      expect(await seqsOf(store, lockId(2))).toEqual(allSeqs);
      await truncate(`${directory}/records/2026-11-21-1.jsonl`, 100);
      for (const lock of [1, 2, 3]) {
        const { list, total } = await store.ports.records.page({ lockId: lockId(lock), ...everything });
        expect({ list, total }).toEqual({ list: [], total: 200 });
      }
      expect(log.lines.join()).toContain('a record is damaged on the disk and cannot be shown');
      await store.stop();
    }));

  test.each([
    ['gone', (path: string) => rm(path), undefined],
    ['empty', (path: string) => truncate(path, 0), 600],
    ['shorter', (path: string) => truncate(path, 1_000), 596],
  ])('is reported when its file is %s at a start', (_, harm, records) =>
    withFinishedDay(async (directory, clock) => {
      const seal = await startedStore(directory, { clock });
      await seal.store.maintenance.sealDays();
      await seal.store.stop();
      await harm(`${directory}/records/2026-11-21-1.jsonl`);
      const { store, log } = await startedStore(directory, { clock });
      const errors = log.lines.filter((line) => line.startsWith('error'));
      expect(errors).toEqual([
        expect.stringMatching(/^error the records of a sealed day are gone, or some of them: .*2026-11-21-1\.jsonl/),
      ]);
      if (records !== undefined) expect(errors[0]).toContain(`"records":${records}`);
      await store.stop();
    }),
  );

  test('does not contain the damaged lines of its journal, which are set aside', () =>
    withFinishedDay(async (directory, clock) => {
      const path = `${directory}/records/2026-11-21-1.jsonl`;
      const { store, log } = await startedStore(directory, { clock: manualClock() });
      const bad = await readFile(path);
      bad[bad.indexOf(10) - 30] = 0;
      await writeFile(path, bad);
      await store.stop();
      const again = await startedStore(directory, { clock });
      await again.store.maintenance.sealDays();
      expect(again.store.ports.records.count()).toBe(599);
      expect(log.lines.filter((line) => !line.startsWith('debug'))).toHaveLength(1);
      expect((await readFile(`${path}.damaged`)).length).toBe(bad.indexOf(10) + 1);
      await again.store.stop();
    }));

  test('is read to the end by a query that began before it was sealed', () =>
    withFinishedDay(async (directory, clock) => {
      const { store } = await startedStore(directory, { clock });
      const pages = Array.from({ length: 50 }, (_, n) =>
        store.ports.records.page({ lockId: one, ...everything, pageNo: (n % 20) + 1, pageSize: 10 }),
      );
      const sealing = store.maintenance.sealDays();
      const more = Array.from({ length: 50 }, (_, n) =>
        store.ports.records.page({ lockId: one, ...everything, pageNo: (n % 20) + 1, pageSize: 10 }),
      );
      for (const page of await Promise.all([...pages, ...more])) {
        expect(page.total).toBe(200);
        expect(page.list).toHaveLength(10);
      }
      await sealing;
      await store.stop();
    }));

  test('takes no space from the events of today: without enough space, a day stays unsealed', () =>
    withFinishedDay(async (directory, clock) => {
      const files = faultyFiles();
      const written: string[] = [];
      files.fault = (_operation, path) => void written.push(path);
      let free = 4 << 20;
      const { store, log } = await startedStore(directory, { clock, files: { ...files, freeBytes: async () => free } });
      await store.maintenance.sealDays();
      expect(log.lines.join()).toContain('a day of records could not be sealed; it is tried again');
      expect(written.filter((path) => path.includes('.sealing'))).toEqual([]);
      expect(await recordFiles(directory)).toEqual(['2026-11-21-1.jsonl']);
      expect(await seqsOf(store)).toEqual(allSeqs);
      free *= 2;
      await store.maintenance.sealDays();
      expect(await recordFiles(directory)).toEqual(['2026-11-21-1.index', '2026-11-21-1.jsonl']);
      await store.stop();
    }));

  test('without a record is deleted', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      const files = faultyFiles();
      const { store } = await startedStore(directory, { clock, files });
      files.fault = (operation, path) => (operation === 'commit' && path.endsWith('.jsonl') ? 'ENOSPC' : undefined);
      await expect(store.ports.records.append(one, 'e', sampleEvents(1, 3))).rejects.toThrow();
      files.fault = undefined;
      expect(await recordFiles(directory)).toEqual(['2026-11-21-1.jsonl']);
      clock.advance(dayMs);
      await store.maintenance.sealDays();
      expect(await recordFiles(directory)).toEqual([]);
      await store.ports.records.append(one, 'e', sampleEvents(1, 3));
      expect(await seqsOf(store)).toEqual([3, 2, 1]);
      await store.stop();
    }));
});

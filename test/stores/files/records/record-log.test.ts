// The record log over crashes, failures and clocks that jump.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { LockRecord } from '../../../../src/domain/records/record.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import { manualClock, startedStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';
import { everything, lockId, sampleEvent, sampleEvents } from '../support/samples.ts';

const one = lockId(1);
const dayMs = 86_400_000;

async function listOf(store: Store, lock = one): Promise<readonly LockRecord[]> {
  return (await store.ports.records.page({ lockId: lock, ...everything })).list;
}
const seqsOf = async (store: Store): Promise<number[]> => (await listOf(store)).map(({ seq }) => seq);

/** As after kill -9: no open file is closed or written. */
async function crash(store: Store, files: ReturnType<typeof faultyFiles>, directory: string): Promise<void> {
  files.die();
  await store.stop();
  await rm(`${directory}/latchd.lock`, { force: true });
}

describe('records', () => {
  test('are flat JSON lines in the file', () =>
    withDirectory(async (directory) => {
      const { store } = await startedStore(directory);
      await store.ports.records.append(one, '7d3f', [sampleEvent(1, { username: '', reportedDate: 5 })]);
      await store.stop();
      expect(await readdir(`${directory}/records`)).toEqual(['2026-11-21-1.jsonl']);
      const line = (await readFile(`${directory}/records/2026-11-21-1.jsonl`, 'utf8')).trimEnd();
      expect(line).toMatch(
        /^\{"recordId":1,"lockId":1,"epoch":"7d3f","seq":1,"type":"card-unlock","success":true,"credential":"1325672378","username":"","lockDate":\d+,"serverDate":\d+,"reportedDate":5,"crc":"[0-9a-f]{8}"\}$/,
      );
    }));

  test('appear only after their flush, and a duplicate waits for the flush of the first', () =>
    withDirectory(async (directory) => {
      const files = faultyFiles();
      const { store } = await startedStore(directory, { files });
      await store.ports.records.append(one, 'e', sampleEvents(1, 1));
      const totals: Promise<number>[] = [];
      files.fault = (operation) => {
        if (operation === 'commit') totals.push(store.ports.records.page({ lockId: one, ...everything }).then(({ total }) => total));
        return undefined;
      };
      const order: string[] = [];
      const first = store.ports.records.append(one, 'e', sampleEvents(2, 3)).then((outcome) => order.push(`first ${outcome.stored}`));
      expect(store.ports.records.progress(one, 'e').highest).toBe(3);
      const second = store.ports.records.append(one, 'e', sampleEvents(3, 4)).then((outcome) => order.push(`second ${outcome.stored}`));
      await Promise.all([first, second]);
      expect(order).toEqual(['first 2', 'second 1']);
      expect(await Promise.all(totals)).toEqual([1, 3]);
      expect(await seqsOf(store)).toEqual([4, 3, 2, 1]);
      await store.stop();
    }));

  test('of a failed flush are stored by the duplicate that waited for them, if the disk works then', () =>
    withDirectory(async (directory) => {
      const files = faultyFiles();
      const { store } = await startedStore(directory, { files });
      await store.ports.records.append(one, 'e', sampleEvents(1, 1));
      let failures = 0;
      files.fault = (operation) => {
        if (operation !== 'commit' || failures > 0) return undefined;
        failures += 1;
        return 'ENOSPC';
      };
      const outcomes = await Promise.allSettled([
        store.ports.records.append(one, 'e', sampleEvents(2, 3)),
        store.ports.records.append(one, 'e', sampleEvents(3, 4)),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
      expect(await seqsOf(store)).toEqual([4, 3, 1]);
      expect(store.ports.records.progress(one, 'e')).toMatchObject({ highest: 4, gaps: [[2, 2]] });
      expect(await store.ports.records.append(one, 'e', sampleEvents(2, 4))).toMatchObject({ stored: 1, duplicates: 2 });
      await store.stop();
    }));

  test('that could not be stored leave nothing behind: no epoch, no gap', () =>
    withDirectory(async (directory) => {
      const files = faultyFiles();
      const { store } = await startedStore(directory, { files });
      files.fault = (operation) => (operation === 'commit' ? 'ENOSPC' : undefined);
      for (let n = 0; n < 10; n++) await expect(store.ports.records.append(one, `${n}`, [sampleEvent(n + 1)])).rejects.toThrow();
      files.fault = undefined;
      expect(await store.ports.records.append(one, 'e', sampleEvents(1, 1))).toMatchObject({ stored: 1 });
      expect(store.ports.records.progress(one, '3')).toEqual({ highest: 0, gaps: [], isBeginning: false });
      await store.stop();
    }));

  test('of the open day are the same objects each time they are read, beside newer ones', () =>
    withDirectory(async (directory) => {
      const { store } = await startedStore(directory);
      await store.ports.records.append(one, 'e', sampleEvents(1, 3));
      const before = await listOf(store);
      await store.ports.records.append(one, 'e', sampleEvents(4, 4));
      const [newest, ...others] = await listOf(store);
      expect(newest?.seq).toBe(4);
      expect(others.map((record, n) => record === before[n])).toEqual([true, true, true]);
      await store.stop();
    }));
});

describe('recordIds', () => {
  test('are never given out twice: not after a crash, not when every record file was deleted', () =>
    withDirectory(async (directory) => {
      const given = new Set<number>();
      for (const how of ['stop', 'crash', 'delete', 'crash and delete', 'end']) {
        const files = faultyFiles();
        const { store } = await startedStore(directory, { files });
        await store.ports.records.append(one, how, sampleEvents(1, 5));
        const fresh = (await listOf(store)).filter(({ epoch }) => epoch === how).map(({ recordId }) => recordId);
        expect(fresh).toHaveLength(5);
        for (const recordId of fresh) {
          expect(Math.max(0, ...given)).toBeLessThan(recordId);
        }
        for (const recordId of fresh) given.add(recordId);
        if (how.startsWith('crash')) await crash(store, files, directory);
        else await store.stop();
        if (!how.endsWith('delete')) continue;
        for (const name of await readdir(`${directory}/records`)) await rm(`${directory}/records/${name}`);
      }
    }));

  test('continue without a hole after a clean stop', () =>
    withDirectory(async (directory) => {
      for (let n = 1; n <= 3; n++) {
        const { store } = await startedStore(directory);
        await store.ports.records.append(one, 'e', [sampleEvent(n)]);
        expect((await listOf(store))[0]?.recordId).toBe(n);
        await store.stop();
      }
    }));

  test('continue beyond one reserved block', () =>
    withDirectory(async (directory) => {
      const { store } = await startedStore(directory);
      const calls = Array.from({ length: 300 }, (_, n) => store.ports.records.append(lockId(n + 1), 'e', sampleEvents(1, 100)));
      await Promise.all(calls);
      expect(store.ports.records.count()).toBe(30_000);
      const ids = new Set<number>();
      for (let n = 1; n <= 300; n++) for (const { recordId } of await listOf(store, lockId(n))) ids.add(recordId);
      expect(ids.size).toBe(30_000);
      await store.stop();
      const again = await startedStore(directory);
      await again.store.ports.records.append(one, 'f', sampleEvents(1, 1));
      expect((await listOf(again.store))[0]?.recordId).toBe(30_001);
      await again.store.stop();
    }));
});

describe('a crash', () => {
  test('at any byte of the last lines loses no whole line, and what was torn can be sent again', () =>
    withDirectory(async (directory) => {
      const { store } = await startedStore(directory);
      await store.ports.records.append(one, 'e', sampleEvents(1, 3));
      await store.stop();
      const path = `${directory}/records/2026-11-21-1.jsonl`;
      const whole = await readFile(path);
      const third = whole.lastIndexOf('\n', whole.length - 2) + 1;
      for (let length = third; length <= whole.length; length += 7) {
        await writeFile(path, whole.subarray(0, length));
        const again = (await startedStore(directory)).store;
        expect(await seqsOf(again)).toEqual(length === whole.length ? [3, 2, 1] : [2, 1]);
        expect(await again.ports.records.append(one, 'e', sampleEvents(1, 3))).toMatchObject({ stored: length === whole.length ? 0 : 1 });
        await again.stop();
      }
    }));
});

describe('a clock that jumps', () => {
  test('begins a new file, forwards and backwards, and the order stays that of the recordIds', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      const start = clock.now();
      const { store } = await startedStore(directory, { clock });
      for (const [n, days] of [0, 1, 0, 3_650, -400, 0].entries()) {
        clock.set(start + days * dayMs);
        await store.ports.records.append(one, 'e', [sampleEvent(n + 1)]);
      }
      expect(await seqsOf(store)).toEqual([6, 5, 4, 3, 2, 1]);
      await store.stop();
      expect((await readdir(`${directory}/records`)).sort()).toEqual([
        '2025-10-17-5.jsonl',
        '2026-11-21-1.jsonl',
        '2026-11-21-3.jsonl',
        '2026-11-21-6.jsonl',
        '2026-11-22-2.jsonl',
        '2036-11-18-4.jsonl',
      ]);
      const again = await startedStore(directory, { clock });
      expect(await seqsOf(again.store)).toEqual([6, 5, 4, 3, 2, 1]);
      expect(await again.store.ports.records.append(one, 'e', [sampleEvent(2), sampleEvent(7)])).toMatchObject({
        stored: 1,
        duplicates: 1,
      });
      await again.store.stop();
      expect((await readdir(`${directory}/records`)).filter((name) => name.endsWith('.jsonl'))).toHaveLength(6);
    }));

  test('beyond all bounds stores records all the same', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      const { store } = await startedStore(directory, { clock });
      for (const [n, now] of [-1e15, 8.64e15, 0].entries()) {
        clock.set(now);
        await store.ports.records.append(one, 'e', [sampleEvent(n + 1)]);
      }
      await store.stop();
      const again = await startedStore(directory, { clock });
      expect(await seqsOf(again.store)).toEqual([3, 2, 1]);
      await again.store.stop();
    }));
});

test('a ninth epoch replaces one without a record within the retention', () =>
  withDirectory(async (directory) => {
    const clock = manualClock();
    const { store } = await startedStore(directory, { clock });
    for (let n = 1; n <= 8; n++) await store.ports.records.append(one, `${n}`, [sampleEvent(1, { serverDate: clock.now() + n })]);
    clock.advance(100 * dayMs);
    expect((await store.ports.records.append(one, '9', [sampleEvent(1)])).refused).toHaveLength(1);
    clock.advance(90 * dayMs);
    expect((await store.ports.records.append(one, '9', [sampleEvent(1, { serverDate: clock.now() })])).stored).toBe(1);
    expect(store.ports.records.progress(one, '1')).toEqual({ highest: 0, gaps: [], isBeginning: false });
    expect(store.ports.records.progress(one, '2').highest).toBe(1);
    await store.stop();
  }));

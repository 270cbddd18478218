// A file of records or its index that exists but cannot be read at a start (Faults T4 and T5): doors serve, no answer leaves its records
// out silently, nothing is stored twice, and no restart is needed.
import { readdir, rename } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { Store } from '../../../../src/stores/files/store.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { type ManualClock, manualClock, type TestStore, testStore, withDirectory } from '../support/directory.ts';
import { type FaultyFiles, faultyFiles } from '../support/faulty-files.ts';
import { everything, lockId, sampleEvents, sampleLock } from '../support/samples.ts';

const one = lockId(1);
const dayMs = 86_400_000;
const [first, second] = ['2026-11-21-1.jsonl', '2026-11-22-11.jsonl'];

const page = (store: Store) => store.ports.records.page({ lockId: one, ...everything });
const seqs = async (store: Store) => (await page(store)).list.map(({ seq }) => seq);
const refused = (message: string) => expect.objectContaining({ code: 'storage-unavailable', message: expect.stringContaining(message) });

/** Events 1 to 10 are in a sealed day, 11 to 20 in the present day. */
async function withTwoDays(run: (directory: string, clock: ManualClock, files: FaultyFiles) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    const clock = manualClock();
    for (const from of [1, 11]) {
      const { store } = testStore(directory, { clock });
      await store.start();
      if (from === 1) await store.ports.locks.add(sampleLock(1, { roles: [] }));
      await store.maintenance.sealDays();
      await store.ports.records.append(one, 'e', sampleEvents(from, from + 9));
      await store.stop();
      if (from === 1) clock.advance(dayMs);
    }
    await run(directory, clock, faultyFiles());
  });
}
async function startWith(directory: string, clock: ManualClock, files: FaultyFiles, ...unreadable: string[]): Promise<TestStore> {
  files.unreadable = (path) => (unreadable.some((name) => path.endsWith(name)) ? 'EIO' : undefined);
  const made = testStore(directory, { clock, files });
  await made.store.start();
  await made.store.maintenance.sealDays();
  return made;
}
/** Does what the storage probe does every few seconds, until every file can be read. */
async function probed(store: Store, clock: ManualClock): Promise<void> {
  while (store.maintenance.unreadable()) {
    clock.advance(10_000);
    await store.maintenance.probe(1).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe('the file of today', () => {
  test.each([
    ['EIO', 'read'],
    ['EACCES', 'open'],
  ] as const)(
    'refuses pages and events and prevents sealing while it cannot be read (%s, %s), and all is as before when it can',
    (code, step) =>
      withTwoDays(async (directory, clock, files) => {
        files.unreadable = (path, at) => (path.endsWith(second as string) && at === step ? code : undefined);
        // A day on, so that there is something to seal.
        clock.advance(dayMs);
        const { store, log } = testStore(directory, { clock, files });
        await store.start();
        await store.maintenance.sealDays();
        expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([
          expect.stringMatching(
            /cannot be read: doors answer.*locks keep their new events.*"code":"records-unreadable","file":"2026-11-22-11.jsonl"/,
          ),
        ]);
        expect(store.ports.locks.all()).toHaveLength(1);
        await expect(page(store)).rejects.toEqual(refused(`The records in ${second} cannot be read.`));
        await expect(page(store)).rejects.toEqual(refused(`(${code})`));
        await expect(store.ports.records.append(one, 'e', sampleEvents(20, 21))).rejects.toEqual(refused(second as string));
        await expect(store.maintenance.probe(1)).rejects.toEqual(refused(second as string));
        expect(store.maintenance.unreadable()).toEqual(refused(second as string));
        // The lock is not asked for events that it may have sent already.
        expect(store.ports.records.progress(one, 'e').gaps).toEqual([]);
        expect(store.ports.records.progress(one, 'e').highest).toBeGreaterThan(1_000_000);
        await expect(store.maintenance.atOneInstant(async () => 'a backup without that day')).rejects.toEqual(refused(second as string));
        expect((await readdir(`${directory}/records`)).sort()).toEqual(['2026-11-21-1.index', first, second]);

        files.unreadable = undefined;
        await probed(store, clock);
        await store.maintenance.probe(1);
        expect(log.lines.join()).toContain('a file of records can be read again');
        expect(store.ports.records.newest()).toBe(20);
        expect(store.ports.records.newest()).toBe(20);
        expect(await store.ports.records.append(one, 'e', sampleEvents(19, 21))).toMatchObject({ stored: 1, duplicates: 2 });
        expect(await seqs(store)).toEqual(Array.from({ length: 21 }, (_, n) => 21 - n));
        await store.maintenance.sealDays();
        await store.stop();
        expect(await readdir(`${directory}/records`)).toContain('2026-11-22-11.index');
        expect((await verify(directory)).findings).toEqual([]);
      }),
  );

  test('may be moved away by a person when it is lost: the rest works without a restart, and no recordId is given out again', () =>
    withTwoDays(async (directory, clock, files) => {
      const { store, log } = await startWith(directory, clock, files, second as string);
      await rename(`${directory}/records/${second}`, `${directory}/lost.jsonl`);
      await probed(store, clock);
      await store.maintenance.probe(1);
      expect(log.lines.join()).toContain('is gone, and its records with it');
      await store.ports.records.append(one, 'e', sampleEvents(21, 21));
      const { list } = await page(store);
      expect(list.map(({ seq }) => seq)).toEqual([21, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
      expect(list[0]?.recordId).toBeGreaterThan(20);
      await store.stop();
    }));

  test('is not read again at every probe, and a stop waits for the reading', () =>
    withTwoDays(async (directory, clock, files) => {
      const { store, log } = await startWith(directory, clock, files, second as string);
      let reads = 0;
      files.unreadable = (path) => {
        if (!path.endsWith(second as string)) return undefined;
        reads += 1;
        return 'EIO';
      };
      const ended = () => log.lines.filter((line) => line.includes('still cannot be read')).length;
      for (let n = 0; n < 20; n++) {
        clock.advance(2_000);
        await store.maintenance.probe(1).catch(() => undefined);
        // Every fifth probe is 10 s after the last attempt, and begins another one in the background.
        while (ended() <= Math.floor(n / 5)) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(reads).toBe(4);
      files.unreadable = undefined;
      clock.advance(10_000);
      await store.maintenance.probe(1).catch(() => undefined);
      await store.stop();
      expect((await verify(directory)).findings).toEqual([]);
    }));
});

describe('an older file', () => {
  test('refuses pages until it is read, but with a later index events are accepted and duplicates known', () =>
    withTwoDays(async (directory, clock, files) => {
      clock.advance(dayMs);
      const before = await startWith(directory, clock, files);
      await before.store.stop();
      const { store, log } = await startWith(directory, clock, files, first as string);
      expect(log.lines.join()).not.toContain('locks keep their new events');
      await store.maintenance.probe(1);
      expect(store.maintenance.unreadable()).toEqual(refused(first as string));
      expect(await store.ports.records.append(one, 'e', sampleEvents(1, 22))).toMatchObject({ stored: 2, duplicates: 20 });
      await expect(page(store)).rejects.toEqual(refused(first as string));
      files.unreadable = undefined;
      await probed(store, clock);
      expect(await seqs(store)).toEqual(Array.from({ length: 22 }, (_, n) => 22 - n));
      await store.stop();
      expect((await verify(directory)).findings).toEqual([]);
    }));
});

test('gets its unreadable index made again: nothing is missing, and nothing is stored twice', () =>
  withTwoDays(async (directory, clock, files) => {
    const { store } = await startWith(directory, clock, files, '.index');
    expect(store.maintenance.unreadable()).toBeUndefined();
    expect(await store.ports.records.append(one, 'e', sampleEvents(1, 21))).toMatchObject({ stored: 1, duplicates: 20 });
    expect(await seqs(store)).toEqual(Array.from({ length: 21 }, (_, n) => 21 - n));
    await store.stop();
    expect((await verify(directory)).findings).toEqual([]);
  }));

test('makes the gateway reject events when it and its index are unreadable, even below a day that is readable', () =>
  withTwoDays(async (directory, clock, files) => {
    clock.advance(dayMs);
    const { store } = await startWith(directory, clock, files, '.index', first as string);
    // The later day is not sealed either: its index would claim to cover the events of the older one.
    expect(await readdir(`${directory}/records`)).not.toContain('2026-11-22-11.index');
    await expect(store.ports.records.append(one, 'e', sampleEvents(1, 1))).rejects.toEqual(refused(first as string));
    files.unreadable = undefined;
    await probed(store, clock);
    expect(await store.ports.records.append(one, 'e', sampleEvents(1, 21))).toMatchObject({ stored: 1, duplicates: 20 });
    await store.stop();
  }));

test('does not stop verify, which names unreadable files and checks the others', () =>
  withTwoDays(async (directory, _clock, files) => {
    files.unreadable = (path) => (/22-11\.jsonl|21-1\.index|command\.key|quarantine\.jsonl|accounts\.jsonl/.test(path) ? 'EIO' : undefined);
    const { findings, records } = await verify(directory, files);
    expect(findings).toEqual([
      { file: 'accounts.jsonl', problem: 'cannot be read (EIO)' },
      { file: 'command.key', problem: 'cannot be read (EIO)' },
      { file: 'quarantine.jsonl', problem: 'cannot be read (EIO)' },
      { file: 'records/2026-11-21-1.index', problem: 'cannot be used: EIO' },
      { file: `records/${second}`, problem: 'cannot be read (EIO)' },
    ]);
    expect(records).toBe(10);
  }));

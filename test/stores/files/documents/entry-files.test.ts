// The cards of locks on the disk: read on demand, one write per card, and upgraded from the documents that contained them.
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { CardId } from '../../../../src/domain/credentials/card.ts';
import { always, type Held } from '../../../../src/domain/credentials/entry.ts';
import { createEntries } from '../../../../src/domain/credentials/lock-entries.ts';
import type { LockId } from '../../../../src/domain/locks/lock.ts';
import { createEntriesInMemory } from '../../../../src/stores/files/documents/entries-in-memory.ts';
import { nodeFiles } from '../../../../src/stores/files/files.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import { inspect } from '../../../../src/stores/files/verify/inspect.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { cuttableFiles } from '../support/cuttable-files.ts';
import { manualClock, startedStore, testStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';
import { lockId, sampleEntry, sampleLock, unsureEntry } from '../support/samples.ts';

/** The data of a gateway that stored cards in the documents of their locks, killed while two changes were running. */
const older = join(import.meta.dirname, 'schema-2');
const clock = () => manualClock(Date.UTC(2026, 10, 22, 12));

const said = (window: object, held: Partial<Held> = {}) => ({ window: { ...always, ...window }, sure: true, basis: 'phone', ...held });
/** What is known of a card that an older program had in its list, or had begun to change. */
const card = (entryId: number, of: number, number: string, name: string, direct: object | null, held: object) =>
  expect.objectContaining({
    ...{ entryId, lockId: of, kind: 'card', number, name, createdBy: 'admin', managed: true, credentialId: null, missing: false },
    direct: direct && { ...always, ...direct },
    held: expect.objectContaining(held),
  });
const bob = { startDate: 1_760_000_000_000, endDate: 1_960_000_000_000 };
const taken = [
  [card(1, 1, '1001', 'Alice', {}, said({})), card(2, 1, '001002', 'Bob', bob, said(bob))],
  [card(4, 2, '1001', 'Alice', {}, said({})), card(6, 2, '2002', 'Open', null, said({}, { sure: false }))],
  [card(5, 3, '3001', 'Dora', {}, said({ startDate: 5, endDate: 1_990_000_000_000 }, { sure: false, before: always }))],
  [],
];

async function entriesOf(store: Store): Promise<unknown[]> {
  return Promise.all([1, 2, 3, 4].map(async (id) => (await store.ports.entries.of(lockId(id))).entries));
}

describe('a data directory of schema 2', () => {
  test('gets its cards moved into files of their own, once and after a backup', () =>
    withDirectory(async (directory) => {
      await cp(older, directory, { recursive: true });
      let backups = 0;
      for (let start = 0; start < 3; start++) {
        const { store } = await startedStore(directory, { clock: clock(), beforeUpgrade: async () => void backups++ });
        expect(await entriesOf(store)).toEqual(taken);
        await store.stop();
      }
      expect(backups).toBe(1);
      expect((await readdir(`${directory}/cards`)).sort()).toEqual(['1.jsonl', '2.jsonl', '3.jsonl']);
      const document = JSON.parse(await readFile(`${directory}/locks/2.json`, 'utf8')) as object;
      expect(document).toMatchObject({ schemaVersion: 4, hasCards: true });
      expect(Object.keys(document)).not.toContain('cards');
      expect(await readFile(`${directory}/locks/2.json.schema-2`, 'utf8')).toBe(await readFile(`${older}/locks/2.json`, 'utf8'));
      expect((await stat(`${directory}/cards/1.jsonl`)).mode & 0o777).toBe(0o600);
      const { findings } = await verify(directory);
      expect(findings.filter(({ problem }) => !/^may be read/.test(problem))).toEqual([]);
    }));

  test('gives out no cardId again', () =>
    withDirectory(async (directory) => {
      await cp(older, directory, { recursive: true });
      const counters = await readFile(`${directory}/counters.json`, 'utf8');
      await writeFile(`${directory}/counters.json`, counters.replace(/"cardId": \d+/, '"cardId": 2'));
      const { store } = await startedStore(directory, { clock: clock() });
      expect(await store.ports.counters.next('cardId')).toBe(7);
      await store.stop();
    }));

  test('is not upgraded while the disk is full, and upgraded when there is space', () =>
    withDirectory(async (directory) => {
      await cp(older, directory, { recursive: true });
      const files = faultyFiles();
      files.fault = (operation, path) => (operation === 'write' && path.includes('/cards/') ? 'ENOSPC' : undefined);
      await expect(startedStore(directory, { files, clock: clock() })).rejects.toMatchObject({ code: 'storage-unavailable' });
      const { store } = await startedStore(directory, { clock: clock() });
      expect(await entriesOf(store)).toEqual(taken);
      await store.stop();
    }));

  test('has every entry once after a power cut at any step of the move', () => afterAnyCut(older, clock, entriesOf, taken));
});

describe('a data directory of schema 3', () => {
  const rowsOfThen = join(import.meta.dirname, '../../../end-to-end/older-data/schema-3');
  const then = () => manualClock(Date.UTC(2026, 10, 23, 12));
  const till = { startDate: 1_760_000_000_000, endDate: 1_960_000_000_000 };
  const dora = { startDate: 5, endDate: 1_990_000_000_000 };
  const all = [
    [card(1, 1, '1001', 'Alice', {}, said({})), card(2, 1, '001002', 'Bob', till, said(till)), card(3, 1, '1003', 'Carol', {}, said({}))],
    [card(4, 2, '1001', 'Alice', {}, said({}))],
    [card(5, 3, '2002', 'Open', null, said({}, { sure: false }))],
    [card(6, 4, '3004', 'Dora 4', {}, said(dora, { sure: false, before: always }))],
    [card(7, 5, '3005', 'Dora 5', {}, { window: null, sure: false, before: always })],
  ];
  const allOf = (store: Store) => Promise.all([1, 2, 3, 4, 5].map(async (id) => (await store.ports.entries.of(lockId(id))).entries));

  test('gets its rows written anew at a start, with a copy of each file, and no later start reads them', () =>
    withDirectory(async (directory) => {
      await cp(rowsOfThen, directory, { recursive: true });
      let backups = 0;
      const first = await startedStore(directory, { clock: then(), beforeUpgrade: async () => void backups++ });
      await first.store.stop();
      expect(backups).toBe(1);
      expect((await readdir(`${directory}/cards`)).sort()).toEqual(
        [1, 2, 3, 4, 5].flatMap((id) => [`${id}.jsonl`, `${id}.jsonl.schema-1`]),
      );
      expect(await readFile(`${directory}/cards/1.jsonl.schema-1`)).toEqual(await readFile(`${rowsOfThen}/cards/1.jsonl`));
      const opened: string[] = [];
      const files = faultyFiles();
      files.unreadable = (path, step) => {
        if (step === 'open' && path.includes('/cards/')) opened.push(path);
        return undefined;
      };
      const { store } = await startedStore(directory, { clock: then(), files });
      expect(opened).toEqual([]);
      expect(await allOf(store)).toEqual(all);
      await store.ports.locks.remove(lockId(1));
      expect((await readdir(`${directory}/cards`)).filter((name) => name.startsWith('1.'))).toEqual([]);
      await store.stop();
    }));

  test('serves when one of the files is damaged, and has that one as it was', () =>
    withDirectory(async (directory) => {
      await cp(rowsOfThen, directory, { recursive: true });
      const path = `${directory}/cards/1.jsonl`;
      const damaged = (await readFile(path, 'utf8')).replace('"name":"Bob"', '"name":"Bub"');
      await writeFile(path, damaged);
      const { store } = await startedStore(directory, { clock: then() });
      expect(store.ports.locks.get(lockId(1))).toBeDefined();
      await expect(store.ports.entries.of(lockId(1))).rejects.toMatchObject({ code: 'storage-unavailable' });
      expect((await store.ports.entries.of(lockId(2))).entries).toEqual(all[1]);
      await store.stop();
      expect(await readFile(path, 'utf8')).toBe(damaged);
    }));

  test('is not upgraded while the disk is full, and upgraded when there is space', () =>
    withDirectory(async (directory) => {
      await cp(rowsOfThen, directory, { recursive: true });
      const files = faultyFiles();
      for (const folder of ['/cards/', '/locks/']) {
        files.fault = (operation, path) => (operation === 'write' && path.includes(folder) ? 'ENOSPC' : undefined);
        await expect(startedStore(directory, { files, clock: then() })).rejects.toMatchObject({ code: 'storage-unavailable' });
      }
      const { store } = await startedStore(directory, { clock: then() });
      expect(await allOf(store)).toEqual(all);
      await store.stop();
    }));

  test('has every entry once after a power cut at any step', () => afterAnyCut(rowsOfThen, then, allOf, all));

  test('may give one of its files back to a gateway of today, which upgrades it when it is needed', () =>
    withDirectory(async (directory) => {
      await cp(rowsOfThen, directory, { recursive: true });
      const first = await startedStore(directory, { clock: then() });
      await first.store.stop();
      await cp(`${rowsOfThen}/cards/4.jsonl`, `${directory}/cards/4.jsonl`);
      expect((await verify(directory)).findings.filter(({ problem }) => !/^may be read/.test(problem))).toEqual([]);
      const { store } = await startedStore(directory, { clock: then() });
      await store.ports.entries.update(lockId(4), () => ({ put: [sampleEntry(9, 4)] }));
      expect((await store.ports.entries.of(lockId(4))).entries).toEqual([...(all[3] ?? []), sampleEntry(9, 4)]);
      await store.stop();
      const { store: again } = await startedStore(directory, { clock: then() });
      expect((await again.ports.entries.of(lockId(4))).entries).toHaveLength(2);
      await again.stop();
    }));
});

/** Starts on a copy of this directory, and again on what a power cut at each moment of that leaves: each has `expected`. */
async function afterAnyCut(
  directory: string,
  clockOf: typeof clock,
  read: (store: Store) => Promise<unknown>,
  expected: unknown,
): Promise<void> {
  const found = new Map<string, Buffer | 'folder'>([
    ['/', 'folder'],
    ['/data', 'folder'],
  ]);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join('/data', relative(directory, join(entry.parentPath, entry.name)));
    found.set(path, entry.isDirectory() ? 'folder' : await readFile(join(entry.parentPath, entry.name)));
  }
  const cuts = new Map<string, ReadonlyMap<string, Buffer | 'folder'>>();
  const files = cuttableFiles(found);
  files.onChange = () => {
    for (const how of ['least', 'names'] as const) {
      const left = files.left(how);
      const state = [...left]
        .map(([path, bytes]) => `${path} ${bytes === 'folder' ? '' : bytes.toString('latin1')}`)
        .sort()
        .join('\n');
      cuts.set(state, left);
    }
  };
  const { store } = testStore('/data', { files, clock: clockOf() });
  await store.start();
  await store.stop();
  files.onChange = undefined;
  expect(cuts.size).toBeGreaterThan(50);
  for (const left of cuts.values()) {
    const { store: again } = testStore('/data', { files: cuttableFiles(left), clock: clockOf() });
    await again.start();
    expect(await read(again)).toEqual(expected);
    await again.stop();
  }
}

describe('the file of the cards of a lock', () => {
  async function withLock(run: (store: Store, directory: string) => Promise<void>): Promise<void> {
    await withDirectory(async (directory) => {
      const { store } = await startedStore(directory);
      await store.ports.locks.add(sampleLock(1));
      await store.ports.locks.add(sampleLock(2));
      await store.ports.entries.update(lockId(1), () => ({ put: [sampleEntry(1, 1)] }));
      await run(store, directory);
      await store.stop();
    });
  }

  test('exists from the first card on, and grows by one line per change', () =>
    withLock(async (store, directory) => {
      const path = `${directory}/cards/1.jsonl`;
      const before = await stat(path);
      const document = await readFile(`${directory}/locks/1.json`, 'utf8');
      await store.ports.entries.update(lockId(1), () => ({ put: [sampleEntry(2, 1)] }));
      expect((await stat(path)).size - before.size).toBeLessThan(600);
      expect((await readFile(path, 'utf8')).trimEnd().split('\n')).toHaveLength(3);
      expect(await readFile(`${directory}/locks/1.json`, 'utf8')).toBe(document);
      expect(await readdir(`${directory}/cards`)).toEqual(['1.jsonl']);
    }));

  test('is not read at a start, and only once on demand', () =>
    withLock(async (store, directory) => {
      await store.stop();
      const files = faultyFiles();
      const opened: string[] = [];
      files.unreadable = (path, step) => {
        if (step === 'open' && path.includes('/cards/')) opened.push(path);
        return undefined;
      };
      const { store: again } = await startedStore(directory, { files });
      expect(opened).toEqual([]);
      expect(again.ports.entries.inMemory(lockId(1))).toBeUndefined();
      expect(again.ports.entries.inMemory(lockId(2))?.entries).toEqual([]);
      const [one, other] = await Promise.all([again.ports.entries.of(lockId(1)), again.ports.entries.of(lockId(1))]);
      expect([one.entries, other.entries, again.ports.entries.inMemory(lockId(1))?.entries]).toEqual([
        [sampleEntry(1, 1)],
        [sampleEntry(1, 1)],
        [sampleEntry(1, 1)],
      ]);
      expect(opened).toHaveLength(1);
      await again.stop();
    }));

  test.each([
    ['damaged', (path: string) => writeFile(path, 'no rows\n')],
    ['gone', (path: string) => rm(path)],
  ])('that is %s disables the cards of that lock alone, and says so', (_how, harm) =>
    withLock(async (store, directory) => {
      await store.ports.entries.update(lockId(2), () => ({ put: [sampleEntry(3, 2)] }));
      await store.stop();
      await harm(`${directory}/cards/1.jsonl`);
      const { store: again, log } = await startedStore(directory);
      for (let n = 0; n < 2; n++)
        await expect(again.ports.entries.of(lockId(1))).rejects.toMatchObject({
          code: 'storage-unavailable',
          message: expect.stringContaining('cards/1.jsonl is'),
        });
      await expect(again.ports.entries.update(lockId(1), () => ({ put: [sampleEntry(2, 1)] }))).rejects.toMatchObject({
        code: 'storage-unavailable',
      });
      expect(log.lines.filter((line) => line.includes('cards-disabled'))).toHaveLength(1);
      expect((await again.ports.entries.of(lockId(2))).entries).toHaveLength(1);
      await again.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: 'serves' }));
      await again.stop();
    }),
  );

  test('is reported by every check of the data when it is missing', () =>
    withLock(async (store, directory) => {
      expect((await inspect(nodeFiles(), directory)).problems).toEqual([]);
      await store.stop();
      await rm(`${directory}/cards/1.jsonl`);
      expect((await inspect(nodeFiles(), directory)).problems).toEqual([`${directory}/cards/1.jsonl is missing`]);
      expect((await verify(directory)).findings).toContainEqual({ file: 'cards/1.jsonl', problem: 'is missing' });
    }));

  test('is deleted with its lock, and reported when it belongs to no lock', () =>
    withLock(async (store, directory) => {
      await store.ports.locks.remove(lockId(1));
      expect(await readdir(`${directory}/cards`)).toEqual([]);
      await store.stop();
      await writeFile(`${directory}/cards/1.jsonl`, '', { mode: 0o600 });
      expect((await verify(directory)).findings).toContainEqual({ file: 'cards/1.jsonl', problem: 'belongs to no lock' });
    }));

  test('forgets past holders of a number when their time is older than every record', () =>
    withLock(async (store, directory) => {
      const holder = (from: number, to: number) => ({ cardId: 9 as CardId, cardNumber: '77', name: `from ${from}`, from, to });
      await store.ports.entries.update(lockId(1), () => ({ past: [holder(1, 2), holder(5, Date.UTC(2026, 10, 1))] }));
      await store.stop();
      const { store: again } = await startedStore(directory, { clock: clock() });
      await again.maintenance.purge(Date.UTC(2026, 10, 22), 184);
      await again.stop();
      const { store: last } = await startedStore(directory, { clock: clock() });
      expect((await last.ports.entries.of(lockId(1))).past('77').map(({ name }) => name)).toEqual(['from 5']);
      await last.stop();
    }));

  test('has no digit of a passcode any more that was removed, and has the others', () =>
    withLock(async (store, directory) => {
      const code = (id: number, number: string) => sampleEntry(id, 1, { kind: 'passcode', number });
      await store.ports.entries.update(lockId(1), () => ({ put: [code(8, '482913'), code(9, '739164')] }));
      await store.ports.entries.update(lockId(1), () => ({ remove: [8 as CardId] }));
      await store.stop();
      const text = await readFile(join(directory, 'cards/1.jsonl'), 'utf8');
      expect([text.includes('482913'), text.includes('739164')]).toEqual([false, true]);
    }));

  test('is in a backup as it was at that instant, whatever is written or removed meanwhile', () =>
    withLock(async (store) => {
      const text = await store.maintenance.atOneInstant(async (kept) => {
        await store.ports.entries.update(lockId(1), () => ({ put: [sampleEntry(2, 1)] }));
        await store.ports.locks.remove(lockId(1));
        const content = await kept.find(({ name }) => name === 'cards/1.jsonl')?.open();
        const bytes = Buffer.alloc(content?.bytes ?? 0);
        await content?.read(bytes, 0);
        await content?.close();
        return bytes.toString();
      });
      expect(text).toContain('"entryId":1,');
    }));
});

describe('the cards in memory', () => {
  const held = (rows: number) => ({
    rows: { size: rows, idle: async () => undefined } as never,
    held: createEntries(),
    staged: [],
    counted: 0,
  });

  test('are evicted when there are too many: the least recently used first, and none with a running change or an open outcome', async () => {
    const all = createEntriesInMemory(100);
    const [one, two, three, four] = [held(40), held(40), held(40), held(40)];
    const there = () => [1, 2, 3, 4].filter((id) => all.get(id as LockId) !== undefined);
    all.add(1 as LockId, one);
    all.add(2 as LockId, two);
    all.get(1 as LockId);
    all.add(3 as LockId, three);
    expect(there()).toEqual([1, 3]);
    one.held.apply({ put: [unsureEntry(1, 1)] });
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const using = all.using(3 as LockId, three, () => ended);
    all.add(4 as LockId, four);
    expect(there()).toEqual([1, 3, 4]);
    end();
    await using;
    expect(there()).toEqual([1, 4]);
  });

  test('stay while their file is rewritten, because a second reader would not know its length', async () => {
    let written = (): void => undefined;
    const writing = new Promise<void>((resolve) => {
      written = resolve;
    });
    const all = createEntriesInMemory(100);
    const one = { ...held(80), rows: { size: 80, idle: () => writing } as never };
    all.add(1 as LockId, one);
    await all.using(1 as LockId, one, async () => undefined);
    all.add(2 as LockId, held(80));
    expect(all.get(1 as LockId)).toBe(one);
    all.get(2 as LockId);
    written();
    await writing;
    await Promise.resolve();
    expect(all.get(1 as LockId)).toBeUndefined();
  });
});

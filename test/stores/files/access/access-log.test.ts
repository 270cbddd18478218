// The access log on the disk: restarts, finished files and their indexes, damage, retention.
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, jest, test } from '@jest/globals';
import type { AccessDraft, AccessLine, AccessLog } from '../../../../src/domain/access/access-log.ts';
import type { LockId } from '../../../../src/domain/locks/lock.ts';
import { createAccessLogFiles } from '../../../../src/stores/files/access/access-log.ts';
import { type FileLayer, nodeFiles } from '../../../../src/stores/files/files.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { captureLog, startedStore, withDirectory } from '../support/directory.ts';

const day = 86_400_000;
const begin = Date.UTC(2026, 5, 1, 12);
const ever = Number.MAX_SAFE_INTEGER;

function draft(entryId: number, more: Partial<AccessDraft> = {}): AccessDraft {
  return {
    what: 'held',
    lockId: 7 as LockId,
    kind: 'card',
    number: `1000${entryId}`,
    entryId,
    credentialId: null,
    personId: null,
    accountId: null,
    name: `Card ${entryId}`,
    notBefore: begin,
    notAfter: begin,
    startDate: 0,
    endDate: 0,
    hours: '',
    basis: 'reply',
    commandId: null,
    detail: '',
    ...more,
  };
}

async function opened(directory: string, { files = nodeFiles(), now = begin }: { files?: FileLayer; now?: number } = {}) {
  let at = now;
  const log = captureLog();
  const access = createAccessLogFiles({ files, folder: `${directory}/access`, clock: { now: () => at }, log });
  await access.open();
  const ids = (lines: readonly AccessLine[]) => lines.map(({ id }) => id);
  return {
    access,
    log,
    set: (value: number) => {
      at = value;
    },
    ofLock: async (lockId: number | null, until = ever) => ids(await access.ofLock(lockId as LockId | null, until)),
  };
}

/** So many lines that the file is full: each has a long name. */
function filler(count: number): AccessDraft[] {
  return Array.from({ length: count }, (_, n) => draft(1_000 + n, { lockId: 9 as LockId, name: 'x'.repeat(8_000) }));
}

test('a line is found under its lock, person, credential and number, in every form of the number, also after a restart', () =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    await first.access.append([draft(41, { personId: 5, credentialId: 12, number: '0042' }), draft(42, { lockId: 8 as LockId })]);
    await first.access.append([
      draft(1, { what: 'account', lockId: null, kind: null, number: null, entryId: null, accountId: 3, detail: 'x' }),
    ]);
    await first.access.close();
    const { access, ofLock } = await opened(directory);
    expect([await ofLock(7), await ofLock(8), await ofLock(null), await ofLock(9)]).toEqual([[1], [2], [3], []]);
    const found = await access.about({ personId: 5 });
    expect(found).toEqual([{ id: 1, recordedAt: begin, ...draft(41, { personId: 5, credentialId: 12, number: '0042' }) }]);
    expect(await access.about({ credentialId: 12 })).toEqual(found);
    expect(await access.about({ numbers: ['42', '77'] })).toEqual(found);
    expect(await access.about({ numbers: ['4'] })).toEqual([]);
    await access.close();
  }));

test('what was recorded later than asked for is left out', () =>
  withDirectory(async (directory) => {
    const { access, set, ofLock } = await opened(directory);
    await access.append([draft(1)]);
    set(begin + 10);
    await access.append([draft(2)]);
    expect([await ofLock(7, begin - 1), await ofLock(7, begin), await ofLock(7, begin + 10)]).toEqual([[], [1], [1, 2]]);
    await access.close();
  }));

test('the log says what its last lines say, with those that are being written', () =>
  withDirectory(async (directory) => {
    const { access } = await opened(directory);
    expect([access.says(draft(1)), access.says(draft(1, { what: 'gone' }))]).toEqual([false, true]);
    const written = access.append([draft(1), draft(1, { what: 'wanted' })]);
    expect([access.says(draft(1)), access.says(draft(1, { notAfter: 1, basis: 'list', name: 'other' }))]).toEqual([true, true]);
    expect(access.says(draft(1, { endDate: 5 }))).toBe(false);
    expect([...access.topicsOf(7 as LockId)]).toEqual(['held 1', 'wanted 1']);
    await written;
    expect(access.says(draft(1))).toBe(true);
    await access.append([draft(1, { what: 'gone' })]);
    expect([access.says(draft(1)), access.says(draft(1, { what: 'gone' }))]).toEqual([false, true]);
    expect([...access.topicsOf(7 as LockId)]).toEqual(['wanted 1']);
    await access.close();
    const { access: again } = await opened(directory);
    expect([...again.topicsOf(7 as LockId)]).toEqual(['wanted 1']);
    await again.close();
  }));

test('a full file is finished with an index, and a start reads the last file alone', () =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    await first.access.append([draft(1, { personId: 5 })]);
    await first.access.append(filler(1_400));
    await first.access.append([draft(2)]);
    await first.access.close();
    const names = (await readdir(`${directory}/access`)).sort();
    expect(names.filter((name) => name.endsWith('.jsonl')).length).toBeGreaterThan(2);
    expect(names.filter((name) => name.endsWith('.facts'))).toHaveLength(1);
    const read: string[] = [];
    const files = nodeFiles();
    const watched: FileLayer = {
      ...files,
      open: async (path, mode) => {
        const file = await files.open(path, mode);
        const note = (into: Uint8Array, position: number) => {
          read.push(path);
          return file.read(into, position);
        };
        return { ...file, read: note };
      },
    };
    const { access, ofLock } = await opened(directory, { files: watched });
    const begins = names.filter((name) => name.endsWith('.jsonl')).map((name) => Number(/(\d+)\.jsonl$/.exec(name)?.[1]));
    const last = `2026-06-01-${Math.max(...begins)}.jsonl`;
    expect([...new Set(read.filter((path) => path.endsWith('.jsonl')))]).toEqual([`${directory}/access/${last}`]);
    expect(await ofLock(7)).toEqual([1, 1_402]);
    expect((await access.about({ personId: 5 })).map(({ id }) => id)).toEqual([1]);
    expect([...access.topicsOf(7 as LockId)]).toEqual(['held 1', 'held 2']);
    await access.append([draft(3)]);
    expect(await ofLock(7)).toEqual([1, 1_402, 1_403]);
    await access.close();
  }));

test.each([
  ['the indexes are', /index$/],
  ['what stands is', /facts$/],
])('when %s missing or damaged, a start makes it again from the lines', (_, which) =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    await first.access.append([draft(1), ...filler(1_400), draft(2)]);
    await first.access.close();
    const names = (await readdir(`${directory}/access`)).filter((name) => which.test(name));
    for (const [n, name] of names.entries()) {
      const path = `${directory}/access/${name}`;
      if (n % 2 === 0) await rm(path);
      else await writeFile(path, (await readFile(path, 'utf8')).replace(/\d/, 'x'));
    }
    const { access, ofLock } = await opened(directory);
    expect(await ofLock(7)).toEqual([1, 1_402]);
    expect([...access.topicsOf(7 as LockId)]).toEqual(['held 1', 'held 2']);
    expect([...access.topicsOf(9 as LockId)]).toHaveLength(1_400);
    if (which.test('.index')) expect((await readdir(`${directory}/access`)).filter((name) => which.test(name))).toEqual(names);
    await access.close();
  }),
);

test('an index that is damaged where a look-up reads is not believed', () =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    await first.access.append([draft(1), ...filler(700)]);
    await first.access.append([draft(2)]);
    const index = (await readdir(`${directory}/access`)).find((name) => name.endsWith('.index')) as string;
    const path = `${directory}/access/${index}`;
    await writeFile(path, (await readFile(path, 'utf8')).replace('{"key":"lock 7","places":[0,', '{"key":"lock 7","places":[9,'));
    expect(await first.ofLock(7)).toEqual([1, 702]);
    await first.access.close();
  }));

test('a look-up of many lines or entries lets other work run after each few of them', () =>
  withDirectory(async (directory) => {
    const { access } = await opened(directory);
    const ofFive = Array.from({ length: 500 }, (_, n) => draft(1 + n, { personId: 5 }));
    await access.append([...ofFive, ...filler(600)]);
    await access.append([draft(1_000)]);
    const turnsOf = async (lookUp: () => Promise<readonly unknown[]>) => {
      const turns = jest.spyOn(globalThis, 'setImmediate');
      const found = await lookUp();
      const count = turns.mock.calls.length;
      turns.mockRestore();
      return { found: found.length, count };
    };
    const lines = await turnsOf(() => access.entriesOf(5));
    expect(lines).toEqual({ found: 500, count: expect.any(Number) });
    expect(lines.count).toBeGreaterThanOrEqual(500 / 50);
    const entries = await turnsOf(() => access.about({ personId: 5 }));
    expect(entries.found).toBe(500);
    // The lines are read twice, and 500 entries are looked for in the index.
    expect(entries.count - 2 * lines.count).toBeGreaterThanOrEqual(500 / 20);
    await access.close();
  }));

/** A log of three files, in which each reading of an index is noted, and waits for `gate`. */
async function ofThreeFiles(directory: string) {
  const files = nodeFiles();
  const indexes: string[] = [];
  const gate = { opens: Promise.resolve() };
  const watched: FileLayer = {
    ...files,
    async readFile(path) {
      indexes.push(path.slice(path.lastIndexOf('/') + 1));
      await gate.opens;
      return files.readFile(path);
    },
  };
  const site = await opened(directory, { files: watched });
  await site.access.append([draft(1, { personId: 5 }), ...filler(600)]);
  await site.access.append([draft(2, { personId: 5 }), ...filler(600)]);
  await site.access.append([draft(3, { personId: 5 })]);
  const finished = (await readdir(`${directory}/access`)).filter((name) => name.endsWith('.index')).sort();
  expect(finished.length).toBeGreaterThan(1);
  indexes.length = 0;
  return { ...site, indexes, gate, finished };
}

test.each<[string, (access: AccessLog) => Promise<readonly unknown[]>]>([
  ['the entries of a person', (access) => access.entriesOf(5)],
  ['all lines about a person', (access) => access.about({ personId: 5 })],
  ['the lines of a lock', (access) => access.ofLock(7 as LockId, ever)],
  ['the contact with many locks', (access) => access.contactOf([7 as LockId, 9 as LockId])],
])('a look-up of %s in all files lets another one have its turn after each file', (_, lookUp) =>
  withDirectory(async (directory) => {
    const { access, ofLock, indexes, finished } = await ofThreeFiles(directory);
    const [, ids] = await Promise.all([lookUp(access), ofLock(7)]);
    expect(ids).toHaveLength(3);
    expect(indexes.slice(0, 2 * finished.length)).toEqual(finished.flatMap((name) => [name, name]));
    await access.close();
  }),
);

test('lines are written while a look-up waits for the disk', () =>
  withDirectory(async (directory) => {
    const { access, gate } = await ofThreeFiles(directory);
    let open = () => {};
    gate.opens = new Promise((resolve) => {
      open = resolve;
    });
    const asked = access.about({ personId: 5 });
    await access.append([draft(4, { personId: 5 })]);
    open();
    expect(await asked).toHaveLength(4);
    await access.close();
  }));

test('a start cuts off a torn end; verify finds a flipped bit, and the log leaves its line out', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    for (const id of [1, 2, 3]) await store.ports.access.append([draft(id)]);
    await store.stop();
    expect((await verify(directory)).findings).toEqual([]);
    const [name] = (await readdir(`${directory}/access`)).filter((one) => one.endsWith('.jsonl'));
    const path = `${directory}/access/${name}`;
    await writeFile(path, (await readFile(path, 'utf8')).replace('Card 2', 'Card 9'));
    await appendFile(path, '{"id":4,"rec');
    const { findings, remarks } = await verify(directory);
    expect(findings).toEqual([{ file: `access/${name}`, problem: 'line 2 is not as it was written' }]);
    expect(remarks).toEqual([{ file: `access/${name}`, problem: expect.stringMatching(/^has 12 bytes that a power cut tore/) }]);
    const { access, ofLock } = await opened(directory);
    expect(await ofLock(7)).toEqual([1, 3]);
    await access.append([draft(4)]);
    expect(await ofLock(7)).toEqual([1, 3, 4]);
    await access.close();
  }));

test('files beyond the retention are condensed to what still stood at their end, and nothing else goes', () =>
  withDirectory(async (directory) => {
    const { access, set, ofLock } = await opened(directory);
    await access.append([draft(1), draft(2), draft(3, { what: 'wanted' })]);
    set(begin + 8 * day);
    await access.append([draft(2, { what: 'gone' }), draft(1, { endDate: 99 })]);
    set(begin + 16 * day);
    await access.append([draft(1, { what: 'gone' })]);
    const names = async () => (await readdir(`${directory}/access`)).filter((name) => name.endsWith('.jsonl'));
    expect(await names()).toHaveLength(3);
    expect(await access.purge(begin + 30 * day, 30)).toEqual([]);
    expect(await ofLock(7)).toEqual([1, 2, 3, 4, 5, 6]);
    const now = begin + 50 * day;
    set(now);
    expect(await access.purge(now, 30)).toEqual(['access/2026-06-01-1.jsonl']);
    expect(await names()).toHaveLength(2);
    expect(await ofLock(7)).toEqual([3, 5, 6]);
    expect(await access.purge(now, 30)).toEqual([]);
    await access.close();
    const again = await opened(directory, { now });
    expect(await again.ofLock(7)).toEqual([3, 5, 6]);
    await again.access.append([draft(9)]);
    expect(await again.access.purge(now + 20 * day, 30)).toEqual(['access/2026-06-09-4.jsonl']);
    expect(await again.ofLock(7)).toEqual([3, 7]);
    await again.access.close();
  }));

test('a power cut between a condensed file and the deletion of the others shows no line twice', () =>
  withDirectory(async (directory) => {
    const { access, set } = await opened(directory);
    await access.append([draft(1)]);
    set(begin + 8 * day);
    await access.append([draft(2)]);
    set(begin + 16 * day);
    await access.append([draft(3)]);
    const old = `${directory}/access/2026-06-01-1.jsonl`;
    const before = await readFile(old);
    await access.purge(begin + 60 * day, 30);
    await access.close();
    await writeFile(old, before);
    const again = await opened(directory);
    expect(await again.ofLock(7)).toEqual([1, 2, 3]);
    await again.access.close();
  }));

test('a line that was not written is refused, and what it says does not count', () =>
  withDirectory(async (directory) => {
    let isFull = false;
    const files = nodeFiles();
    const full: FileLayer = {
      ...files,
      open: async (path, mode) => {
        const file = await files.open(path, mode);
        const refuse = async () => {
          throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
        };
        return { ...file, write: (bytes, position) => (isFull ? refuse() : file.write(bytes, position)) };
      },
    };
    const { access, ofLock } = await opened(directory, { files: full });
    await access.append([draft(1)]);
    isFull = true;
    await expect(access.append([draft(2)])).rejects.toMatchObject({ code: 'storage-unavailable' });
    expect([access.says(draft(2)), await ofLock(7)]).toEqual([false, [1]]);
    await expect(access.stored()).rejects.toMatchObject({ code: 'storage-unavailable' });
    isFull = false;
    await access.append([draft(2)]);
    await access.stored();
    expect(await ofLock(7)).toEqual([1, 2]);
    await access.close();
  }));

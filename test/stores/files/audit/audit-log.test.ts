// The audit log on the disk: restarts, damage, retention, backups.
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { AuditEntry } from '../../../../src/domain/audit/audit-action.ts';
import { createAuditLog } from '../../../../src/stores/files/audit/audit-log.ts';
import { nodeFiles } from '../../../../src/stores/files/files.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { startedStore, withDirectory } from '../support/directory.ts';

const all = { from: 0, to: Number.MAX_SAFE_INTEGER, pageNo: 1, pageSize: 1_000 };
const log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} };

function entry(id: number, more: Partial<AuditEntry> = {}): AuditEntry {
  const deed = { action: 'lock-key', object: `lock ${id}`, detail: '' };
  return { id, at: 1_000 + id, username: 'admin', address: '10.0.0.5', ...deed, outcome: 'ok', ...more };
}

async function opened(directory: string, now = Date.UTC(2026, 10, 21)) {
  let at = now;
  const audit = createAuditLog({ files: nodeFiles(), directory, clock: { now: () => at }, log });
  await audit.open();
  const set = (value: number) => {
    at = value;
  };
  return { audit, set, ids: async () => (await audit.page(all)).list.map(({ id }) => id) };
}

test('the log shows an action as one entry with the content of its last line, also after a restart, and the ids continue', () =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    for (const id of [1, 2, 3]) {
      expect(await first.audit.nextId()).toBe(id);
      await first.audit.append(entry(id, { outcome: 'unknown' }));
    }
    await first.audit.append(entry(1, { outcome: 'conflict' }));
    const before = await first.audit.page(all);
    expect(before.list.map(({ id, outcome }) => [id, outcome])).toEqual([
      [3, 'unknown'],
      [2, 'unknown'],
      [1, 'conflict'],
    ]);
    await first.audit.close();
    const second = await opened(directory);
    expect(await second.audit.page(all)).toEqual(before);
    expect(await second.audit.nextId()).toBe(4);
    expect((await second.audit.page({ ...all, from: 1_002, to: 1_002 })).list).toMatchObject([{ id: 2 }]);
    expect(await second.audit.page({ ...all, pageNo: 2, pageSize: 2 })).toMatchObject({ list: [{ id: 1 }], total: 3 });
    await second.audit.close();
  }));

test('entries are found by account, action and success, page by page, and the outcome is that of the last line, also after a restart', () =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    for (let id = 1; id <= 20; id++) {
      const more = { username: id % 2 === 0 ? 'alice' : 'bob', action: id % 5 === 0 ? 'unlock' : 'lock-key' };
      await first.audit.append(entry(id, { ...more, outcome: 'unknown' }));
      await first.audit.append(entry(id, { ...more, outcome: id % 4 === 0 ? 'forbidden' : 'ok' }));
    }
    const found = async ({ audit }: typeof first, wanted: object) => (await audit.page({ ...all, ...wanted })).list.map(({ id }) => id);
    const ask = async (log: typeof first) => [
      await found(log, { username: 'alice', success: true }),
      await found(log, { action: 'unlock' }),
      await found(log, { action: 'unlock', success: false, from: 1_006 }),
      await found(log, { username: 'carol' }),
    ];
    const before = await ask(first);
    expect(before).toEqual([[18, 14, 10, 6, 2], [20, 15, 10, 5], [20], []]);
    expect(await first.audit.page({ ...all, username: 'alice', pageNo: 2, pageSize: 3 })).toMatchObject({
      list: [{ id: 14 }, { id: 12 }, { id: 10 }],
      total: 10,
    });
    await first.audit.close();
    const second = await opened(directory);
    expect(await ask(second)).toEqual(before);
    await second.audit.close();
  }));

test('a start cuts off a torn end; verify finds a flipped bit, and the log leaves its line out', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    for (const id of [1, 2, 3]) await store.ports.audit.append(entry(id));
    await store.stop();
    expect((await verify(directory)).findings).toEqual([]);
    const [name] = await readdir(`${directory}/audit`);
    const path = `${directory}/audit/${name}`;
    await writeFile(path, (await readFile(path, 'utf8')).replace('lock 2', 'lock 9'));
    await appendFile(path, '{"id":4,"at":');
    const { findings, remarks } = await verify(directory);
    expect(findings).toEqual([{ file: `audit/${name}`, problem: 'line 2 is not as it was written' }]);
    expect(remarks).toEqual([{ file: `audit/${name}`, problem: expect.stringMatching(/^has 13 bytes that a power cut tore/) }]);
    const { audit, ids } = await opened(directory);
    expect(await ids()).toEqual([3, 1]);
    expect(await audit.nextId()).toBe(4);
    await audit.close();
  }));

test('an entry that does not fit begins another file, and beyond 64 MiB the oldest file is deleted', () =>
  withDirectory(async (directory) => {
    const { audit, ids } = await opened(directory);
    const detail = 'x'.repeat(1_100_000);
    for (let id = 1; id <= 34; id++) await audit.append(entry(id, { detail }));
    expect(await readdir(`${directory}/audit`)).toHaveLength(32);
    expect(await ids()).toEqual(Array.from({ length: 32 }, (_, n) => 34 - n));
    await audit.close();
  }));

test('attempts are in files of their own, never push out another entry, and appear between the others in the order of their ids', () =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    await first.audit.append(entry(1));
    await first.audit.appendAttempt(entry(2, { action: 'unlock', outcome: 'lock-offline' }));
    await first.audit.append(entry(3));
    await first.audit.appendAttempt(entry(2, { action: 'unlock', outcome: 'lock-offline', count: 4 }));
    const detail = 'x'.repeat(1_100_000);
    for (let id = 4; id <= 50; id++) await first.audit.appendAttempt(entry(id, { detail }));
    const expected = [...Array.from({ length: 16 }, (_, n) => 50 - n), 3, 1];
    expect(await first.ids()).toEqual(expected);
    await first.audit.append(entry(51));
    await first.audit.close();
    const count = async (folder: string) => (await readdir(`${directory}/${folder}`)).length;
    expect([await count('audit'), await count('attempts')]).toEqual([1, 16]);
    const second = await opened(directory);
    expect(await second.ids()).toEqual([51, ...expected]);
    expect((await second.audit.page({ ...all, pageNo: 2, pageSize: 16 })).list.map(({ id }) => id)).toEqual([35, 3, 1]);
    expect(await second.audit.nextId()).toBe(52);
    expect(await second.audit.purge(Date.UTC(2030, 0, 1))).toHaveLength(15);
    expect(await second.ids()).toEqual([51, 50, 3, 1]);
    await second.audit.close();
  }));

test('the last line of an attempt that was counted on is the valid one, also after a restart', () =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    await first.audit.append(entry(1));
    for (const count of [2, 7]) await first.audit.appendAttempt(entry(2, { count }));
    await first.audit.append(entry(3));
    const before = await first.audit.page(all);
    expect(before).toMatchObject({ list: [{ id: 3 }, { id: 2, count: 7 }, { id: 1 }], total: 3 });
    await first.audit.close();
    const second = await opened(directory);
    expect(await second.audit.page(all)).toEqual(before);
    await second.audit.close();
  }));

test('a purge deletes files whose entries are all older than six months, never the one that is written to', () =>
  withDirectory(async (directory) => {
    const { audit, set, ids } = await opened(directory, Date.UTC(2026, 0, 10));
    await audit.append(entry(1));
    set(Date.UTC(2026, 1, 10));
    await audit.append(entry(2));
    set(Date.UTC(2026, 7, 20));
    await audit.append(entry(3));
    expect(await audit.purge(Date.UTC(2026, 7, 9))).toEqual([]);
    expect(await audit.purge(Date.UTC(2026, 7, 20))).toEqual(['audit/2026-01-10-1.jsonl']);
    expect(await ids()).toEqual([3, 2]);
    expect(await audit.purge(Date.UTC(2030, 0, 1))).toEqual(['audit/2026-02-10-2.jsonl']);
    expect(await ids()).toEqual([3]);
    await audit.close();
  }));

test('the log rejects an entry when its folder cannot be written to', () =>
  withDirectory(async (directory) => {
    const { audit } = await opened(directory);
    await mkdir(`${directory}/audit/2026-11-21-1.jsonl`);
    await expect(audit.append(entry(1))).rejects.toMatchObject({ code: 'storage-unavailable' });
    await audit.close();
  }));

test('an unreadable part keeps no door closed: the log continues in another file, and gives out no id again', () =>
  withDirectory(async (directory) => {
    await mkdir(`${directory}/audit/2026-11-20-5.jsonl`, { recursive: true });
    const { store } = await startedStore(directory);
    const id = await store.ports.audit.nextId();
    expect(id).toBeGreaterThan(1_000_000);
    await store.ports.audit.append(entry(id));
    expect((await store.ports.audit.page(all)).list).toMatchObject([{ id }]);
    await store.stop();
  }));

test('pages are in the order of ids, in whatever order and file the actions ended, and their totals are exact', () =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    const detail = 'x'.repeat(1_000_000);
    // One action begins and ends in different files, and one is logged only at its end.
    await first.audit.append(entry(1, { outcome: 'unknown', detail }));
    await first.audit.append(entry(3, { detail }));
    await first.audit.append(entry(2, { at: 1_009, detail }));
    await first.audit.append(entry(1, { outcome: 'conflict' }));
    for (let id = 4; id <= 600; id++) await first.audit.append(entry(id, { at: 1_000 + (id % 10) }));
    const look = async ({ audit }: typeof first) => {
      const pages = await Promise.all([1, 2, 3, 20, 40, 41].map((pageNo) => audit.page({ ...all, pageNo, pageSize: 15 })));
      const filtered = await audit.page({ from: 1_003, to: 1_005, pageNo: 2, pageSize: 20 });
      const oldest = (await audit.page({ ...all, pageNo: 200, pageSize: 3 })).list.map(({ id, outcome }) => [id, outcome]);
      return { ids: pages.map(({ list }) => list.map(({ id }) => id)), totals: pages.map(({ total }) => total), filtered, oldest };
    };
    const seen = await look(first);
    expect(seen.totals).toEqual([600, 600, 600, 600, 600, 600]);
    const expected = Array.from({ length: 600 }, (_, n) => 600 - n);
    expect(seen.ids).toEqual([1, 2, 3, 20, 40, 41].map((pageNo) => expected.slice((pageNo - 1) * 15, pageNo * 15)));
    expect(seen.oldest).toEqual([
      [3, 'ok'],
      [2, 'ok'],
      [1, 'conflict'],
    ]);
    const matching = expected.filter((id) => (id > 3 ? id % 10 >= 3 && id % 10 <= 5 : id === 3));
    expect(seen.filtered.total).toBe(matching.length);
    expect(seen.filtered.list.map(({ id }) => id)).toEqual(matching.slice(20, 40));
    expect(await readdir(`${directory}/audit`)).toHaveLength(2);
    await first.audit.close();
    const second = await opened(directory);
    expect(await look(second)).toEqual(seen);
    await second.audit.close();
  }));

test('entries are found by what they are about and by any text, the oldest first if that is asked, also after a restart', () =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    const objects = ['lock 7', 'card 41 of lock 7', 'lock 77', 'person 7', 'entry 7 of lock 8'];
    const lineOf = (_: unknown, n: number) =>
      first.audit.append(entry(n + 1, { object: objects[(n + 1) % 5] as string, detail: (n + 1) % 7 === 0 ? `Said "Ähre ${n}\\"` : 'x' }));
    await Promise.all(Array.from({ length: 600 }, lineOf));
    // Of an action in two lines the last one counts.
    await first.audit.append(entry(600, { object: 'lock 8', detail: 'Ähre' }));
    const numbers = Array.from({ length: 599 }, (_, n) => n + 1);
    const expected = {
      ofLock: numbers.filter((id) => id % 5 < 2).reverse(),
      said: [600, ...numbers.filter((id) => id % 7 === 0).reverse()],
      both: numbers.filter((id) => id % 5 < 2 && id % 7 === 0),
    };
    const ask = async ({ audit }: typeof first) => {
      const found = async (wanted: object) => (await audit.page({ ...all, ...wanted })).list.map(({ id }) => id);
      expect(await found({ object: 'lock 7' })).toEqual(expected.ofLock);
      expect(await found({ search: 'äHRE' })).toEqual(expected.said);
      expect(await found({ object: 'lock 7', search: '"ähre', oldestFirst: true })).toEqual(expected.both);
      expect(await found({ object: 'lock' })).toEqual([]);
      // What the line has besides is not what somebody said.
      expect(await found({ search: '"outcome"' })).toEqual([]);
      expect(await found({ search: `\\` })).toEqual(expected.said.slice(1));
      expect(await audit.page({ ...all, object: 'lock 7', pageNo: 3, pageSize: 100 })).toMatchObject({
        list: expected.ofLock.slice(200, 300).map((id) => ({ id })),
        total: expected.ofLock.length,
      });
      expect(await found({ oldestFirst: true, pageSize: 3 })).toEqual([1, 2, 3]);
      expect(await found({ oldestFirst: true, pageSize: 400, pageNo: 2 })).toEqual(Array.from({ length: 200 }, (_, n) => 401 + n));
      expect(await found({ oldestFirst: true, pageSize: 400, pageNo: 3 })).toEqual([]);
    };
    await ask(first);
    await first.audit.close();
    const second = await opened(directory);
    await ask(second);
    await second.audit.close();
  }));

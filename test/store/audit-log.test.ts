// The audit log on the disk: restarts, damage, retention, backups.
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { AuditEntry } from '../../src/domain/deed.ts';
import { createAuditLog } from '../../src/store/audit-log.ts';
import { nodeFiles } from '../../src/store/files.ts';
import { verify } from '../../src/store/verify.ts';
import { startedStore, withDirectory } from './support/directory.ts';

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

test('a deed is one entry, as its last line says, also after a restart; ids go on', () =>
  withDirectory(async (directory) => {
    const first = await opened(directory);
    for (const id of [1, 2, 3]) {
      expect(first.audit.nextId()).toBe(id);
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
    expect(second.audit.nextId()).toBe(4);
    expect((await second.audit.page({ ...all, from: 1_002, to: 1_002 })).list).toMatchObject([{ id: 2 }]);
    expect(await second.audit.page({ ...all, pageNo: 2, pageSize: 2 })).toMatchObject({ list: [{ id: 1 }], total: 3 });
    await second.audit.close();
  }));

test('a torn end is cut off, a flipped bit is found by verify and left out', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    for (const id of [1, 2, 3]) await store.audit.append(entry(id));
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
    expect(audit.nextId()).toBe(4);
    await audit.close();
  }));

test('what fills the file begins another one, and beyond 64 MiB the oldest gives way', () =>
  withDirectory(async (directory) => {
    const { audit, ids } = await opened(directory);
    const detail = 'x'.repeat(1_100_000);
    for (let id = 1; id <= 34; id++) await audit.append(entry(id, { detail }));
    expect(await readdir(`${directory}/audit`)).toHaveLength(32);
    expect(await ids()).toEqual(Array.from({ length: 32 }, (_, n) => 34 - n));
    await audit.close();
  }));

test('files whose deeds are all older than six months are deleted, never the one that is written to', () =>
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

test('a folder that nobody can write to refuses the deed', () =>
  withDirectory(async (directory) => {
    const { audit } = await opened(directory);
    await mkdir(`${directory}/audit/2026-11-21-1.jsonl`);
    await expect(audit.append(entry(1))).rejects.toMatchObject({ code: 'storage-unavailable' });
    await audit.close();
  }));

test('a part that cannot be read keeps no door closed: the log goes on in another file, and no id comes again', () =>
  withDirectory(async (directory) => {
    await mkdir(`${directory}/audit/2026-11-20-5.jsonl`, { recursive: true });
    const { store } = await startedStore(directory);
    const id = store.audit.nextId();
    expect(id).toBeGreaterThan(1_000_000);
    await store.audit.append(entry(id));
    expect((await store.audit.page(all)).list).toMatchObject([{ id }]);
    await store.stop();
  }));

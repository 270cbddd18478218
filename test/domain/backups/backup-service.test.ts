// Backups for gateway administrators: begun, followed, and carried away.
import { describe, expect, test } from '@jest/globals';
import type { AuditAction } from '../../../src/domain/audit/audit-action.ts';
import { createBackupService } from '../../../src/domain/backups/backup-service.ts';
import { callers } from '../../support/domain.ts';
import { createMemoryArchives } from '../../support/upkeep.ts';

const page = { pageNo: 1, pageSize: 20 };

function createWorld() {
  const noted: AuditAction[] = [];
  const archives = createMemoryArchives(() => 5_000);
  const note = async <T>(_caller: unknown, action: AuditAction, work: () => Promise<T>) => {
    noted.push(action);
    return work();
  };
  return { noted, archives, service: createBackupService({ clock: { now: () => 4_000 }, audit: { note }, archives }) };
}

async function read(pieces: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

describe('a backup that somebody begins', () => {
  test('is under way at once, then done, under its name in the list and in the audit log', async () => {
    const { service, noted } = createWorld();
    expect(service.begin(callers.admin)).toEqual({ state: 'running', startedAt: 4_000, bytes: 0, name: null, error: null });
    await new Promise((resolve) => setImmediate(resolve));
    const { list, making, total } = await service.list(callers.admin, page);
    expect([list.map(({ name }) => name), total]).toEqual([['latchd-20261120T023000Z.tar.gz'], 1]);
    expect(making).toEqual({ state: 'done', startedAt: 4_000, bytes: 1_000, name: 'latchd-20261120T023000Z.tar.gz', error: null });
    expect(noted).toEqual([{ action: 'backup', object: 'backup' }]);
  });

  test('says why it failed, and the next one may begin', async () => {
    const { service, archives } = createWorld();
    archives.fail = 'no backup was made to /x: the disk there is full (ENOSPC)';
    service.begin(callers.admin);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await service.list(callers.admin, page)).making).toMatchObject({ state: 'failed', name: null, error: archives.fail });
    archives.fail = undefined;
    expect(service.begin(callers.admin).state).toBe('running');
  });

  test('is the only one at a time', () => {
    const { service } = createWorld();
    service.begin(callers.admin);
    expect(() => service.begin(callers.admin)).toThrow(expect.objectContaining({ code: 'conflict' }));
  });
});

describe('a download', () => {
  test('is encrypted with the passphrase, which the audit log does not have', async () => {
    const { service, noted } = createWorld();
    service.begin(callers.admin);
    await new Promise((resolve) => setImmediate(resolve));
    const name = 'latchd-20261120T023000Z.tar.gz';
    expect(await read(service.download(callers.admin, name, 'a long passphrase'))).toBe(`${name} a long passphrase`);
    expect(noted.at(-1)).toEqual({ action: 'backup-download', object: `backup ${name}` });
    await expect(read(service.download(callers.admin, 'other', 'a long passphrase'))).rejects.toMatchObject({ code: 'not-found' });
  });

  test('beyond two at once is refused, until one of them has ended', async () => {
    const { service } = createWorld();
    service.begin(callers.admin);
    await new Promise((resolve) => setImmediate(resolve));
    const download = () => service.download(callers.admin, 'latchd-20261120T023000Z.tar.gz', 'a long passphrase')[Symbol.asyncIterator]();
    const [first, second] = [download(), download()];
    await Promise.all([first.next(), second.next()]);
    await expect(download().next()).rejects.toMatchObject({ code: 'rate-limited', retryAfterSeconds: 10 });
    await first.return?.();
    expect((await download().next()).done).toBe(false);
  });
});

test('only gateway administrators make backups, see them, and download them', async () => {
  const { service } = createWorld();
  const forbidden = expect.objectContaining({ code: 'forbidden' });
  expect(() => service.begin(callers.administrator)).toThrow(forbidden);
  await expect(service.list(callers.administrator, page)).rejects.toEqual(forbidden);
  expect(() => service.download(callers.administrator, 'latchd-20261120T023000Z.tar.gz', 'a long passphrase')).toThrow(forbidden);
});

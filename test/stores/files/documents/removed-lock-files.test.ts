// removed/ on the disk: complete, damaged, deleted with the last record, and for a lock that was not removed after all.
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { recordDaysAtMost } from '../../../../src/domain/records/record.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { manualClock, startedStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';
import { deviceId, lockId, sampleEntry, sampleLock, sampleRemovedLock } from '../support/samples.ts';

test('the document of a removed lock is there after a restart, and its lockId is not given out again', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.removedLocks.add(sampleRemovedLock(9));
    await store.stop();
    expect((await verify(directory)).findings).toEqual([{ file: 'counters.json', problem: 'has the floor 0 for lockId, but 9 is in use' }]);
    const { store: next } = await startedStore(directory);
    expect(next.ports.removedLocks.all()).toEqual([sampleRemovedLock(9)]);
    expect(await next.ports.counters.next('lockId')).toBe(10);
    await next.stop();
    expect((await verify(directory)).findings).toEqual([]);
  }));

test('a power cut between the two steps of a removal leaves the lock, and the next start forgets the removal', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.locks.add(sampleLock(1));
    await store.ports.removedLocks.add(sampleRemovedLock(1));
    await store.stop();
    const { store: next } = await startedStore(directory);
    expect(next.ports.locks.get(lockId(1))).toEqual(sampleLock(1));
    expect(next.ports.removedLocks.all()).toEqual([]);
    await next.stop();
    expect(await readdir(`${directory}/removed`)).toEqual([]);
  }));

test('the document of a removed lock is deleted when no record of the lock can be left, and not while the clock is suspect', () =>
  withDirectory(async (directory) => {
    const clock = manualClock(Date.UTC(2026, 10, 21, 9));
    const { store } = await startedStore(directory, { clock });
    const month = (number: number, day: number) => Date.UTC(2026, number, day, 9);
    await store.ports.removedLocks.add(sampleRemovedLock(1, { removedAt: month(4, 19) - 1 }));
    await store.ports.removedLocks.add(sampleRemovedLock(2, { removedAt: month(4, 19) }));
    expect(await store.maintenance.purge(clock.now(), recordDaysAtMost)).toEqual({ deleted: ['removed/1.json'], clockIsSuspect: false });
    expect(store.ports.removedLocks.all()).toEqual([sampleRemovedLock(2, { removedAt: month(4, 19) })]);
    expect(await readdir(`${directory}/removed`)).toEqual(['2.json']);
    await store.stop();
  }));

test('a start sets a damaged document aside and logs it', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    for (const number of [1, 2]) await store.ports.removedLocks.add(sampleRemovedLock(number));
    await store.stop();
    await writeFile(`${directory}/removed/2.json`, '{"schemaVersion":1}');
    const { store: next, log } = await startedStore(directory);
    expect(next.ports.removedLocks.all()).toEqual([sampleRemovedLock(1)]);
    await next.stop();
    expect(log.lines.filter((line) => line.includes('"removed-lock-lost"'))).toHaveLength(1);
    expect(await readdir(`${directory}/removed`)).toEqual(['1.json', '2.json.damaged']);
  }));

/** Locks 1 and 2 with a card each; lock 1 was to be removed, and `failing` of its files failed. */
async function afterFailedRemoval(directory: string, failing: 'cards' | 'locks'): Promise<{ left: unknown; isThere: boolean }> {
  const files = faultyFiles();
  const { store } = await startedStore(directory, { files });
  for (const id of [1, 2]) {
    await store.ports.locks.add(sampleLock(id));
    await store.ports.entries.update(lockId(id), () => ({ put: [sampleEntry(id, id)] }));
  }
  await store.ports.removedLocks.add(sampleRemovedLock(1));
  files.fault = (operation, path) => (operation === 'unlink' && path.includes(`/${failing}/`) ? 'EACCES' : undefined);
  const left = await store.ports.locks.remove(lockId(1)).catch((error: unknown) => ({ rejected: error }));
  files.fault = undefined;
  const isThere = store.ports.locks.get(lockId(1)) !== undefined;
  if (!isThere) {
    expect([store.ports.locks.all().map((lock) => lock.lockId), store.ports.locks.byDevice(deviceId(1))]).toEqual([[2], undefined]);
    expect((await store.ports.entries.of(lockId(1))).entries).toEqual([]);
    await expect(store.ports.entries.update(lockId(1), () => ({}))).rejects.toMatchObject({ code: 'lock-not-found' });
  }
  await store.stop();
  return { left, isThere };
}

test('a lock whose cards cannot be deleted is removed, the error says what is left, and the next start deletes it', () =>
  withDirectory(async (directory) => {
    const { left, isThere } = await afterFailedRemoval(directory, 'cards');
    expect(isThere).toBe(false);
    expect(left).toMatchObject({
      code: 'storage-unavailable',
      message: expect.stringMatching(/lock 1 is removed, but .*cards\/1\.jsonl.* the next start of the gateway deletes it$/),
    });
    expect(String(left)).not.toContain('nothing was changed');
    expect(await readdir(`${directory}/cards`)).toEqual(['1.jsonl', '2.jsonl']);
    const { findings, remarks } = await verify(directory);
    expect(findings).not.toContainEqual(expect.objectContaining({ file: 'cards/1.jsonl' }));
    expect(remarks).toContainEqual({ file: 'cards/1.jsonl', problem: 'belongs to a lock that was removed: the next start deletes it' });
    const { store, log } = await startedStore(directory);
    expect(await readdir(`${directory}/cards`)).toEqual(['2.jsonl']);
    expect([store.ports.removedLocks.all(), store.ports.locks.all().map((lock) => lock.lockId)]).toEqual([[sampleRemovedLock(1)], [2]]);
    expect((await store.ports.entries.of(lockId(2))).entries).toEqual([sampleEntry(2, 2)]);
    expect(log.lines.filter((line) => line.includes('"card-file-deleted"'))).toHaveLength(1);
    await store.stop();
  }));

test('a lock whose document cannot be deleted stays with its cards, and nothing is changed, as the error says', () =>
  withDirectory(async (directory) => {
    const { left, isThere } = await afterFailedRemoval(directory, 'locks');
    expect(isThere).toBe(true);
    expect(left).toMatchObject({ rejected: { code: 'storage-unavailable', message: expect.stringMatching(/nothing was changed$/) } });
    const { store } = await startedStore(directory);
    expect((await store.ports.entries.of(lockId(1))).entries).toEqual([sampleEntry(1, 1)]);
    await store.stop();
  }));

test('a start deletes no cards of a lock that nobody removed or that is disabled, and goes on when it cannot delete a file', () =>
  withDirectory(async (directory) => {
    await afterFailedRemoval(directory, 'cards');
    await copyFile(`${directory}/cards/2.jsonl`, `${directory}/cards/7.jsonl`);
    const removed = await readFile(`${directory}/removed/1.json`, 'utf8');
    await writeFile(`${directory}/removed/2.json`, removed.replace('"lockId": 1', '"lockId": 2'));
    await writeFile(`${directory}/locks/2.json`, 'no document');
    const files = faultyFiles();
    files.fault = (operation, path) => (operation === 'unlink' && path.includes('/cards/') ? 'EACCES' : undefined);
    const { store, log } = await startedStore(directory, { files });
    expect(log.lines.filter((line) => line.includes('"card-file-left"'))).toHaveLength(1);
    await store.stop();
    expect((await readdir(`${directory}/cards`)).sort()).toEqual(['1.jsonl', '2.jsonl', '7.jsonl']);
    const { store: next } = await startedStore(directory);
    await next.stop();
    expect((await readdir(`${directory}/cards`)).sort()).toEqual(['2.jsonl', '7.jsonl']);
  }));

test('a first card that is being written when its lock is removed does not bring the lock back', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.locks.add(sampleLock(1));
    await store.ports.removedLocks.add(sampleRemovedLock(1));
    const card = store.ports.entries.update(lockId(1), () => ({ put: [sampleEntry(1, 1)] })).catch(() => undefined);
    await store.ports.locks.remove(lockId(1));
    await card;
    await store.stop();
    expect([await readdir(`${directory}/locks`), await readdir(`${directory}/cards`)]).toEqual([[], []]);
  }));

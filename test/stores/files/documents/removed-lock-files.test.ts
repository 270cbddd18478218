// removed/ on the disk: whole, damaged, forgotten with the last record, and beside a lock that was not removed after all.
import { readdir, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { recordDaysAtMost } from '../../../../src/domain/records/record.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { manualClock, startedStore, withDirectory } from '../support/directory.ts';
import { lockId, sampleLock, sampleRemovedLock } from '../support/samples.ts';

test('what stays of a removed lock is there after a restart, and its lockId is not given again', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.removedLocks.add(sampleRemovedLock(9));
    await store.stop();
    expect((await verify(directory)).findings).toEqual([{ file: 'counters.json', problem: 'has the floor 0 for lockId, but 9 is in use' }]);
    const { store: next } = await startedStore(directory);
    expect(next.removedLocks.all()).toEqual([sampleRemovedLock(9)]);
    expect(await next.counters.next('lockId')).toBe(10);
    await next.stop();
    expect((await verify(directory)).findings).toEqual([]);
  }));

test('a power cut between the two steps of a removal leaves the lock: the next start forgets that it was to go', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.locks.add(sampleLock(1));
    await store.removedLocks.add(sampleRemovedLock(1));
    await store.stop();
    const { store: next } = await startedStore(directory);
    expect(next.locks.get(lockId(1))).toEqual(sampleLock(1));
    expect(next.removedLocks.all()).toEqual([]);
    await next.stop();
    expect(await readdir(`${directory}/removed`)).toEqual([]);
  }));

test('it goes when no record of it can be kept any more, and not while the clock is suspect', () =>
  withDirectory(async (directory) => {
    const clock = manualClock(Date.UTC(2026, 10, 21, 9));
    const { store } = await startedStore(directory, { clock });
    const month = (number: number, day: number) => Date.UTC(2026, number, day, 9);
    await store.removedLocks.add(sampleRemovedLock(1, { removedAt: month(4, 19) - 1 }));
    await store.removedLocks.add(sampleRemovedLock(2, { removedAt: month(4, 19) }));
    expect(await store.purge(clock.now(), recordDaysAtMost)).toEqual({ deleted: ['removed/1.json'], clockIsSuspect: false });
    expect(store.removedLocks.all()).toEqual([sampleRemovedLock(2, { removedAt: month(4, 19) })]);
    expect(await readdir(`${directory}/removed`)).toEqual(['2.json']);
    await store.stop();
  }));

test('a damaged one is set aside, and said', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    for (const number of [1, 2]) await store.removedLocks.add(sampleRemovedLock(number));
    await store.stop();
    await writeFile(`${directory}/removed/2.json`, '{"schemaVersion":1}');
    const { store: next, log } = await startedStore(directory);
    expect(next.removedLocks.all()).toEqual([sampleRemovedLock(1)]);
    await next.stop();
    expect(log.lines.filter((line) => line.includes('"removed-lock-lost"'))).toHaveLength(1);
    expect(await readdir(`${directory}/removed`)).toEqual(['1.json', '2.json.damaged']);
  }));

// What every LockStore promises.
import { describe, expect, test } from '@jest/globals';
import type { EntryStore } from '../../src/domain/credentials/entry-ports.ts';
import type { LockStore } from '../../src/domain/locks/lock-ports.ts';
import { deviceId, lockId, sampleEntry, sampleLock } from '../stores/files/support/samples.ts';
import type { RunOver } from './adapters.ts';

export interface Locks {
  readonly locks: LockStore;
  readonly entries: EntryStore;
}

export function lockStoreContract(over: RunOver<Locks>): void {
  describe('a LockStore', () => {
    test('gives back what was added, by id and by device, sorted by lockId', () =>
      over(async ({ locks }) => {
        expect(locks.all()).toEqual([]);
        await locks.add(sampleLock(10));
        await locks.add(sampleLock(9));
        expect(locks.all()).toEqual([sampleLock(9), sampleLock(10)]);
        expect(locks.get(lockId(9))).toEqual(sampleLock(9));
        expect(locks.byDevice(deviceId(10))).toEqual(sampleLock(10));
        expect(locks.get(lockId(1))).toBeUndefined();
        expect(locks.byDevice(deviceId(1))).toBeUndefined();
      }));

    test('lists the same array until something changes', () =>
      over(async ({ locks, entries }) => {
        await locks.add(sampleLock(1));
        const before = locks.all();
        expect(locks.all()).toBe(before);
        await entries.update(lockId(1), () => ({ put: [sampleEntry(1, 1)] }));
        expect(locks.all()).toBe(before);
        await locks.update(lockId(1), (lock) => ({ ...lock, alias: 'new' }));
        expect(locks.all()).not.toBe(before);
        expect(before[0]?.alias).toBe('Door 1');
        expect(locks.all()[0]?.alias).toBe('new');
      }));

    test('refuses a lockId or a device that is taken', () =>
      over(async ({ locks }) => {
        await locks.add(sampleLock(1));
        await expect(locks.add(sampleLock(1, { deviceId: deviceId(2) }))).rejects.toMatchObject({ code: 'conflict' });
        await expect(locks.add(sampleLock(2, { deviceId: deviceId(1) }))).rejects.toMatchObject({ code: 'conflict' });
        const both = await Promise.allSettled([locks.add(sampleLock(3)), locks.add(sampleLock(4, { deviceId: deviceId(3) }))]);
        expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
        expect(locks.all().map((lock) => lock.lockId)).toEqual([1, 3]);
      }));

    test('applies each change to the newest value, in turn, and resolves with the outcome', () =>
      over(async ({ locks }) => {
        await locks.add(sampleLock(1, { alias: '' }));
        const letters = [...'abcdefghij'];
        const outcomes = await Promise.all(
          letters.map((letter) => locks.update(lockId(1), (lock) => ({ ...lock, alias: lock.alias + letter }))),
        );
        expect(outcomes.map(({ alias }) => alias)).toEqual(letters.map((_, n) => 'abcdefghij'.slice(0, n + 1)));
        expect(locks.get(lockId(1))?.alias).toBe('abcdefghij');
      }));

    test('rejects with what the change throws, and changes nothing', () =>
      over(async ({ locks }) => {
        await locks.add(sampleLock(1));
        const refused = locks.update(lockId(1), () => {
          throw new RangeError('no');
        });
        await expect(refused).rejects.toThrow('no');
        expect(locks.get(lockId(1))).toEqual(sampleLock(1));
        await locks.update(lockId(1), (lock) => ({ ...lock, alias: 'still works' }));
      }));

    test('lock-not-found for a lock that is not there or no longer', () =>
      over(async ({ locks, entries }) => {
        const gone = { code: 'lock-not-found' };
        await expect(locks.update(lockId(1), (lock) => lock)).rejects.toMatchObject(gone);
        await expect(locks.remove(lockId(1))).rejects.toMatchObject(gone);
        await locks.add(sampleLock(1));
        await Promise.all([locks.update(lockId(1), (lock) => ({ ...lock, alias: 'late' })), locks.remove(lockId(1))]);
        await expect(locks.update(lockId(1), (lock) => lock)).rejects.toMatchObject(gone);
        await expect(entries.update(lockId(1), () => ({}))).rejects.toMatchObject(gone);
        expect(locks.all()).toEqual([]);
        expect(locks.byDevice(deviceId(1))).toBeUndefined();
        await locks.add(sampleLock(2, { deviceId: deviceId(1) }));
      }));
  });
}

// What every LockStore and CardStore promises.
import { describe, expect, test } from '@jest/globals';
import type { CardStore, LockStore } from '../../src/domain/ports.ts';
import { deviceId, lockId, sampleCard, sampleLock } from '../store/support/samples.ts';
import type { RunOver } from './adapters.ts';

export interface Locks {
  readonly locks: LockStore;
  readonly cards: CardStore;
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
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        const before = locks.all();
        expect(locks.all()).toBe(before);
        await cards.update(lockId(1), () => ({ cards: [sampleCard(1, 1)], intents: [] }));
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
      over(async ({ locks, cards }) => {
        const gone = { code: 'lock-not-found' };
        await expect(locks.update(lockId(1), (lock) => lock)).rejects.toMatchObject(gone);
        await expect(locks.remove(lockId(1))).rejects.toMatchObject(gone);
        await locks.add(sampleLock(1));
        await Promise.all([locks.update(lockId(1), (lock) => ({ ...lock, alias: 'late' })), locks.remove(lockId(1))]);
        await expect(locks.update(lockId(1), (lock) => lock)).rejects.toMatchObject(gone);
        await expect(cards.update(lockId(1), (all) => all)).rejects.toMatchObject(gone);
        expect(locks.all()).toEqual([]);
        expect(locks.byDevice(deviceId(1))).toBeUndefined();
        await locks.add(sampleLock(2, { deviceId: deviceId(1) }));
      }));
  });

  describe('a CardStore', () => {
    test('keeps cards and intents of each lock apart', () =>
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        await locks.add(sampleLock(2));
        const open = { cards: [sampleCard(1, 1)], intents: [{ kind: 'delete', cardId: sampleCard(1, 1).cardId } as const] };
        expect(await cards.update(lockId(1), () => open)).toEqual(open);
        expect(cards.of(lockId(1))).toEqual(open);
        expect(cards.of(lockId(2))).toEqual({ cards: [], intents: [] });
        expect(cards.of(lockId(3))).toEqual({ cards: [], intents: [] });
        expect(locks.get(lockId(1))).toEqual(sampleLock(1));
      }));

    test('loses no change that is made while another is under way, on the card or on its lock', () =>
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        const numbers = [1, 2, 3, 4, 5, 6];
        await Promise.all([
          ...numbers.map((number) =>
            cards.update(lockId(1), (now) => ({ cards: [...now.cards, sampleCard(number, 1)], intents: now.intents })),
          ),
          locks.update(lockId(1), (lock) => ({ ...lock, alias: 'new' })),
        ]);
        expect(cards.of(lockId(1)).cards.map(({ cardId }) => cardId)).toEqual(numbers);
        expect(locks.get(lockId(1))?.alias).toBe('new');
      }));

    test('forgets the cards of a lock that was removed', () =>
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        await cards.update(lockId(1), () => ({ cards: [sampleCard(1, 1)], intents: [] }));
        await locks.remove(lockId(1));
        expect(cards.of(lockId(1))).toEqual({ cards: [], intents: [] });
        await locks.add(sampleLock(1));
        expect(cards.of(lockId(1))).toEqual({ cards: [], intents: [] });
      }));
  });
}

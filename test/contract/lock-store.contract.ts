// What every LockStore and CardStore promises.
import { describe, expect, test } from '@jest/globals';
import type { CardStore } from '../../src/domain/credentials/card-ports.ts';
import type { LockStore } from '../../src/domain/locks/lock-ports.ts';
import { deviceId, lockId, sampleCard, sampleLock } from '../stores/files/support/samples.ts';
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
        await cards.update(lockId(1), () => ({ put: [sampleCard(1, 1)] }));
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
        await expect(cards.update(lockId(1), () => ({}))).rejects.toMatchObject(gone);
        expect(locks.all()).toEqual([]);
        expect(locks.byDevice(deviceId(1))).toBeUndefined();
        await locks.add(sampleLock(2, { deviceId: deviceId(1) }));
      }));
  });

  describe('a CardStore', () => {
    const held = async (cards: CardStore, id: number) => {
      const { cards: all, intents } = await cards.of(lockId(id));
      return { cards: all, intents };
    };
    const nothing = { cards: [], intents: [] };
    const removal = { kind: 'delete', cardId: sampleCard(1, 1).cardId } as const;

    test('keeps cards and intents of each lock apart', () =>
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        await locks.add(sampleLock(2));
        expect(cards.inMemory(lockId(1))?.cards).toEqual([]);
        await cards.update(lockId(1), () => ({ put: [sampleCard(1, 1)], open: [removal] }));
        expect(await held(cards, 1)).toEqual({ cards: [sampleCard(1, 1)], intents: [removal] });
        expect(cards.inMemory(lockId(1))?.cards).toEqual([sampleCard(1, 1)]);
        expect(await held(cards, 2)).toEqual(nothing);
        expect(await held(cards, 3)).toEqual(nothing);
        expect(locks.get(lockId(1))).toEqual(sampleLock(1));
      }));

    test('finds a card by id and by number, leading zeros or not, as long as it is there', () =>
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        const [card, other] = [sampleCard(1, 1, { cardNumber: '0042' }), sampleCard(2, 1, { cardNumber: '7' })];
        await cards.update(lockId(1), () => ({ put: [other, card] }));
        const all = await cards.of(lockId(1));
        expect(all.cards).toEqual([card, other]);
        expect([all.byId(card.cardId), all.byNumber('42'), all.byNumber('00042'), all.byNumber('420')]).toEqual([
          card,
          card,
          card,
          undefined,
        ]);
        await cards.update(lockId(1), () => ({ put: [{ ...card, name: 'new' }], remove: [other.cardId] }));
        expect([all.byNumber('42')?.name, all.byNumber('7'), all.byId(other.cardId)]).toEqual(['new', undefined, undefined]);
      }));

    test('closes exactly the intents that are named, and keeps the others in order', () =>
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        const cardId = removal.cardId;
        const validity = { kind: 'change-validity', cardId, startDate: 1, endDate: 2 } as const;
        const add = { kind: 'add', card: sampleCard(2, 1), before: null } as const;
        for (const open of [validity, removal, add]) await cards.update(lockId(1), () => ({ open: [open] }));
        await cards.update(lockId(1), () => ({ close: [removal] }));
        expect((await cards.of(lockId(1))).intents).toEqual([validity, add]);
      }));

    test('remembers who held a number before, oldest first', () =>
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        const holder = (cardNumber: string, from: number) => ({
          cardId: sampleCard(from, 1).cardId,
          cardNumber,
          name: `at ${from}`,
          from,
          to: from + 5,
        });
        await cards.update(lockId(1), () => ({ past: [holder('042', 1), holder('7', 2)] }));
        await cards.update(lockId(1), () => ({ past: [holder('42', 9)] }));
        const all = await cards.of(lockId(1));
        expect(all.past('42')).toEqual([holder('042', 1), holder('42', 9)]);
        expect(all.past('1')).toEqual([]);
      }));

    test('builds each change on those before it, whether they are written or not, and loses none, nor one of the lock', () =>
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        const numbers = [1, 2, 3, 4, 5, 6];
        const seen = new Map<number, unknown>();
        const numberSeen = new Map<number, number>();
        await Promise.all([
          ...numbers.map((number) =>
            cards.update(lockId(1), (newest) => {
              seen.set(
                number,
                numbers.filter((one) => newest.byId(sampleCard(one, 1).cardId) !== undefined),
              );
              const before = sampleCard(number - 1, 1);
              numberSeen.set(number, newest.byNumber(before.cardNumber)?.cardId ?? 0);
              return { put: [sampleCard(number, 1)] };
            }),
          ),
          locks.update(lockId(1), (lock) => ({ ...lock, alias: 'new' })),
        ]);
        expect([...numberSeen.values()]).toEqual([0, 1, 2, 3, 4, 5]);
        expect([...seen.values()]).toEqual(numbers.map((_, n) => numbers.slice(0, n)));
        expect((await cards.of(lockId(1))).cards.map(({ cardId }) => cardId)).toEqual(numbers);
        expect(locks.get(lockId(1))?.alias).toBe('new');
      }));

    test('rejects with what the change throws, and changes nothing', () =>
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        const refused = cards.update(lockId(1), () => {
          throw new RangeError('no');
        });
        await Promise.all([expect(refused).rejects.toThrow('no'), cards.update(lockId(1), () => ({ put: [sampleCard(1, 1)] }))]);
        expect(await held(cards, 1)).toEqual({ cards: [sampleCard(1, 1)], intents: [] });
      }));

    test('forgets the cards of a lock that was removed', () =>
      over(async ({ locks, cards }) => {
        await locks.add(sampleLock(1));
        await cards.update(lockId(1), () => ({ put: [sampleCard(1, 1)] }));
        await locks.remove(lockId(1));
        expect(await held(cards, 1)).toEqual(nothing);
        await locks.add(sampleLock(1));
        expect(await held(cards, 1)).toEqual(nothing);
      }));
  });
}

// What every EntryStore promises.
import { describe, expect, test } from '@jest/globals';
import type { CardId } from '../../src/domain/credentials/card.ts';
import type { Entry } from '../../src/domain/credentials/entry.ts';
import type { EntryStore } from '../../src/domain/credentials/entry-ports.ts';
import type { LockStore } from '../../src/domain/locks/lock-ports.ts';
import { lockId, sampleEntry, sampleLock, unsureEntry } from '../stores/files/support/samples.ts';
import type { RunOver } from './adapters.ts';

interface Entries {
  readonly locks: LockStore;
  readonly entries: EntryStore;
}

export function entryStoreContract(over: RunOver<Entries>): void {
  describe('an EntryStore', () => {
    const held = async (entries: EntryStore, id: number) => {
      const { entries: all, unsure } = await entries.of(lockId(id));
      return { all, unsure };
    };
    const nothing = { all: [], unsure: [] };
    const passcode = (id: number, number: string, changes: Partial<Entry> = {}) =>
      sampleEntry(id, 1, { kind: 'passcode', number, ...changes });

    test('stores every member of an entry, and the entries of each lock apart', () =>
      over(async ({ locks, entries }) => {
        await locks.add(sampleLock(1));
        await locks.add(sampleLock(2));
        const window = { startDate: 5, endDate: 9, hours: '12345:480-1080;67:540-720', once: true };
        const full = sampleEntry(1, 1, {
          ...{ kind: 'passcode', number: '0042', managed: false, direct: window, credentialId: 12, missing: true, used: true },
          ...{ accepted: { as: 'stranger', window }, scheduleId: 3 },
          held: { window, sure: true, since: 6, basis: 'digest', basisDate: 7, commandId: 'c', reference: 'slot 4' },
        });
        const excluded = unsureEntry(2, 1, { accepted: { as: 'stranger', window: { startDate: 0, endDate: 0, hours: '', once: false } } });
        expect(entries.inMemory(lockId(1))?.entries).toEqual([]);
        await entries.update(lockId(1), () => ({ put: [full, excluded] }));
        expect(await held(entries, 1)).toEqual({ all: [full, excluded], unsure: [excluded] });
        expect(entries.inMemory(lockId(1))?.entries).toEqual([full, excluded]);
        expect(await held(entries, 2)).toEqual(nothing);
        expect(await held(entries, 3)).toEqual(nothing);
        expect(locks.get(lockId(1))).toEqual(sampleLock(1));
      }));

    test('finds an entry by id, by credential and by number, as long as it is there', () =>
      over(async ({ locks, entries }) => {
        await locks.add(sampleLock(1));
        const card = sampleEntry(1, 1, { number: '0042', credentialId: 7 });
        const other = sampleEntry(2, 1, { number: '7', credentialId: 7 });
        await entries.update(lockId(1), () => ({ put: [other, card] }));
        const all = await entries.of(lockId(1));
        expect(all.entries).toEqual([card, other]);
        expect(all.byCredential(7)).toEqual([card, other]);
        expect([all.byId(card.entryId), all.byNumber('card', '42'), all.byNumber('card', '00042')]).toEqual([card, card, card]);
        expect([all.byNumber('card', '420'), all.byNumber('passcode', '42'), all.byCredential(8)]).toEqual([undefined, undefined, []]);
        await entries.update(lockId(1), () => ({ put: [{ ...card, name: 'new', credentialId: 8 }], remove: [other.entryId] }));
        expect([all.byNumber('card', '42')?.name, all.byNumber('card', '7'), all.byId(other.entryId)]).toEqual([
          'new',
          undefined,
          undefined,
        ]);
        expect([all.byCredential(7), all.byCredential(8).map(({ name }) => name)]).toEqual([[], ['new']]);
        await entries.update(lockId(1), () => ({ put: [{ ...card, number: '43' }] }));
        expect([all.byNumber('card', '42'), all.byNumber('card', '43')?.entryId]).toEqual([undefined, card.entryId]);
      }));

    test('takes passcodes with other leading zeros for others, and for no cards', () =>
      over(async ({ locks, entries }) => {
        await locks.add(sampleLock(1));
        const all = [passcode(1, '0042'), passcode(2, '042'), sampleEntry(3, 1, { number: '42' })];
        await entries.update(lockId(1), () => ({ put: all }));
        const there = await entries.of(lockId(1));
        expect(all.map(({ kind, number }) => there.byNumber(kind, number))).toEqual(all);
        expect(there.byNumber('passcode', '42')).toBeUndefined();
      }));

    test('lets one number change from one entry to another in one change', () =>
      over(async ({ locks, entries }) => {
        await locks.add(sampleLock(1));
        const [one, other] = [unsureEntry(1, 1), sampleEntry(2, 1, { number: '001' })];
        await entries.update(lockId(1), () => ({ put: [one] }));
        await entries.update(lockId(1), () => ({ put: [other], remove: [one.entryId] }));
        const all = await entries.of(lockId(1));
        expect([all.byNumber('card', '1'), all.entries, all.unsure]).toEqual([other, [other], []]);
      }));

    test('lists what is unsure in the order in which it became so, until it is sure', () =>
      over(async ({ locks, entries }) => {
        await locks.add(sampleLock(1));
        for (const id of [3, 1, 2]) await entries.update(lockId(1), () => ({ put: [unsureEntry(id, 1)] }));
        await entries.update(lockId(1), () => ({ put: [sampleEntry(1, 1)] }));
        expect((await entries.of(lockId(1))).unsure).toEqual([unsureEntry(3, 1), unsureEntry(2, 1)]);
        await entries.update(lockId(1), () => ({ remove: [3 as CardId] }));
        expect((await entries.of(lockId(1))).unsure).toEqual([unsureEntry(2, 1)]);
      }));

    test('remembers who held a number before, oldest first', () =>
      over(async ({ locks, entries }) => {
        await locks.add(sampleLock(1));
        const holder = (cardNumber: string, from: number) => ({
          cardId: from as CardId,
          cardNumber,
          name: `at ${from}`,
          from,
          to: from + 5,
        });
        await entries.update(lockId(1), () => ({ past: [holder('042', 1), holder('7', 2)] }));
        await entries.update(lockId(1), () => ({ past: [holder('42', 9)] }));
        const all = await entries.of(lockId(1));
        expect(all.past('42')).toEqual([holder('042', 1), holder('42', 9)]);
        expect(all.past('1')).toEqual([]);
      }));

    test('builds each change on those before it, whether they are written or not, and loses none, nor one of the lock', () =>
      over(async ({ locks, entries }) => {
        await locks.add(sampleLock(1));
        const numbers = [1, 2, 3, 4, 5, 6];
        const seen = new Map<number, unknown>();
        await Promise.all([
          ...numbers.map((number) =>
            entries.update(lockId(1), (newest) => {
              const before = unsureEntry(number - 1, 1);
              seen.set(number, [
                numbers.filter((one) => newest.byId(one as CardId) !== undefined),
                newest.byNumber('card', before.number)?.entryId ?? 0,
                newest.byCredential(9).map(({ entryId }) => entryId),
                newest.unsure.map(({ entryId }) => entryId),
              ]);
              return { put: [unsureEntry(number, 1, { credentialId: 9 })] };
            }),
          ),
          locks.update(lockId(1), (lock) => ({ ...lock, alias: 'new' })),
        ]);
        const first = (n: number) => numbers.slice(0, n);
        expect([...seen.values()]).toEqual(numbers.map((_, n) => [first(n), n, first(n), first(n)]));
        expect((await entries.of(lockId(1))).entries.map(({ entryId }) => entryId)).toEqual(numbers);
        expect(locks.get(lockId(1))?.alias).toBe('new');
      }));

    test('rejects with what the change throws, and changes nothing', () =>
      over(async ({ locks, entries }) => {
        await locks.add(sampleLock(1));
        const refused = entries.update(lockId(1), () => {
          throw new RangeError('no');
        });
        await Promise.all([expect(refused).rejects.toThrow('no'), entries.update(lockId(1), () => ({ put: [sampleEntry(1, 1)] }))]);
        expect(await held(entries, 1)).toEqual({ all: [sampleEntry(1, 1)], unsure: [] });
      }));

    test('forgets the entries of a lock that was removed', () =>
      over(async ({ locks, entries }) => {
        await locks.add(sampleLock(1));
        await entries.update(lockId(1), () => ({ put: [sampleEntry(1, 1)] }));
        await locks.remove(lockId(1));
        expect(await held(entries, 1)).toEqual(nothing);
        await locks.add(sampleLock(1));
        expect(await held(entries, 1)).toEqual(nothing);
      }));
  });
}

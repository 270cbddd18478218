// What every RecordStore promises.
import { describe, expect, test } from '@jest/globals';
import type { LockRecord } from '../../src/domain/records/record.ts';
import { recordHolder } from '../../src/domain/records/record-holder.ts';
import type { NewestFirst, RecordStore } from '../../src/domain/records/record-ports.ts';
import { everything, lockId, sampleEvent, sampleEvents } from '../stores/files/support/samples.ts';
import type { RunOver } from './adapters.ts';

function isAsked(record: LockRecord, { before, locks, from, to, types, success, username, holders }: NewestFirst): boolean {
  return (
    record.recordId < before &&
    locks.has(record.lockId) &&
    from <= record.lockDate &&
    record.lockDate <= to &&
    (types === undefined || types.includes(record.type)) &&
    (success === undefined || record.success === success) &&
    (username === undefined || record.username === username) &&
    (holders === undefined || holders.includes(recordHolder(record)))
  );
}

export function recordStoreContract(over: RunOver<RecordStore>): void {
  const one = lockId(1);

  async function seqs(records: RecordStore, query: Partial<typeof everything> = {}, lock = one): Promise<number[]> {
    return (await records.page({ lockId: lock, ...everything, ...query })).list.map(({ seq }) => seq);
  }

  describe('a RecordStore', () => {
    test('shows what was appended, newest first, as it was given', () =>
      over(async (records) => {
        const odd = sampleEvent(3, {
          ...{ success: false, type: 'own \u0000 word', credential: '', username: '\u2028"\\\n\u001b0041', lockDate: -5, reportedDate: 0 },
          ...{ reason: '\ud800 {NULL, "x"}', undated: true as const, command: -3, entryId: 9 },
        });
        expect(await records.append(one, '7d3f', [sampleEvent(1), sampleEvent(2), odd])).toEqual({ stored: 3, duplicates: 0, refused: [] });
        expect(await records.append(one, '\u0000NULL', [sampleEvent(1)])).toMatchObject({ stored: 1 });
        expect(await records.append(one, '\u0000NULL', [sampleEvent(1)])).toMatchObject({ duplicates: 1 });
        const { list } = await records.page({ lockId: one, ...everything });
        expect(list).toEqual([
          { recordId: expect.any(Number), lockId: 1, epoch: '\u0000NULL', ...sampleEvent(1) },
          { recordId: expect.any(Number), lockId: 1, epoch: '7d3f', ...odd },
          { recordId: expect.any(Number), lockId: 1, epoch: '7d3f', ...sampleEvent(2) },
          { recordId: expect.any(Number), lockId: 1, epoch: '7d3f', ...sampleEvent(1) },
        ]);
        expect(records.count()).toBe(4);
      }));

    test('gives recordIds that rise in the order of storing, over all locks', () =>
      over(async (records) => {
        await Promise.all([1, 2, 3].map((lock) => records.append(lockId(lock), 'e', sampleEvents(1, 5))));
        await records.append(one, 'e', [sampleEvent(100, { lockDate: 0, serverDate: 0 })]);
        const all = await Promise.all([1, 2, 3].map((lock) => records.page({ lockId: lockId(lock), ...everything })));
        const ids = all.flatMap(({ list }) => list.map(({ recordId }) => recordId));
        expect(new Set(ids).size).toBe(16);
        for (const { list } of all)
          expect(list.map(({ recordId }) => recordId)).toEqual(list.map(({ recordId }) => recordId).sort((a, b) => b - a));
        expect(all[0]?.list[0]?.recordId).toBe(Math.max(...ids));
      }));

    test('gives the newest record of each lock that has one', () =>
      over(async (records) => {
        await records.append(one, 'e', [...sampleEvents(1, 5), sampleEvent(9, { lockDate: 0, serverDate: 0 })]);
        await records.append(lockId(2), 'e', sampleEvents(1, 3));
        await records.append(lockId(4), 'e', [sampleEvent(1)]);
        const found = await records.newestOf([1, 2, 3].map(lockId));
        expect(found.map((record) => [record.lockId, record.seq]).sort()).toEqual([
          [1, 9],
          [2, 3],
        ]);
        expect(found.find((record) => record.lockId === 2)).toEqual((await records.page({ lockId: lockId(2), ...everything })).list[0]);
        expect(await records.newestOf([])).toEqual([]);
      }));

    test('pages with exact totals; a page past the end is empty', () =>
      over(async (records) => {
        await records.append(one, 'e', sampleEvents(1, 25));
        await records.append(lockId(2), 'e', sampleEvents(1, 7));
        const page = await records.page({ lockId: one, ...everything, pageNo: 2, pageSize: 10 });
        expect(page).toMatchObject({ pageNo: 2, pageSize: 10, pages: 3, total: 25 });
        expect(page.list.map(({ seq }) => seq)).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 6]);
        expect(await seqs(records, { pageNo: 3, pageSize: 10 })).toEqual([5, 4, 3, 2, 1]);
        expect(await records.page({ lockId: one, ...everything, pageNo: 4, pageSize: 10 })).toMatchObject({
          list: [],
          pages: 3,
          total: 25,
        });
        expect(await records.page({ lockId: one, ...everything, pageNo: Number.MAX_SAFE_INTEGER })).toMatchObject({ list: [], total: 25 });
        expect(await records.page({ lockId: lockId(3), ...everything })).toMatchObject({ list: [], pages: 0, total: 0 });
      }));

    test('filters by lockDate, both ends included, whatever the order of the dates', () =>
      over(async (records) => {
        const dates = [50, 10, 40, 20, 30, 20];
        await records.append(
          one,
          'e',
          dates.map((lockDate, n) => sampleEvent(n + 1, { lockDate })),
        );
        expect(await seqs(records, { from: 20, to: 40 })).toEqual([6, 5, 4, 3]);
        expect(await seqs(records, { from: 20, to: 20 })).toEqual([6, 4]);
        expect(await seqs(records, { from: 20, to: 40, pageNo: 2, pageSize: 3 })).toEqual([3]);
        expect(await records.page({ lockId: one, ...everything, from: 11, to: 19 })).toMatchObject({ list: [], total: 0 });
        expect(await records.page({ lockId: one, ...everything, from: 51 })).toMatchObject({ total: 0 });
      }));

    test('stores an event once, however often and in whatever company it is sent (Protocol 4.4, Fault T20)', () =>
      over(async (records) => {
        await records.append(one, 'e', sampleEvents(1, 3));
        expect(await records.append(one, 'e', sampleEvents(2, 5))).toMatchObject({ stored: 2, duplicates: 2 });
        expect(await records.append(one, 'e', [sampleEvent(6), sampleEvent(6), sampleEvent(1)])).toMatchObject({
          stored: 1,
          duplicates: 2,
        });
        const outcomes = await Promise.all([1, 2, 3, 4].map(() => records.append(one, 'e', sampleEvents(7, 9))));
        expect(outcomes.map(({ stored }) => stored)).toEqual([3, 0, 0, 0]);
        expect(await seqs(records)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
        expect(await records.append(one, 'another', sampleEvents(1, 1))).toMatchObject({ stored: 1 });
        expect(await records.append(lockId(2), 'e', sampleEvents(1, 1))).toMatchObject({ stored: 1 });
      }));

    test('keeps a command and its name in one record of its lock alone, however often and at what moment it comes (Protocol 4.4)', () =>
      over(async (records) => {
        const named = (seq: number, command: number) => sampleEvent(seq, { command, username: 'ole' });
        const inTurn = await Promise.all(
          [1, 2, 3].map((n) => records.append(one, `epoch ${n}`, [named(1, 40), named(2, 40), named(3, 41)])),
        );
        expect(inTurn.map(({ stored }) => stored)).toEqual([3, 3, 3]);
        await records.append(one, 'epoch 1', [named(3, 42), named(4, -7), named(5, -7)]);
        await records.append(lockId(2), 'e', [named(1, 40)]);
        const namesOf = async (lock: number) =>
          (await records.page({ lockId: lockId(lock), ...everything })).list
            .filter(({ username }) => username !== '')
            .map(({ epoch, seq, command, username }) => [epoch, seq, command, username]);
        expect(await namesOf(1)).toEqual([
          ['epoch 1', 4, -7, 'ole'],
          ['epoch 1', 3, 41, 'ole'],
          ['epoch 1', 1, 40, 'ole'],
        ]);
        expect(await namesOf(2)).toEqual([['e', 1, 40, 'ole']]);
        const nameless = (await records.page({ lockId: one, ...everything })).list.filter(({ username }) => username === '');
        expect(nameless.map((record) => 'command' in record)).toEqual(Array.from({ length: 8 }, () => false));
      }));

    test('gives what is above a recordId, of the locks that are wanted, by recordId', () =>
      over(async (records) => {
        expect(records.newest()).toBe(0);
        for (let n = 0; n < 30; n++) await records.append(lockId((n % 3) + 1), 'e', sampleEvents(n * 10 + 1, n * 10 + 10));
        const since = async (above: number, ...locks: number[]): Promise<[recordId: number, lockId: number][]> => {
          const found: [number, number][] = [];
          for await (const some of records.since(above, (lock) => locks.includes(lock)))
            found.push(...some.map((record): [number, number] => [record.recordId, record.lockId]));
          return found;
        };
        const all = await since(0, 1, 2, 3);
        expect(all).toHaveLength(300);
        expect(all.map(([id]) => id)).toEqual(all.map(([id]) => id).toSorted((a, b) => a - b));
        expect(records.newest()).toBe(all.at(-1)?.[0]);
        const middle = all[150]?.[0] as number;
        expect(await since(middle, 2)).toEqual(all.filter(([id, lock]) => id > middle && lock === 2));
        expect(await since(middle, 1, 2, 3)).toEqual(all.filter(([id]) => id > middle));
        expect(await since(records.newest(), 1, 2, 3)).toEqual([]);
        expect(await since(0)).toEqual([]);
      }));

    test('looks at the records of some locks, newest first, and finds all that match', () =>
      over(async (records) => {
        const types = ['card-unlock', 'door-open', 'passcode-unlock'];
        for (let n = 0; n < 100; n++) {
          const changes = (seq: number) => ({
            ...{ type: types[(n + seq) % 3] as string, success: seq % 4 !== 0, username: `Résident ${seq % 5}`, credential: `00${n % 7}` },
            ...{ lockDate: ((n * 31 + seq) % 500) * 1_000, ...(seq % 2 === 0 && { entryId: n % 7 }) },
          });
          const drafts = Array.from({ length: 5 }, (_, at) => sampleEvent(n * 5 + at + 1, changes(n * 5 + at + 1)));
          await records.append(lockId((n % 80) + 1), 'e', drafts);
        }
        const all: LockRecord[] = [];
        for await (const some of records.since(0, () => true)) all.unshift(...some.toReversed());
        const locks = (count: number) => new Set(Array.from({ length: count }, (_, n) => lockId(n + 1)));
        const wide = { before: Number.MAX_SAFE_INTEGER, from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER, atOnce: 20 };
        const asked: readonly Omit<NewestFirst, 'locks'>[] = [
          wide,
          { ...wide, before: all[140]?.recordId as number },
          { ...wide, from: 100_000, to: 200_000 },
          { ...wide, types: ['door-open', 'nothing'] },
          { ...wide, success: false, username: 'Résident 3' },
          { ...wide, holders: ['card 3', 'entry 4'] },
        ];
        for (const count of [1, 30, 79]) {
          for (const question of asked) {
            const query = { ...question, locks: locks(count) };
            const found: LockRecord[] = [];
            let lookedTo = Number.POSITIVE_INFINITY;
            for await (const { records: some, lowest = lookedTo } of records.newestFirst(query)) {
              expect(lowest).toBeLessThanOrEqual(lookedTo);
              for (const record of some) expect(record.recordId).toBeGreaterThanOrEqual(lowest);
              lookedTo = lowest;
              found.push(...some.filter((record) => isAsked(record, query)));
            }
            expect(found).toEqual(all.filter((record) => isAsked(record, query)));
          }
        }
      }));

    test('an empty call stores nothing', () =>
      over(async (records) => {
        expect(await records.append(one, 'e', [])).toEqual({ stored: 0, duplicates: 0, refused: [] });
        expect(records.progress(one, 'e')).toEqual({ highest: 0, gaps: [], isBeginning: true });
      }));

    test('knows the highest seq of an epoch and the gaps below it; its first seq opens none', () =>
      over(async (records) => {
        expect(records.progress(one, 'e')).toEqual({ highest: 0, gaps: [], isBeginning: true });
        await records.append(one, 'e', [sampleEvent(10), sampleEvent(11), sampleEvent(15), sampleEvent(20)]);
        expect(records.progress(one, 'e')).toMatchObject({
          highest: 20,
          gaps: [
            [12, 14],
            [16, 19],
          ],
        });
        await records.append(one, 'e', [sampleEvent(13), sampleEvent(16)]);
        expect(records.progress(one, 'e')).toMatchObject({
          highest: 20,
          gaps: [
            [12, 12],
            [14, 14],
            [17, 19],
          ],
        });
        await records.append(one, 'e', [sampleEvent(12), sampleEvent(14), sampleEvent(5)]);
        expect(records.progress(one, 'e')).toMatchObject({
          highest: 20,
          gaps: [
            [6, 9],
            [17, 19],
          ],
        });
        await records.append(one, 'e', [sampleEvent(Number.MAX_SAFE_INTEGER)]);
        expect(records.progress(one, 'e').highest).toBe(Number.MAX_SAFE_INTEGER);
        expect(records.progress(one, 'other')).toEqual({ highest: 0, gaps: [], isBeginning: false });
      }));

    test('refuses the 9th epoch of a lock, and of no other', () =>
      over(async (records) => {
        for (let n = 1; n <= 8; n++) await records.append(one, `epoch ${n}`, sampleEvents(1, 2));
        const ninth = sampleEvents(1, 2);
        expect(await records.append(one, 'epoch 9', ninth)).toEqual({ stored: 0, duplicates: 0, refused: ninth });
        expect(await records.append(one, 'epoch 8', sampleEvents(2, 3))).toMatchObject({ stored: 1, duplicates: 1, refused: [] });
        expect(await records.append(lockId(2), 'epoch 9', ninth)).toMatchObject({ stored: 2 });
      }));

    test('refuses what would open the 1,001st gap, and takes what closes one', () =>
      over(async (records) => {
        const everySecond = Array.from({ length: 1_001 }, (_, n) => sampleEvent(2 * n + 1));
        await records.append(one, 'e', everySecond);
        expect(records.progress(one, 'e').gaps).toHaveLength(1_000);
        const outcome = await records.append(one, 'e', [sampleEvent(2), sampleEvent(3_000), sampleEvent(4_000)]);
        expect(outcome).toMatchObject({ stored: 2, refused: [{ seq: 4_000 }] });
        expect(await records.append(one, 'f', sampleEvents(1, 1))).toMatchObject({ stored: 1 });
        expect(await records.append(one, 'f', [sampleEvent(5)])).toMatchObject({ refused: [{ seq: 5 }] });
      }));
  });
}

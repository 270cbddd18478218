// The records in PostgreSQL: what is stored once though somebody else has changed a stream, or though nobody heard that it is stored.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { AccessDraft } from '../../../src/domain/access/access-log.ts';
import type { LockRecord } from '../../../src/domain/records/record.ts';
import type { RecordStore } from '../../../src/domain/records/record-ports.ts';
import { takeWriting } from '../../../src/stores/postgres/fence.ts';
import type { PostgresDatabases } from '../../support/postgres.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { createRandom } from '../../support/seeded-random.ts';
import { everything, lockId, sampleEvent, sampleEvents } from '../files/support/samples.ts';
import { type Side, withRecordSides } from './support/records.ts';

const one = lockId(1);

async function all(records: RecordStore): Promise<LockRecord[]> {
  const found: LockRecord[] = [];
  for await (const some of records.since(0, () => true)) found.push(...some);
  return found;
}
/** The recordIds that were emitted, with the lock and the seq of each. */
function announced({ stored }: Side): readonly (readonly number[])[] {
  return stored.flatMap(({ lockId: lock, drafts, firstRecordId }) => drafts.map(({ seq }, n) => [firstRecordId + n, lock, seq]));
}
const identityOf = ({ recordId, lockId: lock, seq }: LockRecord) => [recordId, lock, seq];
const fromOne = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

describe('records in PostgreSQL', () => {
  let server: PostgresDatabases;
  beforeAll(async () => {
    server = await serverOfRun();
  });

  test('two that store the same events at the same time store each once, with numbers without gaps, and each announces all of them', () =>
    withRecordSides(server, async ({ open }) => {
      const [first, second] = [await open(), await open()];
      const locks = fromOne(20);
      for (let from = 1; from <= 21; from += 5) {
        const outcomes = await Promise.all(
          [first, second].flatMap(({ records }) =>
            locks.map((lock) => records.append(lockId(lock), 'e', sampleEvents(from, from + (lock % 2 === 0 ? 4 : 6)))),
          ),
        );
        for (const { stored, duplicates, refused } of outcomes) expect([stored + duplicates > 0, refused]).toEqual([true, []]);
      }
      const found = await all((await open()).records);
      expect(found.map(({ recordId }) => recordId)).toEqual(fromOne(20 * 25 + 10 * 2));
      expect(new Set(found.map(({ lockId: lock, seq }) => `${lock} ${seq}`)).size).toBe(found.length);
      // Whoever stored last knows of all of the other's.
      await first.records.append(one, 'e', [sampleEvent(100)]);
      expect(announced(first).slice(0, found.length)).toEqual(found.map(identityOf));
      expect([first.records.newest(), first.records.count()]).toEqual([found.length + 1, found.length + 1]);
    }));

  test('a stream that somebody else has changed is read again, and its gaps are known then', () =>
    withRecordSides(server, async ({ open }) => {
      const [first, second] = [await open(), await open()];
      await first.records.append(one, 'e', sampleEvents(1, 3));
      expect(await second.records.append(one, 'e', sampleEvents(2, 9))).toMatchObject({ stored: 6, duplicates: 2 });
      expect(await first.records.append(one, 'e', [sampleEvent(12)])).toMatchObject({ stored: 1 });
      expect(first.records.progress(one, 'e')).toMatchObject({ highest: 12, gaps: [[10, 11]] });
      expect(await first.records.append(one, 'e', sampleEvents(1, 9))).toMatchObject({ stored: 0, duplicates: 9 });
      expect(announced(first).map(([recordId]) => recordId)).toEqual(fromOne(10));
    }));

  test('a command names somebody once, also when two have it at the same time, and after a restart', () =>
    withRecordSides(server, async ({ open }) => {
      const [first, second] = [await open(), await open()];
      const named = (seq: number) => [sampleEvent(seq, { command: 40, username: 'ole' })];
      await first.records.append(one, 'e', named(1));
      // It has not heard of the first, finds that out, and takes the name away.
      await second.records.append(one, 'e', named(2));
      await (await open()).records.append(one, 'f', named(1));
      const records = await all((await open()).records);
      expect(records.map(({ command, username }) => [command, username])).toEqual([
        [40, 'ole'],
        [undefined, ''],
        [undefined, ''],
      ]);
    }));

  for (const lost of ['message', 'answer'] as const) {
    test(`a connection that loses the ${lost}: nobody hears of it before it is known, and each event is stored and announced once`, () =>
      withRecordSides(server, async ({ open, proxy }) => {
        const { records, ...side } = await open();
        await records.append(one, 'e', sampleEvents(1, 2));
        const gone = proxy.lose(lost, '777000777');
        const marked = [sampleEvent(3), sampleEvent(4, { credential: '777000777' }), sampleEvent(5)];
        const [outcome] = await Promise.all([
          records.append(one, 'e', marked),
          records.append(lockId(2), 'e', sampleEvents(1, 4)),
          // It comes again before it is acknowledged.
          records.append(one, 'e', marked),
        ]);
        await gone;
        expect(outcome).toMatchObject({ refused: [] });
        const found = await all((await open()).records);
        expect(found.map(({ recordId }) => recordId)).toEqual(fromOne(9));
        expect(found.filter((record) => record.lockId === one).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
        expect(announced({ ...side, records })).toEqual(found.map(identityOf));
        expect(await records.append(one, 'e', marked)).toMatchObject({ stored: 0, duplicates: 3 });
      }));
  }

  test('an event that the database cannot store hurts nobody but its sender', () =>
    withRecordSides(server, async ({ open }) => {
      const { records } = await open();
      const bad = records.append(lockId(7), 'e', [sampleEvent(1, { lockDate: 0.5 })]);
      const good = fromOne(6).map((lock) => records.append(lockId(lock), 'e', sampleEvents(1, 2)));
      await expect(bad).rejects.toMatchObject({ code: 'storage-unavailable' });
      for (const outcome of await Promise.all(good)) expect(outcome).toMatchObject({ stored: 2 });
      expect(await records.append(lockId(7), 'e', [sampleEvent(1)])).toMatchObject({ stored: 1 });
      expect((await all(records)).map(({ recordId }) => recordId)).toEqual(fromOne(13));
    }));

  test('whoever does not write any more stores nothing, and says that it is over', () =>
    withRecordSides(server, async ({ open, database }) => {
      const side = await open();
      await side.records.append(one, 'e', sampleEvents(1, 2));
      await takeWriting({ writer: '00000000-0000-4000-8000-000000000000', transaction: database.transaction });
      await expect(side.records.append(one, 'e', sampleEvents(3, 4))).rejects.toMatchObject({ code: 'storage-unavailable' });
      await expect(side.audit.append({ ...auditEntry, id: 1 })).rejects.toMatchObject({ code: 'storage-unavailable' });
      await expect(side.access.append([roleLine])).rejects.toMatchObject({ code: 'storage-unavailable' });
      await expect(side.quarantine.keep(device, 'no JSON', '{')).rejects.toMatchObject({ code: 'storage-unavailable' });
      expect(side.fenced).toHaveLength(4);
      for (const table of ['audit', 'access_line', 'quarantine']) expect(await database.query(`SELECT FROM ${table}`)).toEqual([]);
      expect(await database.query('SELECT FROM record')).toHaveLength(2);
      expect(side.records.progress(one, 'e').highest).toBe(2);
    }));

  test('of a lock that nobody knows any more nothing stays once its records are gone, and a lock that is known keeps all', () =>
    withRecordSides(server, async ({ open, database }) => {
      const side = await open();
      for (const id of [1, 2, 3]) await side.records.append(lockId(id), 'e', [sampleEvent(1, { command: id })]);
      const known = (id: number): boolean => id === 1;
      expect(await side.forgetLocks(known)).toBe(0);
      await database.query('DELETE FROM record WHERE lock_id < 3');
      expect(await side.forgetLocks(known)).toBe(1);
      for (const table of ['stream', 'used_command'])
        expect(await database.query(`SELECT lock_id AS id FROM ${table} ORDER BY lock_id`)).toEqual([{ id: 1 }, { id: 3 }]);
      expect(side.records.epochs(lockId(2))).toEqual([]);
    }));

  test('after a restart everything is known as before', () =>
    withRecordSides(server, async ({ open }) => {
      const { records } = await open();
      for (let n = 0; n < 30; n++) await records.append(lockId((n % 3) + 1), `e${n % 2}`, sampleEvents(n * 10 + 1, n * 10 + 10));
      const before = await all(records);
      const { records: again } = await open();
      expect(await all(again)).toEqual(before);
      expect(again.count()).toBe(300);
      for (const lock of [1, 2, 3])
        for (const epoch of ['e0', 'e1', 'e2']) expect(again.progress(lockId(lock), epoch)).toEqual(records.progress(lockId(lock), epoch));
      expect(again.epochs(one)).toEqual(records.epochs(one));
      expect(await again.page({ lockId: one, ...everything })).toEqual(await records.page({ lockId: one, ...everything }));
    }));

  test('a total that is in memory is that of the database, whatever the dates', () =>
    withRecordSides(server, async ({ open }) => {
      const { records } = await open();
      await records.append(
        one,
        'e',
        fromOne(40).map((seq) => sampleEvent(seq, { lockDate: (seq * 7) % 40 })),
      );
      for (const [from, to] of [
        [0, 39],
        [0, 39],
        [5, 39],
        [5, 39],
        [6, 39],
        [5, 20],
        [30, 39],
        [40, 60],
        [41, 60],
        [50, 60],
        [0, 4],
      ] as const)
        for (const pageNo of [1, 2]) {
          const page = await records.page({ lockId: one, from, to, pageNo, pageSize: 5 });
          expect([from, to, page.total]).toEqual([from, to, Math.max(0, Math.min(to, 39) - from + 1)]);
          expect(page.list).toHaveLength(Math.min(5, Math.max(0, page.total - (pageNo - 1) * 5)));
        }
    }));

  test('it grows with the records that come, before and within its dates and after them, and while it is counted', () =>
    withRecordSides(server, async ({ open }) => {
      const { records } = await open();
      const random = createRandom(20261124);
      const dates: number[] = [];
      const add = (): Promise<unknown> => {
        const some = Array.from({ length: 1 + random.below(3) }, () => random.below(60));
        const first = dates.length + 1;
        dates.push(...some);
        return records.append(
          one,
          'e',
          some.map((lockDate, n) => sampleEvent(first + n, { lockDate })),
        );
      };
      const asked = (from: number, to: number) => records.page({ lockId: one, from, to, pageNo: 1, pageSize: 5 });
      for (let round = 0; round < 60; round++) {
        const [from, to] = [random.below(20), 30 + random.below(20)];
        await Promise.all([asked(from, to), add()]);
        await add();
        for (const begin of [from, from, from + 2]) {
          const { total } = await asked(begin, to);
          expect([round, begin, to, total]).toEqual([round, begin, to, dates.filter((date) => date >= begin && date <= to).length]);
        }
      }
    }));
});

const device = '001122aabbcc' as Parameters<Side['quarantine']['keep']>[0];
const auditEntry = { at: 1, username: 'ole', address: '', action: 'card-add', object: 'lock 7', detail: '', outcome: 'ok' } as const;
const roleLine: AccessDraft = {
  ...{ what: 'role', lockId: one, kind: null, number: null, entryId: null, credentialId: null, personId: null, accountId: 3, name: 'ole' },
  ...{ notBefore: 1, notAfter: 1, startDate: 0, endDate: 0, hours: '', basis: null, commandId: null, detail: 'manager' },
};

// Records newest first, by any filter, over days that are open, sealed, or sorted without an index: the same as by looking at all of them.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { LockId } from '../../../../src/domain/locks/lock.ts';
import type { LockRecord } from '../../../../src/domain/records/record.ts';
import { recordHolder } from '../../../../src/domain/records/record-holder.ts';
import type { NewestFirst } from '../../../../src/domain/records/record-ports.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import { createRandom, type Random } from '../../../support/seeded-random.ts';
import { type ManualClock, manualClock, startedStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';
import { lockId, sampleEvent } from '../support/samples.ts';

const dayMs = 86_400_000;
const types = ['card-unlock', 'auto-lock', 'passcode-unlock', 'door-open', 'own word'];
const locks = [1, 2, 3, 4, 5].map(lockId);
const everything: NewestFirst = {
  before: Number.MAX_SAFE_INTEGER,
  locks: new Set(locks),
  from: Number.MIN_SAFE_INTEGER,
  to: Number.MAX_SAFE_INTEGER,
  atOnce: 50,
};

/** Five locks, of which the fifth is used seldom; some 2,000 records of a day. */
async function fillDay(store: Store, clock: ManualClock, random: Random, day: number): Promise<void> {
  for (let n = 0; n < 100; n++) {
    const lock = random.chance(0.02) ? lockId(5) : random.pick(locks.slice(0, 4));
    const drafts = Array.from({ length: 20 }, (_, at) => {
      const type = random.pick(types);
      return sampleEvent(n * 20 + at + 1, {
        type,
        success: random.chance(0.8),
        credential: type === 'card-unlock' ? String(random.below(30)) : '',
        username: random.chance(0.5) ? `Résident ${random.below(20)}` : '',
        lockDate: clock.now() - random.below(3 * dayMs),
        serverDate: clock.now(),
        ...(type === 'passcode-unlock' && random.chance(0.5) && { entryId: 1 + random.below(5) }),
      });
    });
    await store.ports.records.append(lock, `e${day}`, drafts);
  }
}

/** Three finished days, and one that is open. */
async function withDays(run: (directory: string, clock: ManualClock, random: Random) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    const clock = manualClock();
    const random = createRandom(7);
    const { store } = await startedStore(directory, { clock });
    for (let day = 0; day < 4; day++) {
      if (day > 0) clock.advance(dayMs);
      await fillDay(store, clock, random, day);
    }
    await store.maintenance.sealDays();
    await store.stop();
    await run(directory, clock, random);
  });
}

async function allOf({ ports: { records } }: Store): Promise<LockRecord[]> {
  const all: LockRecord[] = [];
  for await (const some of records.since(0, () => true)) all.push(...some);
  return all.reverse();
}

function isAsked(
  record: LockRecord,
  { before, locks: wanted, from, to, types: ofTypes, success, username, holders }: NewestFirst,
): boolean {
  return (
    record.recordId < before &&
    wanted.has(record.lockId) &&
    from <= record.lockDate &&
    record.lockDate <= to &&
    (ofTypes === undefined || ofTypes.includes(record.type)) &&
    (success === undefined || record.success === success) &&
    (username === undefined || record.username === username) &&
    (holders === undefined || holders.includes(recordHolder(record)))
  );
}

/** All ids that a query finds, after the test's own look at each. They fall, and no step says that it has looked further than it has. */
async function found({ ports: { records } }: Store, query: NewestFirst): Promise<number[]> {
  const ids: number[] = [];
  const seen: number[] = [];
  const isLower = (recordId: number): boolean => seen.length === 0 || recordId < (seen.at(-1) as number);
  const wrong: unknown[] = [];
  let lookedTo = Number.POSITIVE_INFINITY;
  for await (const { records: some, lowest } of records.newestFirst(query)) {
    for (const record of some) {
      if (!isLower(record.recordId) || record.recordId > lookedTo || !query.locks.has(record.lockId)) wrong.push(record);
      seen.push(record.recordId);
      if (isAsked(record, query)) ids.push(record.recordId);
    }
    if (lowest !== undefined) lookedTo = Math.min(lookedTo, lowest);
    if (some.length > 0 && lowest === undefined) wrong.push('a step with records and without its lowest');
  }
  expect(wrong).toEqual([]);
  return ids;
}

function anyQuery(random: Random, all: readonly LockRecord[], now: number): NewestFirst {
  const some = random.pick(all);
  return {
    ...everything,
    ...(random.chance(0.5) && { before: some.recordId + random.below(3) - 1 }),
    ...(random.chance(0.5) && { locks: new Set(locks.filter(() => random.chance(0.5))) }),
    ...(random.chance(0.3) && { from: now - random.below(6 * dayMs) }),
    ...(random.chance(0.3) && { to: now - random.below(6 * dayMs) }),
    ...(random.chance(0.3) && { types: [random.pick(types), random.pick(types)] }),
    ...(random.chance(0.3) && { success: random.chance(0.5) }),
    ...(random.chance(0.3) && { username: some.username }),
    ...(random.chance(0.3) && { holders: [recordHolder(some), 'card 7', 'entry 2'] }),
    atOnce: 1 + random.below(100),
  };
}

async function agrees(store: Store, random: Random, now: number, rounds: number): Promise<void> {
  const all = await allOf(store);
  expect(all).toHaveLength(8_000);
  for (let n = 0; n < rounds; n++) {
    const query = anyQuery(random, all, now);
    const expected = all.filter((record) => isAsked(record, query)).map(({ recordId }) => recordId);
    expect(await found(store, query)).toEqual(expected);
  }
}
const orders = async (directory: string) => (await readdir(`${directory}/records`)).filter((name) => name.endsWith('.order')).sort();

describe('the records newest first', () => {
  test('are those that a look at all of them finds, whatever is asked, also after a restart', () =>
    withDays(async (directory, clock, random) => {
      for (let start = 0; start < 2; start++) {
        const { store } = await startedStore(directory, { clock });
        await agrees(store, random, clock.now(), 30);
        await store.stop();
        expect(await orders(directory)).toHaveLength(3);
      }
    }));

  test('of days that were never sealed, and of one whose lines are sorted without an index, are the same', () =>
    withDays(async (directory, clock, random) => {
      for (const name of await readdir(`${directory}/records`)) if (name.endsWith('.index')) await rm(`${directory}/records/${name}`);
      const { store } = await startedStore(directory, { clock });
      await agrees(store, random, clock.now(), 10);
      await store.stop();
    }));

  test('need no table of a lock that was seldom used', () =>
    withDays(async (directory, clock) => {
      const { store } = await startedStore(directory, { clock });
      const query = { ...everything, locks: new Set<LockId>([lockId(5)]) };
      const expected = (await allOf(store)).filter((record) => record.lockId === lockId(5)).map(({ recordId }) => recordId);
      expect(expected.length).toBeGreaterThan(20);
      expect(await found(store, query)).toEqual(expected);
      expect(await orders(directory)).toEqual([]);
      await store.stop();
    }));

  test('are right with a table that is damaged, cut off, or of another file: it is made again', () =>
    withDays(async (directory, clock, random) => {
      const { store } = await startedStore(directory, { clock });
      await found(store, everything);
      await store.stop();
      const [damaged, cut, foreign] = (await orders(directory)).map((name) => `${directory}/records/${name}`) as [string, string, string];
      const bytes = await readFile(damaged);
      bytes[1_000] = (bytes[1_000] as number) ^ 1;
      await writeFile(damaged, bytes);
      await writeFile(cut, (await readFile(cut)).subarray(0, 70_000));
      await writeFile(foreign, (await readFile(foreign)).toString('latin1').replace(/"bytes":\d/, '"bytes":9'), 'latin1');
      const { store: second, log } = await startedStore(directory, { clock });
      await agrees(second, random, clock.now(), 10);
      expect(log.lines.filter((line) => line.includes('index-remade'))).toHaveLength(1);
      await second.stop();
    }));

  test('can be read on a full disk, and a table whose file is gone is left behind by nothing', () =>
    withDays(async (directory, clock, random) => {
      const files = faultyFiles();
      const { store } = await startedStore(directory, { clock, files });
      files.fault = (operation, path) => (operation === 'write' && path.includes('.order') ? 'ENOSPC' : undefined);
      await agrees(store, random, clock.now(), 3);
      expect(await orders(directory)).toEqual([]);
      await store.stop();
      await writeFile(`${directory}/records/2026-01-01-1.order`, 'x', { mode: 0o600 });
      const { store: second } = await startedStore(directory, { clock });
      expect(await orders(directory)).toEqual([]);
      await second.stop();
    }));

  test('of a day with many chunks of its table are whole, wherever one begins', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      const { store } = await startedStore(directory, { clock });
      for (let n = 0; n < 70; n++) {
        const drafts = Array.from({ length: 500 }, (_, at) =>
          sampleEvent(n * 500 + at + 1, { username: at === 250 ? 'Seldom' : '', success: at % 2 === 0 }),
        );
        await store.ports.records.append(lockId(1 + (n % 5)), 'e', drafts);
      }
      const all = await allOf(store);
      expect(all).toHaveLength(35_000);
      const check = async (): Promise<void> => {
        for (const before of [everything.before, 34_999, 18_617, 18_616, 16_385, 2, 1]) {
          for (const more of [
            {},
            { username: 'Seldom' },
            { username: 'Nobody' },
            { success: true, locks: new Set([lockId(2), lockId(4)]) },
          ]) {
            const query = { ...everything, before, ...more };
            const expected = all.filter((record) => isAsked(record, query)).map(({ recordId }) => recordId);
            expect(await found(store, query)).toEqual(expected);
          }
        }
      };
      await check();
      clock.advance(dayMs);
      await store.maintenance.sealDays();
      await check();
      expect(await orders(directory)).toHaveLength(1);
      await store.stop();
    }));

  test('go on over a leap of the recordIds within a day, as a restore makes', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      const random = createRandom(9);
      const { store } = await startedStore(directory, { clock });
      await fillDay(store, clock, random, 0);
      await store.ports.counters.next('lockId');
      await store.stop();
      const counters = JSON.parse(await readFile(`${directory}/counters.json`, 'utf8'));
      await writeFile(`${directory}/counters.json`, JSON.stringify({ ...counters, recordId: 220_000_000_000 }));
      const { store: second } = await startedStore(directory, { clock });
      await fillDay(second, clock, random, 1);
      clock.advance(dayMs);
      await second.maintenance.sealDays();
      const all = await allOf(second);
      expect([all.length, (all[0]?.recordId as number) > 219_999_999_999]).toEqual([4_000, true]);
      expect(await found(second, everything)).toEqual(all.map(({ recordId }) => recordId));
      await second.stop();
    }));
});

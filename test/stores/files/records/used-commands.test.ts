// Which commands have named somebody: over restarts, crashes and sealed days, and when there are too many to remember.
import { readdir, rm } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { LockRecord } from '../../../../src/domain/records/record.ts';
import { recordDaysAtMost } from '../../../../src/domain/records/record.ts';
import { createUsedCommands } from '../../../../src/domain/records/used-commands.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import { manualClock, startedStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';
import { everything, lockId, sampleEvent } from '../support/samples.ts';

const dayMs = 86_400_000;
const one = lockId(1);
const named = (seq: number, command: number) => sampleEvent(seq, { command, username: 'ole' });

async function newest(store: Store): Promise<LockRecord | undefined> {
  return (await store.ports.records.page({ lockId: one, ...everything })).list[0];
}

describe('a command that has named somebody in a record', () => {
  test.each(['in the open day', 'in a sealed day', 'in a sealed day whose index is gone', 'in a day that was deleted for its age'])(
    'names nobody a second time after a restart: %s',
    (where) =>
      withDirectory(async (directory) => {
        const clock = manualClock();
        const first = await startedStore(directory, { clock });
        await first.store.ports.records.append(one, 'e', [named(1, 40)]);
        if (where !== 'in the open day') {
          for (let day = 0; day < (where.includes('age') ? 200 : 1); day += 50) {
            clock.advance(50 * dayMs);
            await first.store.ports.records.append(lockId(2), 'e', [sampleEvent(day + 1)]);
            await first.store.maintenance.sealDays();
          }
        }
        if (where.includes('age'))
          expect((await first.store.maintenance.purge(clock.now(), recordDaysAtMost)).deleted).toContain('2026-11-21-1.jsonl');
        await first.store.stop();
        if (where.includes('gone')) {
          for (const name of await readdir(`${directory}/records`)) {
            if (name.endsWith('.index')) await rm(`${directory}/records/${name}`);
          }
        }
        const { store } = await startedStore(directory, { clock });
        await store.ports.records.append(one, 'e', [named(2, 40)]);
        expect(await newest(store)).toMatchObject({ seq: 2, username: '' });
        await store.ports.records.append(one, 'e', [named(3, 41)]);
        expect(await newest(store)).toMatchObject({ seq: 3, username: 'ole', command: 41 });
        await store.stop();
      }),
  );

  test('may name somebody again when the disk did not accept that record', () =>
    withDirectory(async (directory) => {
      const files = faultyFiles();
      const { store } = await startedStore(directory, { files });
      await store.ports.records.append(one, 'e', [named(1, 40)]);
      files.fault = (operation) => (operation === 'commit' ? 'ENOSPC' : undefined);
      await expect(store.ports.records.append(one, 'e', [named(2, 41)])).rejects.toThrow();
      files.fault = undefined;
      await store.ports.records.append(one, 'e', [named(2, 41)]);
      expect(await newest(store)).toMatchObject({ seq: 2, username: 'ole' });
      await store.stop();
    }));
});

describe('what is remembered of the commands of a lock', () => {
  test('is exact while no more than 255 have named nobody, in whatever order they come', () => {
    const used = createUsedCommands();
    const numbers = Array.from({ length: 256 }, (_, n) => 2 * n + 1);
    for (const number of numbers.toReversed()) expect(used.use(one, number)).toBe(true);
    for (const number of numbers) expect([used.use(one, number), used.use(lockId(2), number)]).toEqual([false, true]);
    // The numbers in between make ranges longer, but no more of them.
    for (const number of numbers.slice(0, -1)) expect(used.use(one, number + 1)).toBe(true);
    expect(used.remembered(new Map())[0]).toEqual({ lockId: one, ranges: [[1, 511]] });
  });

  test('counts the oldest as used when there are more: nothing names twice, and it grows no further', () => {
    const used = createUsedCommands();
    const every2nd = Array.from({ length: 5_001 }, (_, n) => 2 * n + 1);
    expect(every2nd.filter((number) => !used.use(one, number))).toEqual([]);
    expect(used.remembered(new Map())[0]?.ranges).toHaveLength(256);
    expect([2, 9_000, 9_999, 10_000].map((number) => used.use(one, number))).toEqual([false, false, false, true]);
    // Numbers from the older form of command ids: below all others, at random.
    for (let number = 1; number <= 1_000; number++) used.use(one, -number * 7);
    expect(used.remembered(new Map())[0]?.ranges.length).toBeLessThanOrEqual(256);
    expect(used.use(one, 10_003)).toBe(true);
  });

  test('leaves out those that are being written, whatever was reserved together with them', () => {
    const used = createUsedCommands();
    for (const number of [1, 2, 3]) used.use(one, number);
    expect(used.remembered(new Map([[one, [2, 3]]]))).toEqual([{ lockId: one, ranges: [[1, 1]] }]);
    used.giveBack(one, 2);
    expect([used.use(one, 2), used.use(one, 3)]).toEqual([true, false]);
    const other = createUsedCommands();
    other.load(used.remembered(new Map()));
    expect([other.use(one, 2), other.use(one, 4)]).toEqual([false, true]);
  });
});

// Records by recordId, over days that are open, sealed, sorted without an index, or damaged; and the order of their events on the bus.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { LockRecord } from '../../../../src/domain/records/record.ts';
import type { StoredEvents } from '../../../../src/domain/records/record-ports.ts';
import type { FileLayer } from '../../../../src/stores/files/files.ts';
import { nodeFiles } from '../../../../src/stores/files/files.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import { manualClock, startedStore, withDirectory } from '../support/directory.ts';
import { lockId, sampleEvents } from '../support/samples.ts';

const dayMs = 86_400_000;

async function idsSince({ ports: { records } }: Store, above: number, locks: readonly number[]): Promise<number[]> {
  const found: LockRecord[] = [];
  for await (const some of records.since(above, (lock) => locks.includes(lock))) found.push(...some);
  return found.map(({ recordId }) => recordId);
}

/** The ids per lock, in the order of the events on the bus. */
function listen() {
  const stored: { recordId: number; lockId: number }[] = [];
  return {
    ids: (above: number, locks: readonly number[]) =>
      stored.filter((one) => one.recordId > above && locks.includes(one.lockId)).map((one) => one.recordId),
    all: stored,
    onStored({ lockId, drafts, firstRecordId }: StoredEvents) {
      for (const n of drafts.keys()) stored.push({ recordId: firstRecordId + n, lockId });
    },
  };
}

describe('the records since one', () => {
  test('are all there, in order, over open and sealed days and restarts, wherever one begins', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      const heard = listen();
      let { store } = await startedStore(directory, { clock, onStored: heard.onStored });
      // More than one piece in a day, so that the beginning must be searched.
      for (let day = 0; day < 4; day++) {
        for (let n = 0; n < 60; n++)
          await store.ports.records.append(lockId(1 + (n % 3)), `e${day}`, sampleEvents(n * 50 + 1, n * 50 + 50));
        if (day === 1) await store.maintenance.sealDays();
        if (day === 2) {
          await store.stop();
          ({ store } = await startedStore(directory, { clock, onStored: heard.onStored }));
        }
        clock.advance(dayMs);
      }
      await store.maintenance.sealDays();
      await store.ports.records.append(lockId(2), 'last', sampleEvents(1, 3));
      expect(heard.all).toHaveLength(12_003);
      expect(store.ports.records.newest()).toBe(heard.all.at(-1)?.recordId);
      for (const n of [0, 1, 17, 2_999, 3_000, 3_001, 7_777, 11_999, 12_000, 12_002]) {
        const above = n === 0 ? 0 : (heard.all[n - 1]?.recordId as number);
        expect(await idsSince(store, above, [1, 2, 3])).toEqual(heard.ids(above, [1, 2, 3]));
        expect(await idsSince(store, above, [3])).toEqual(heard.ids(above, [3]));
      }
      await store.stop();
    }));

  test('are in order even after a power cut between the sorting of a day and its index', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      const heard = listen();
      const first = await startedStore(directory, { clock, onStored: heard.onStored });
      for (let n = 0; n < 30; n++) await first.store.ports.records.append(lockId(3 - (n % 3)), 'e', sampleEvents(n * 10 + 1, n * 10 + 10));
      clock.advance(dayMs);
      await first.store.maintenance.sealDays();
      await first.store.stop();
      clock.advance(-dayMs);
      const index = (await readdir(`${directory}/records`)).find((name) => name.endsWith('.index')) as string;
      await rm(`${directory}/records/${index}`);
      const { store } = await startedStore(directory, { clock });
      expect(await idsSince(store, 100, [1, 2, 3])).toEqual(heard.ids(100, [1, 2, 3]));
      await store.stop();
    }));

  test('leave out a line that is damaged, and no other (Fault T5)', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      const heard = listen();
      const { store } = await startedStore(directory, { clock, onStored: heard.onStored });
      for (let n = 0; n < 60; n++) await store.ports.records.append(lockId(1), 'e', sampleEvents(n * 50 + 1, n * 50 + 50));
      clock.advance(dayMs);
      await store.maintenance.sealDays();
      const path = `${directory}/records/2026-11-21-1.jsonl`;
      const bytes = await readFile(path);
      const at = bytes.indexOf('"recordId":1500,');
      bytes[at + '"recordId":'.length] = '9'.charCodeAt(0);
      await writeFile(path, bytes);
      for (const above of [0, 1_400, 1_499, 1_501, 2_900])
        expect(await idsSince(store, above, [1])).toEqual(heard.ids(above, [1]).filter((id) => id !== 1_500));
      await store.stop();
    }));

  test('are announced in the order of their ids, also when the last flush of a day takes longer than the first of the next', () =>
    withDirectory(async (directory) => {
      const clock = manualClock();
      const heard = listen();
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let holds = false;
      const real = nodeFiles();
      const files: FileLayer = {
        ...real,
        async open(path, mode) {
          const file = await real.open(path, mode);
          if (!path.includes('2026-11-21')) return file;
          return {
            ...file,
            async write(bytes, position) {
              if (holds) await held;
              await file.write(bytes, position);
            },
          };
        },
      };
      const { store } = await startedStore(directory, { clock, files, onStored: heard.onStored });
      await store.ports.records.append(lockId(1), 'e', sampleEvents(1, 1));
      holds = true;
      const late = store.ports.records.append(lockId(1), 'e', sampleEvents(2, 2));
      clock.advance(dayMs);
      const early = store.ports.records.append(lockId(2), 'e', sampleEvents(1, 1));
      // Time enough to make and flush a new day's file, if nothing prevented it.
      for (let n = 0; n < 50; n++) await readdir(directory);
      await Promise.race([early, readFile(`${directory}/counters.json`)]);
      release();
      await Promise.all([late, early]);
      expect(heard.all).toEqual([
        { recordId: 1, lockId: 1 },
        { recordId: 2, lockId: 1 },
        { recordId: 3, lockId: 2 },
      ]);
      await store.stop();
    }));
});

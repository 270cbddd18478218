// A whole directory goes into a database and comes back, a slice at a time: what is in memory does not grow with the records of a day.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createClock } from '../../../src/platform/clock.ts';
import { type FileLayer, nodeFiles } from '../../../src/stores/files/files.ts';
import { verify } from '../../../src/stores/files/verify/verify.ts';
import { moveToDatabase, moveToDirectory } from '../../../src/stores/postgres/migration.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { captureLog, manualClock, startedStore, withDirectory } from '../files/support/directory.ts';
import { lockId, sampleEvents, sampleLock } from '../files/support/samples.ts';

const dayMs = 86_400_000;
const action = { action: 'migrate', object: 'data', detail: '' } as const;
const isOfDay = (path: string): boolean => /records\/.*\.jsonl/.test(path);

/** Counts the bytes of each write of a file of records, and refuses to read one whole. */
function watchedFiles(): { readonly files: FileLayer; readonly writes: number[] } {
  const [all, writes] = [nodeFiles(), [] as number[]];
  const files: FileLayer = {
    ...all,
    async readFile(path) {
      if (isOfDay(path)) throw new Error(`${path} is read as a whole`);
      return all.readFile(path);
    },
    async open(path, mode) {
      const file = await all.open(path, mode);
      if (!isOfDay(path)) return file;
      return {
        ...file,
        write(bytes, position) {
          writes.push(bytes.length);
          return file.write(bytes, position);
        },
      };
    },
  };
  return { files, writes };
}

/** Two sealed days, the second one with many records of three locks, and an open one. */
async function fill(directory: string): Promise<void> {
  const clock = manualClock();
  const { store } = await startedStore(directory, { clock });
  for (const number of [1, 2, 3]) {
    await store.ports.counters.next('lockId');
    await store.ports.locks.add(sampleLock(number, { roles: [] }));
  }
  let seq = 1;
  for (const [count, daysOn] of [
    [10, 1],
    [12_000, 1],
    [200, 0],
  ] as const) {
    for (let n = 0; n < count; n += 10, seq += 10)
      await store.ports.records.append(lockId(1 + ((n / 10) % 3)), 'e', sampleEvents(seq, seq + 9));
    clock.advance(daysOn * dayMs);
    await store.maintenance.sealDays();
  }
  await store.stop();
}

const filesIn = (directory: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(directory, name)).isFile() && !/^(admin\.token|MIGRATED|audit\/.*)$/.test(name))
      .map((name) => [name, readFileSync(join(directory, name), 'latin1')]),
  );

test('days with many records go there and back byte for byte, and no file of records is in memory as a whole', () =>
  withDirectory(async (folder) => {
    const made = await (await serverOfRun()).newDatabase({ isEmpty: true });
    const [from, back] = [join(folder, 'data'), join(folder, 'back')];
    await fill(from);
    const before = filesIn(from);
    const { files, writes } = watchedFiles();
    const of = { address: made.address, password: async () => undefined, url: made.url, log: captureLog(), files };
    const moved = await moveToDatabase({ ...of, clock: createClock(), directory: from }, action);
    expect(moved).toMatchObject({ locks: 3, records: 12_210 });
    expect(await moveToDirectory({ ...of, clock: createClock(), directory: back }, action)).toEqual(moved);

    const after = filesIn(back);
    expect([...after.keys()].filter((name) => isOfDay(name))).toHaveLength(3);
    for (const [name, bytes] of after) expect([name, bytes === before.get(name)]).toEqual([name, true]);
    expect([...after.keys()].filter((name) => name.endsWith('.index'))).toHaveLength(2);
    expect((await verify(back)).findings).toEqual([]);
    const largest = Math.max(...[...after].filter(([name]) => isOfDay(name)).map(([, bytes]) => bytes.length));
    expect(Math.max(...writes)).toBeLessThan(largest / 2);
    await made.drop();
  }));

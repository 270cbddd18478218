// What an export leaves out because of its age, and that it leaves out nothing while the clock may be wrong (Fault T19).
import { rm, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { exportRecords } from '../../../../src/stores/files/verify/export.ts';
import { manualClock, startedStore, withDirectory } from '../support/directory.ts';
import { lockId, sampleEvent } from '../support/samples.ts';

const dayMs = 86_400_000;
const yearMs = 365 * dayMs;

interface Exported {
  readonly seqs: readonly number[];
  readonly clockIsSuspect: boolean;
}

async function exported(directory: string, now: number): Promise<Exported> {
  const seqs: number[] = [];
  let clockIsSuspect = false;
  const days = exportRecords(directory, {
    recordDays: 184,
    ...{ lockId: lockId(1), from: 0, to: Number.MAX_SAFE_INTEGER, now, onProgress: () => {} },
    onSuspectClock: () => {
      clockIsSuspect = true;
    },
  });
  for await (const records of days) seqs.push(...records.map(({ seq }) => seq));
  return { seqs, clockIsSuspect };
}

/** One record 200 days before the newest, which is in a day that is not sealed. */
async function withRecords(run: (directory: string, newestAt: number) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    const clock = manualClock();
    const { store } = await startedStore(directory, { clock });
    const record = (seq: number) =>
      store.ports.records.append(lockId(1), 'e', [sampleEvent(seq, { lockDate: clock.now(), serverDate: clock.now() })]);
    await record(1);
    for (let day = 0; day < 200; day++) clock.advance(dayMs);
    await record(2);
    await store.maintenance.sealDays();
    await store.clockTrust.acceptClock();
    await store.stop();
    await run(directory, clock.now());
  });
}

test('an export by a right clock leaves out everything older than six months', () =>
  withRecords(async (directory, newestAt) => {
    expect(await exported(directory, newestAt + 5 * dayMs)).toEqual({ seqs: [2], clockIsSuspect: false });
  }));

test.each([
  ['ten years ahead of the newest record', 10 * yearMs],
  ['a year before it', -yearMs],
])('an export by a clock %s contains everything, with a warning', (_title, awayMs) =>
  withRecords(async (directory, newestAt) => {
    expect(await exported(directory, newestAt + awayMs)).toEqual({ seqs: [1, 2], clockIsSuspect: true });
  }),
);

test('an export contains everything while the daemon suspects the clock, and when clock.json cannot be read', () =>
  withRecords(async (directory, newestAt) => {
    await writeFile(`${directory}/clock.json`, '{"schemaVersion":1,"suspectSince":1}');
    expect(await exported(directory, newestAt)).toEqual({ seqs: [1, 2], clockIsSuspect: true });
    await writeFile(`${directory}/clock.json`, '{');
    expect((await exported(directory, newestAt)).clockIsSuspect).toBe(true);
    await rm(`${directory}/clock.json`);
    expect((await exported(directory, newestAt)).clockIsSuspect).toBe(false);
  }));

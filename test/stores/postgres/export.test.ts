// What an export from a database leaves out because of its age, and that it leaves out nothing while the clock may be wrong (Fault T19).
import { expect, test } from '@jest/globals';
import { createClock } from '../../../src/platform/clock.ts';
import { exportRows } from '../../../src/stores/postgres/export.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { captureLog } from '../files/support/directory.ts';
import { lockId, sampleEvent } from '../files/support/samples.ts';
import { type StartedStore, withPostgresStore } from './support/store.ts';

const dayMs = 86_400_000;
const newestAt = Date.UTC(2026, 10, 21, 9);

async function exported({ address }: StartedStore, now: number, more: { readonly lock?: number; readonly from?: number } = {}) {
  const seqs: number[] = [];
  let clockIsSuspect = false;
  const password = async () => undefined;
  const parts = exportRows(
    { address, url: 'postgres://latchd@db/latchd', password, clock: createClock(), log: captureLog() },
    {
      ...{ lockId: lockId(more.lock ?? 1), from: more.from ?? 0, to: Number.MAX_SAFE_INTEGER, now, recordDays: 184, onProgress() {} },
      onSuspectClock: () => {
        clockIsSuspect = true;
      },
    },
  );
  for await (const records of parts) seqs.push(...records.map(({ seq }) => seq));
  return { seqs, clockIsSuspect };
}

/** More records than a part has, the first of them 200 days before the newest, and one of another lock. */
async function withRecords(run: (started: StartedStore) => Promise<void>): Promise<void> {
  await withPostgresStore(await serverOfRun(), async (started) => {
    const { records } = started.store.ports;
    const at = (seq: number, lockDate: number) => sampleEvent(seq, { lockDate, serverDate: lockDate });
    await records.append(lockId(1), 'e', [at(1, newestAt - 200 * dayMs)]);
    await records.append(lockId(2), 'e', [at(1, newestAt)]);
    for (let from = 2; from <= 6_000; from += 1_000)
      await records.append(
        lockId(1),
        'e',
        Array.from({ length: 1_000 }, (_, n) => at(from + n, newestAt)),
      );
    await run(started);
  });
}

test('an export has the records of one lock in their order, and leaves out what is older than six months; a doubtful clock leaves out nothing', () =>
  withRecords(async (started) => {
    const all = Array.from({ length: 6_001 }, (_, n) => n + 1);
    expect(await exported(started, newestAt + 5 * dayMs)).toEqual({ seqs: all.slice(1), clockIsSuspect: false });
    expect(await exported(started, newestAt - 400 * dayMs)).toEqual({ seqs: all, clockIsSuspect: true });
    expect(await exported(started, newestAt, { from: newestAt + 1 })).toEqual({ seqs: [], clockIsSuspect: false });
    await expect(exported(started, newestAt, { lock: 3 })).rejects.toThrow('there is no lock 3 in postgres://latchd@db/latchd');
  }));

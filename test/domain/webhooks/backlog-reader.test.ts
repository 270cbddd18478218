import { describe, expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { LockRecord } from '../../../src/domain/records/record.ts';
import { createLaneReader } from '../../../src/domain/webhooks/backlog-reader.ts';
import { createDeliveryQueues, type Lane, type Lanes } from '../../../src/domain/webhooks/delivery-queues.ts';

/** A log in which record n is of lock n % locks + 1. */
function logOf(records: number, locks: number) {
  const readings: number[] = [];
  const lanes = createDeliveryQueues();
  const reader = createLaneReader({
    lanes,
    newestRecord: () => records,
    async *since(after, wants) {
      readings.push(after);
      for (let recordId = after + 1; recordId <= records; recordId++) {
        const lockId = ((recordId % locks) + 1) as LockId;
        // Some at a time.
        if (wants(lockId)) yield [{ recordId, lockId } as LockRecord];
      }
    },
    make: ({ recordId, lockId }) => ({ id: `record-${recordId}`, type: 'record', lockId, at: 0, recordId, body: '' }),
  });
  return { readings, lanes, reader };
}

function drain(lanes: Lanes, lane: Lane): number[] {
  const ids: number[] = [];
  for (let next = lanes.first(lane); next !== undefined && !('log' in next); next = lanes.first(lane)) {
    ids.push(next.recordId);
    lanes.done(lane, next);
  }
  return ids;
}

describe('what many lanes need from the log', () => {
  test('is read once for all of them, whoever asks', async () => {
    const { readings, lanes, reader } = logOf(400, 50);
    const behind = Array.from({ length: 50 }, (_, n) => lanes.addBehind((n + 1) as LockId, n));
    await Promise.all(behind.map(reader.read));
    expect(readings).toEqual([0]);
    for (const [n, lane] of behind.entries()) {
      const expected = Array.from({ length: 400 }, (_, m) => m + 1).filter((recordId) => recordId % 50 === n && recordId > n);
      expect(drain(lanes, lane)).toEqual(expected);
    }
    expect(lanes.all()).toEqual([]);
  });

  test('comes some at a time when it is much: nothing is left out, nothing comes twice', async () => {
    const { readings, lanes, reader } = logOf(7_000, 3);
    const behind = [1, 2, 3].map((lockId) => lanes.addBehind(lockId as LockId, 10));
    const got: number[][] = [[], [], []];
    for (let round = 0; lanes.all().length > 0; round++) {
      await reader.read(behind[round % 3] as Lane);
      expect(lanes.size()).toBeLessThanOrEqual(1_100);
      for (const [n, lane] of behind.entries()) if (lanes.all().includes(lane)) got[n]?.push(...drain(lanes, lane));
    }
    for (const n of [0, 1, 2])
      expect(got[n]).toEqual(Array.from({ length: 6_990 }, (_, m) => m + 11).filter((recordId) => recordId % 3 === n));
    expect(readings.length).toBeLessThan(30);
  });
});

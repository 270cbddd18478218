// The last record of each lock of a large building: read behind the start, many locks at a time.
import { expect, test } from '@jest/globals';
import { createLastRecords } from '../../../src/domain/board/last-records.ts';
import { createEventBus } from '../../../src/domain/event-bus.ts';
import type { Lock, LockId } from '../../../src/domain/locks/lock.ts';
import type { LockRecord } from '../../../src/domain/records/record.ts';

const all = Array.from({ length: 1_200 }, (_, n) => ({ lockId: n + 1 }) as Lock);
const recordOf = (lockId: LockId, recordId: number) => ({ lockId, recordId, type: 'card-unlock', lockDate: recordId }) as LockRecord;

test('the records of many locks are asked for together, and one that is stored meanwhile is the last', async () => {
  const events = createEventBus((_name, error) => {
    throw error;
  });
  const asked: number[] = [];
  const records = {
    async newestOf(lockIds: readonly LockId[]) {
      asked.push(lockIds.length);
      const found = lockIds.map((lockId) => recordOf(lockId, lockId));
      const [lockId] = lockIds as [LockId];
      events.emit('records-stored', { lockId, epoch: 'e', drafts: [recordOf(lockId, 0)], firstRecordId: 5_000 });
      return found;
    },
  };
  const lastRecords = createLastRecords({ locks: { all: () => all }, records, events });
  await lastRecords.ready();
  expect(asked.reduce((sum, count) => sum + count)).toBe(all.length);
  expect(asked.length).toBeLessThan(10);
  expect(all.map(({ lockId }) => lastRecords.of(lockId)?.recordId)).toEqual(
    all.map(({ lockId }) => ([1, 501, 1_001].includes(lockId) ? 5_000 : lockId)),
  );
});

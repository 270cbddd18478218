// Decoded records of the open day: which are kept.
import { expect, test } from '@jest/globals';
import type { LockRecord } from '../../src/domain/record.ts';
import { createRecentRecords } from '../../src/store/recent-records.ts';

test('of more records than are kept, those that are asked for stay and those that nobody asked for go', () => {
  const recent = createRecentRecords(10);
  const record = (recordId: number) => ({ recordId }) as LockRecord;
  for (let n = 0; n < 20; n++) {
    recent.keep(n, record(n));
    expect([recent.at(0), recent.at(n)]).toEqual([record(0), record(n)]);
  }
  const kept = Array.from({ length: 20 }, (_, n) => recent.at(n)).filter((found) => found !== undefined);
  expect(kept.length).toBeLessThanOrEqual(10);
  expect(recent.at(1)).toBeUndefined();
});

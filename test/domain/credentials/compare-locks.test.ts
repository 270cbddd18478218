import { expect, it } from '@jest/globals';
import { createEntryService } from '../../../src/domain/credentials/entry-service.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { callers, someLock } from '../../support/domain.ts';

it('compares a thousand locks, and lets other work go on in between', async () => {
  const locks = Array.from({ length: 1_000 }, (_, at) => someLock({ lockId: (at + 1) as LockId }));
  let [ms, inARow, mostInARow] = [0, 0, 0];
  const service = createEntryService({
    locks: { all: () => locks },
    link: { session: () => undefined },
    pause: { isPaused: () => false },
    reconciler: {
      // Looking at a lock takes a millisecond.
      countsOf() {
        ms += 1;
        inARow += 1;
        mostInARow = Math.max(mostInARow, inARow);
        return new Map([['missing', 2]]);
      },
    },
    clock: { monotonic: () => ms },
    nextTurn: async () => {
      inARow = 0;
    },
  } as unknown as Parameters<typeof createEntryService>[0]);
  const { sum, list, total } = await service.compare(callers.manager, { pageNo: 2, pageSize: 10 });
  expect([sum, list.map(({ lockId }) => lockId), total]).toEqual([
    { unchanged: 0, different: 0, missing: 2_000, extraneous: 0 },
    locks.slice(10, 20).map(({ lockId }) => lockId),
    1_000,
  ]);
  expect(mostInARow).toBeLessThanOrEqual(4);
});

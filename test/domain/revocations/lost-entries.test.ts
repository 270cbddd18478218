// Which locks know a lost credential, without a door that waits for it.
import { expect, test } from '@jest/globals';
import { createEntries } from '../../../src/domain/credentials/lock-entries.ts';
import type { Lock, LockId } from '../../../src/domain/locks/lock.ts';
import { createLostEntries } from '../../../src/domain/revocations/lost-entries.ts';
import { sampleEntry } from '../../stores/files/support/samples.ts';

test('the locks that know a card are found in slices', async () => {
  let now = 0;
  let turns = 0;
  const lockIds = Array.from({ length: 10 }, (_, at) => (at + 1) as LockId);
  const lost = createLostEntries({
    clock: { monotonic: () => now },
    locks: { all: () => lockIds.map((lockId) => ({ lockId }) as Lock), get: () => undefined },
    entries: {
      of: () => Promise.reject(new Error('it is in memory')),
      update: () => Promise.resolve(),
      // The first look-up on each lock takes a while.
      inMemory(lockId) {
        now += 3;
        const there = createEntries();
        if (lockId % 2 === 0) there.apply({ put: [sampleEntry(200 + lockId, lockId, { number: '5550001' })] });
        return there;
      },
    },
    async nextTurn() {
      turns += 1;
    },
  });
  expect(await lost.locksThatKnow({ credentialId: null, numbers: ['5550001'] })).toEqual([2, 4, 6, 8, 10]);
  expect(turns).toBeGreaterThanOrEqual(5);
});

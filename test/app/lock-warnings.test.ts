// What the daemon tells the doctor about its locks.
import { expect, test } from '@jest/globals';
import { lockWarnings } from '../../src/app/lock-warnings.ts';

test('each warning is told once, with how many locks it is of; a lock of which nothing was ever heard is one', () => {
  const lock = (lockId: number, name: string) => ({ lockId, name });
  const locks = [lock(1, 'Front door'), lock(2, 'Attic'), lock(3, 'Cellar')];
  const warnings: Readonly<Record<number, readonly string[]>> = { 1: ['actions-off'], 2: ['actions-off', 'open-broker'] };
  const found = lockWarnings(
    { all: () => locks as never },
    { get: (lockId) => ({ lastSeenAt: Number(lockId) === 3 ? null : 1_763_715_700_000 }) as never },
    { capabilities: ({ lockId }) => ({ warnings: warnings[Number(lockId)] ?? [] }) as never },
  );
  expect(found).toEqual([
    { warning: 'actions-off', locks: 2, first: 'Front door' },
    { warning: 'open-broker', locks: 1, first: 'Attic' },
    { warning: 'never-heard', locks: 1, first: 'Cellar' },
  ]);
});

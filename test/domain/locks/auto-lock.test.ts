// When an open door should lock itself.
import { expect, test } from '@jest/globals';
import { autoLockAt } from '../../../src/domain/locks/auto-lock.ts';
import { unknownSettings } from '../../../src/domain/locks/lock.ts';
import { someLock } from '../../support/domain.ts';

const unlocked = { state: 'unlocked', stateAt: 1_000 } as const;

test('an unlocked lock with a timer locks itself so many seconds after it said so', () => {
  expect(autoLockAt(someLock({ autoLockSeconds: 5 }), unlocked)).toBe(6_000);
});

test('a lock does not that is locked, never said its state, has no timer, or is in passage mode', () => {
  const timed = someLock({ autoLockSeconds: 5 });
  expect(autoLockAt(timed, { state: 'locked', stateAt: 1_000 })).toBeNull();
  expect(autoLockAt(timed, { state: null, stateAt: null })).toBeNull();
  expect(autoLockAt(someLock(), unlocked)).toBeNull();
  expect(autoLockAt({ ...timed, settings: { ...unknownSettings, passageMode: 1 } }, unlocked)).toBeNull();
});

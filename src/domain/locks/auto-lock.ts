// When an open door should lock itself.
import type { Lock, LockStatus } from './lock.ts';

/** Epoch ms, by what is known of the lock's timer; null: it is not unlocked, or does not lock itself. */
export function autoLockAt({ autoLockSeconds, settings }: Lock, { state, stateAt }: Pick<LockStatus, 'state' | 'stateAt'>): number | null {
  const locksItself = state === 'unlocked' && stateAt !== null && autoLockSeconds > 0 && settings.passageMode !== 1;
  return locksItself ? stateAt + autoLockSeconds * 1_000 : null;
}

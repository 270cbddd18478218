// What is done of its own once a lock is online: the lock serves whether it succeeds or not.
import type { Emit } from '../event-bus.ts';
import type { LockId } from './lock.ts';

/** What a driver does of its own once a lock is online. One that fails leaves the lock online, and is said in the log under this name. */
export interface FollowUp {
  readonly step: string;
  work(): Promise<unknown>;
}

export interface FollowUps {
  readonly beforeCards: FollowUp;
  readonly afterCards?: FollowUp;
}

/** Never rejects: it is tried again after the next hello of the lock. */
export async function runFollowUp(emit: Emit, lockId: LockId, { step, work }: FollowUp): Promise<void> {
  try {
    await work();
  } catch (error) {
    emit('follow-up-failed', { lockId, step, reason: error instanceof Error ? error.message : String(error) });
  }
}

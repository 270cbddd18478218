// Steps that follow when a lock comes online: the lock serves whether they succeed or not.
import type { Emit } from '../event-bus.ts';
import type { LockId } from './lock.ts';

/** A step that a driver takes once a lock is online. If it fails, the lock stays online, and the log has the failure under this name. */
export interface FollowUp {
  readonly step: string;
  work(): Promise<unknown>;
}

export interface FollowUps {
  readonly beforeCards: FollowUp;
  readonly afterCards?: FollowUp;
}

/** Runs a follow-up. Never rejects: the next hello of the lock tries again. */
export async function runFollowUp(emit: Emit, lockId: LockId, { step, work }: FollowUp): Promise<void> {
  try {
    await work();
  } catch (error) {
    emit('follow-up-failed', { lockId, step, reason: error instanceof Error ? error.message : String(error) });
  }
}

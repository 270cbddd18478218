// The port for alarms.
import type { LockId } from '../locks/lock.ts';
import type { AcceptedLoss, Alarm, AlarmKind, LostEvents } from './alarm.ts';

/** The alarms on the disk, or those that a change builds on. */
export interface StoredAlarms {
  get(kind: AlarmKind, lockId: LockId | null): Alarm | undefined;
  /** The losses of a lock that a person has accepted. */
  accepted(lockId: LockId): readonly LostEvents[];
}

/** What is absent stays as it is. */
export interface AlarmChanges {
  /** Active alarms, as they are from now on. */
  readonly active?: readonly Alarm[];
  /** Alarms that are no longer active, or never were. */
  readonly ended?: readonly Pick<Alarm, 'kind' | 'lockId'>[];
  /** All accepted losses of each of these locks; a lock without losses has an empty list. */
  readonly acceptedLosses?: readonly AcceptedLoss[];
}

export interface AlarmStore extends StoredAlarms {
  all(): readonly Alarm[];
  acceptedLosses(): Iterable<AcceptedLoss>;
  /**
   * Stores all that `change` makes of the newest alarms, or nothing, in the order of calls. Rejects with what `change` throws, and with
   * `storage-unavailable`.
   */
  update(change: (newest: StoredAlarms) => AlarmChanges): Promise<void>;
}

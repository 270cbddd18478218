// The port for alarms.
import type { AcceptedLoss, Alarm } from './alarm.ts';

export interface AlarmState {
  readonly alarms: readonly Alarm[];
  readonly acceptedLosses: readonly AcceptedLoss[];
}

export interface AlarmChanges {
  /** They stand, as they are now. */
  readonly standing: readonly Alarm[];
  /** They stand no more. */
  readonly ended: readonly Pick<Alarm, 'kind' | 'lockId'>[];
  /** All that is known to be lost of a lock now; nothing of one without any. */
  readonly acceptedLosses: readonly AcceptedLoss[];
}

export interface AlarmStore {
  /** All that is stored. `storage-unavailable`. */
  load(): Promise<AlarmState>;
  /** All of it or nothing. */
  keep(changes: AlarmChanges): Promise<void>;
}

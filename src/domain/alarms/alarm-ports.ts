// The port for alarms.
import type { AcceptedLoss, Alarm } from './alarm.ts';

export interface AlarmState {
  readonly alarms: readonly Alarm[];
  readonly acceptedLosses: readonly AcceptedLoss[];
}

export interface AlarmChanges {
  /** Active alarms, as they are now. */
  readonly active: readonly Alarm[];
  /** Alarms that are no longer active. */
  readonly ended: readonly Pick<Alarm, 'kind' | 'lockId'>[];
  /** All known losses of each of these locks; a lock without losses has an empty list. */
  readonly acceptedLosses: readonly AcceptedLoss[];
}

export interface AlarmStore {
  /** Loads everything that is stored. Rejects with `storage-unavailable`. */
  load(): Promise<AlarmState>;
  /** Stores all of the changes or none. */
  keep(changes: AlarmChanges): Promise<void>;
}

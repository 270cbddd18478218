// Which records a person has chosen.
import type { LockRecord } from '../api/types.ts';

/** A lock, and a part of the time; undefined is open. */
export interface RecordRange {
  readonly lockId: number;
  readonly startDate: number | undefined;
  readonly endDate: number | undefined;
}

export const recordIdOf = ({ recordId }: LockRecord): number => recordId;

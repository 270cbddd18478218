// One report or event in: the lock updated, the record appended, once per event. The only way in which a lock's
// open state and its records change (Decision 1).
import type { LockId } from './lock.ts';
import type { BatteryReport, EventsReport, HelloReport, StateReport } from './lock-report.ts';

export interface ReportService {
  /** The lock is online from now on: takes over what it says and starts the follow-ups (clock, missing events, open card changes). */
  hello(lockId: LockId, report: HelloReport): void;
  state(lockId: LockId, report: StateReport): void;
  battery(lockId: LockId, report: BatteryReport): void;
  /** Resolves when every valid event is flushed: only then may the lock forget it. Rejects with `storage-unavailable`. */
  events(lockId: LockId, report: EventsReport): Promise<void>;
  offline(lockId: LockId): void;
}

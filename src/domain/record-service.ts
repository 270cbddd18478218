// Reading the operation records of a lock (Specification 4.1 lock/records, 8).
import type { Caller } from './account.ts';
import type { LockId } from './lock.ts';
import type { Page, PageRequest } from './page.ts';
import type { LockRecord } from './record.ts';

export interface RecordRange extends PageRequest {
  /** Lowest and highest lockDate, both included; 0: open. */
  readonly startDate: number;
  readonly endDate: number;
}

export interface RecordService {
  /** Newest first, never older than six calendar months; `outside-retention` when the whole range is. */
  page(caller: Caller, lockId: LockId, range: RecordRange): Promise<Page<LockRecord>>;
}

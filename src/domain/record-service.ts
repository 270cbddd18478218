// Reading the operation records of a lock (Specification 4.1 lock/records, 8).
import type { Caller } from './account.ts';
import { DomainError } from './errors.ts';
import type { LockId } from './lock.ts';
import type { Page, PageRequest } from './page.ts';
import { requireRole } from './permissions.ts';
import type { Clock, LockStore, RecordStore } from './ports.ts';
import { type LockRecord, oldestKept } from './record.ts';

export interface RecordRange extends PageRequest {
  /** Lowest and highest lockDate, both included; 0: open. */
  readonly startDate: number;
  readonly endDate: number;
}

export interface RecordService {
  /**
   * Newest first, never older than `oldestKept`; `outside-retention` when the whole range is.
   */
  page(caller: Caller, lockId: LockId, range: RecordRange): Promise<Page<LockRecord>>;
}

export function createRecordService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly records: RecordStore;
  readonly clockIsSuspect: () => boolean;
}): RecordService {
  const { clock, locks, records, clockIsSuspect } = options;
  return {
    async page(caller, lockId, range) {
      const cutoff = oldestKept(clock.now(), clockIsSuspect());
      const to = range.endDate === 0 ? Number.MAX_SAFE_INTEGER : range.endDate;
      if (to < cutoff) {
        throw new DomainError('outside-retention', `records are kept for six months: nothing before ${new Date(cutoff).toISOString()}`);
      }
      requireRole(locks, caller, lockId, 'manager');
      const { pageNo, pageSize } = range;
      return records.page({ lockId, from: Math.max(range.startDate, cutoff), to, pageNo, pageSize });
    },
  };
}

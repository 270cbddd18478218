// Reads the operation records of a lock (Specification 4.1 lock/records, 8).
import type { Caller } from '../accounts/account.ts';
import { mayReadRemoved, requireRole } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import type { CardId } from '../credentials/card.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import { DomainError } from '../errors.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore, RemovedLockStore } from '../locks/lock-ports.ts';
import type { Page, PageRequest } from '../page.ts';
import { mask } from './passcode-privacy.ts';
import { type LockRecord, oldestStored, retentionText } from './record.ts';
import type { RecordStore } from './record-ports.ts';

export interface RecordRange extends PageRequest {
  /** Lowest and highest lockDate, both included; 0: open. */
  readonly startDate: number;
  readonly endDate: number;
}

/** Some records of a lock, as one caller may see them. */
export interface RecordPage extends Page<LockRecord> {
  /** Only to the administrator of the lock, or to its last one. */
  readonly showsPasscodes: boolean;
}

export interface RecordService {
  /**
   * A page, newest first, without records that are too old. Rejects with `outside-retention` when the whole range is too old. For managers
   * of the lock; for a removed lock, for its last administrator and gateway administrators: all others get `lock-not-found`.
   */
  page(caller: Caller, lockId: LockId, range: RecordRange): Promise<RecordPage>;
}

export function createRecordService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly removedLocks: Pick<RemovedLockStore, 'get'>;
  readonly records: RecordStore;
  readonly entries: Pick<EntryStore, 'inMemory' | 'of'>;
  readonly clockIsSuspect: () => boolean;
  /** How many days records are stored, 30 to 184. */
  readonly recordDays: number;
}): RecordService {
  const { clock, locks, removedLocks, records, entries, clockIsSuspect, recordDays } = options;
  /** With the digits of the passcodes that the gateway still has; of others nobody can say more than that there was one. */
  async function withCodes(lockId: LockId, list: readonly LockRecord[]): Promise<readonly LockRecord[]> {
    const held = entries.inMemory(lockId) ?? (await entries.of(lockId));
    const codeOf = (entryId: number) => held.byId(entryId as CardId)?.number ?? mask;
    return list.map((record) => (isOfEntry(record) ? { ...record, credential: codeOf(record.entryId) } : record));
  }

  return {
    async page(caller, lockId, range) {
      const cutoff = oldestStored(clock.now(), clockIsSuspect(), recordDays);
      const to = range.endDate === 0 ? Number.MAX_SAFE_INTEGER : range.endDate;
      if (to < cutoff) {
        const since = new Date(cutoff).toISOString();
        throw new DomainError('outside-retention', `records are kept for ${retentionText(recordDays)}: nothing before ${since}`);
      }
      const lock = locks.get(lockId);
      const removed = lock === undefined ? removedLocks.get(lockId) : undefined;
      if (lock !== undefined || !mayReadRemoved(removed, caller)) requireRole(locks, caller, lockId, 'manager');
      const { pageNo, pageSize } = range;
      const page = await records.page({ lockId, from: Math.max(range.startDate, cutoff), to, pageNo, pageSize });
      const showsPasscodes = (locks.get(lockId) ?? removed)?.administrator === caller.accountId;
      const list = showsPasscodes && page.list.some(isOfEntry) ? await withCodes(lockId, page.list) : page.list;
      return { ...page, list, showsPasscodes };
    },
  };
}

/** Whether its digits are in an entry. */
function isOfEntry(record: LockRecord): record is LockRecord & { readonly entryId: number } {
  return record.credential === '' && record.entryId !== undefined;
}

// The ports for records, and for what cannot be one.
import type { DeviceId, LockId } from '../locks/lock.ts';
import type { Page, PageRequest } from '../page.ts';
import type { LockRecord, RecordDraft } from './record.ts';

export interface RecordQuery extends PageRequest {
  readonly lockId: LockId;
  /** Lowest and highest lockDate, both included. */
  readonly from: number;
  readonly to: number;
}

export interface AppendOutcome {
  readonly stored: number;
  readonly duplicates: number;
  /** Events beyond what is remembered of a lock (8 epochs, 1,000 gaps): not stored, for the quarantine. */
  readonly refused: readonly RecordDraft[];
}

/** Events of one lock that have just become records: the first is `firstRecordId`, the others follow it. */
export interface StoredEvents {
  readonly lockId: LockId;
  readonly epoch: string;
  readonly drafts: readonly RecordDraft[];
  readonly firstRecordId: number;
}

/**
 * What is stored of one epoch of a lock: the highest seq (0: nothing) and the ranges missing below it, lowest first. Where the device was registered
 * before, what is stored of it under an earlier lockId counts as stored, and nothing is missing up to the first event under this one.
 */
export interface EpochProgress {
  readonly highest: number;
  readonly gaps: readonly (readonly [from: number, to: number])[];
  /** Nothing is stored under this lockId yet that could say where its history begins: what is missing can be from before its registration. */
  readonly isBeginning: boolean;
}

/** A local view of how far the records have come, which follows every one that is stored. */
export interface LocalRecordView {
  /** The highest recordId that is flushed; 0: none. Records are flushed in the order of their ids. */
  newest(): number;
  /** Counts flushed events and those whose flush is under way. */
  progress(lockId: LockId, epoch: string): EpochProgress;
  /** Records in the log, of all locks. */
  count(): number;
}

export interface RecordStore extends LocalRecordView {
  /**
   * Stores events once each, in order, and resolves when all of them, duplicates included, are flushed. An event of a command that stands in
   * another record of its lock is stored without its name.
   * Rejects with `storage-unavailable` when they could not be kept: then none of them was stored by this call.
   */
  append(lockId: LockId, epoch: string, events: readonly RecordDraft[]): Promise<AppendOutcome>;
  /** Newest first by recordId, exact totals; shows a record only after its flush. */
  page(query: RecordQuery): Promise<Page<LockRecord>>;
  /**
   * The records above `recordId` of the locks that are wanted, by recordId, some at a time or none: all that were flushed when it is first
   * asked, and perhaps newer ones. `storage-unavailable`.
   */
  since(recordId: number, wants: (lockId: LockId) => boolean): AsyncIterable<readonly LockRecord[]>;
}

/** Messages and events that cannot be records, kept in a file of bounded size. */
export interface Quarantine {
  /** Durable when it resolves. Never rejects for lack of room in its own bound: the oldest give way. */
  keep(deviceId: DeviceId, reason: string, payload: string): Promise<void>;
}

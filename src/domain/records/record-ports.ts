// The ports for records, and for events that cannot become one.
import type { DeviceId, LockId } from '../locks/lock.ts';
import type { Page, PageRequest } from '../page.ts';
import type { LockRecord, RecordDraft } from './record.ts';

export interface RecordQuery extends PageRequest {
  readonly lockId: LockId;
  /** Lowest and highest lockDate, both included. */
  readonly from: number;
  readonly to: number;
}

/** Records of several locks, the newest first. An absent member does not filter. */
export interface NewestFirst {
  /** Exclusive. */
  readonly before: number;
  readonly locks: ReadonlySet<LockId>;
  /** Lowest and highest lockDate, both included. */
  readonly from: number;
  readonly to: number;
  readonly types?: readonly string[];
  readonly success?: boolean;
  readonly username?: string;
  /** As `recordHolder` says them. */
  readonly holders?: readonly string[];
  /** How many records the caller would like to have at a time. */
  readonly atOnce: number;
}

/** A step of a look at records, by falling recordId. */
export interface NewestFirstStep {
  /** All that match, and perhaps others: whoever asked looks at each. */
  readonly records: readonly LockRecord[];
  /** The lowest recordId of a wanted lock that was looked at in this step; undefined: there was none. */
  readonly lowest: number | undefined;
  /** How many records this step has looked at. */
  readonly looked: number;
}

export interface AppendOutcome {
  readonly stored: number;
  readonly duplicates: number;
  /** Events beyond the limits of a lock (8 epochs, 1,000 gaps): they are not stored but go into the quarantine. */
  readonly refused: readonly RecordDraft[];
}

/** Events of one lock that have just become records, with consecutive ids from `firstRecordId`. */
export interface StoredEvents {
  readonly lockId: LockId;
  readonly epoch: string;
  readonly drafts: readonly RecordDraft[];
  readonly firstRecordId: number;
}

/**
 * What is stored of one epoch of a lock: the highest seq (0: nothing) and the ranges missing below it, lowest first. If the device was
 * registered before, events that are stored under its earlier lockId count as stored, and nothing is missing up to the first event under
 * this one.
 */
export interface EpochProgress {
  readonly highest: number;
  readonly gaps: readonly (readonly [from: number, to: number])[];
  /** True while nothing stored under this lockId says where its history begins: missing events can be from before its registration. */
  readonly isBeginning: boolean;
}

/** A local view of the newest records and the progress of each lock, which follows every stored record. */
export interface LocalRecordView {
  /** The highest recordId that is flushed; 0: none. Records are flushed in the order of their ids. */
  newest(): number;
  /** Counts flushed events and those whose flush is under way. */
  progress(lockId: LockId, epoch: string): EpochProgress;
  /** The epochs of a lock of which something is stored, and when the newest of each was. */
  epochs(lockId: LockId): readonly { readonly epoch: string; readonly newestAt: number }[];
  /** How many records the log has, of all locks. */
  count(): number;
}

export interface RecordStore extends LocalRecordView {
  /**
   * Stores each event once, in order, and resolves when all of them, duplicates included, are flushed. If another record of the lock has
   * the same command already, the event is stored without username and command. Rejects with `storage-unavailable` when they could not be
   * stored: then this call has stored none of them.
   */
  append(lockId: LockId, epoch: string, events: readonly RecordDraft[]): Promise<AppendOutcome>;
  /** A page, newest first by recordId, with exact totals; it shows a record only after its flush. */
  page(query: RecordQuery): Promise<Page<LockRecord>>;
  /** Of each of these locks the newest record, if it has one; in any order. Rejects with `storage-unavailable`. */
  newestOf(lockIds: readonly LockId[]): Promise<readonly LockRecord[]>;
  /**
   * The records that match, newest first by recordId, in steps that are short and may have none: all that were flushed at the first step.
   * Rejects with `storage-unavailable`.
   */
  newestFirst(query: NewestFirst): AsyncIterable<NewestFirstStep>;
  /**
   * The records above `recordId` of the locks for which `wants` holds, by recordId, in chunks that may be empty: all that were flushed at
   * the first read, and perhaps newer ones. Rejects with `storage-unavailable`.
   */
  since(recordId: number, wants: (lockId: LockId) => boolean): AsyncIterable<readonly LockRecord[]>;
}

/** Stores messages and events that cannot become records, in a file of bounded size. */
export interface Quarantine {
  /** Durable when it resolves. Never rejects for lack of room within its own bound: the oldest entries are evicted. */
  keep(deviceId: DeviceId, reason: string, payload: string): Promise<void>;
}

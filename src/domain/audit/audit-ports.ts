// The port for the audit log.
import type { CancelSignal } from '../cancel-signal.ts';
import type { PageRequest } from '../page.ts';
import type { AuditEntry } from './audit-action.ts';

/** Which entries are asked for; a member that is absent asks for all. */
export interface AuditWanted {
  readonly username?: string | undefined;
  readonly action?: string | undefined;
  /** Whether its outcome is `ok`. */
  readonly success?: boolean | undefined;
  /** What it was about, such as `lock 7`; what belongs to that, such as `card 3 of lock 7`, is meant, too. */
  readonly object?: string | undefined;
  /** A text in any part of username, address, object or detail, in upper or lower case. */
  readonly search?: string | undefined;
}

export interface AuditQuery extends PageRequest, AuditWanted {
  /** Lowest and highest time, both included. */
  readonly from: number;
  readonly to: number;
  readonly oldestFirst?: boolean;
  /** Nobody waits for the answer any more: it may be anything. */
  readonly gone?: CancelSignal | undefined;
}

export interface AuditStore {
  /** The next id: rising, and never the same for two entries that were written. */
  nextId(): Promise<number>;
  /**
   * Appends an entry, in place of an earlier one with this id; durable when it resolves. Rejects with `storage-unavailable`: the entry is
   * not stored.
   */
  append(entry: AuditEntry): Promise<void>;
  /** As `append`, for attempts that changed nothing: they push out no other entries. */
  appendAttempt(entry: AuditEntry): Promise<void>;
  /** By id, the newest first unless it is asked otherwise. */
  page(query: AuditQuery): Promise<{ readonly list: readonly AuditEntry[]; readonly total: number }>;
}

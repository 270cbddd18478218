// The port for the audit log.
import type { PageRequest } from '../page.ts';
import type { AuditEntry } from './audit-action.ts';

export interface AuditQuery extends PageRequest {
  /** Lowest and highest time, both included. */
  readonly from: number;
  readonly to: number;
}

export interface AuditStore {
  /** Rising, never given twice for a line that was written. */
  nextId(): Promise<number>;
  /** Durable when it resolves; in place of an earlier line with this id. `storage-unavailable`: the line is not there. */
  append(entry: AuditEntry): Promise<void>;
  /** The same for what changed nothing: it pushes out nothing else. */
  appendAttempt(entry: AuditEntry): Promise<void>;
  /** By id, the newest first. */
  page(query: AuditQuery): Promise<{ readonly list: readonly AuditEntry[]; readonly total: number }>;
}

// What stands in the audit log: something somebody did, and how it ended.
import type { ErrorCode } from '../errors.ts';

/** Something somebody did or tried to do. No secret is ever in one of these. */
export interface AuditAction {
  /** A word from a closed list, such as `card-add`. */
  readonly action: string;
  /** What it was about, such as `lock 7`. */
  readonly object: string;
  /** More of it, or "". */
  readonly detail?: string;
}

export interface AuditEntry extends Required<AuditAction> {
  /** Rising; the last line with an id is what holds. */
  readonly id: number;
  readonly at: number;
  readonly username: string;
  /** Where the request came from. */
  readonly address: string;
  /** `unknown`: it was begun, and the process ended before it was known how. `nothing-to-do`: it was so already. */
  readonly outcome: 'ok' | 'unknown' | 'nothing-to-do' | ErrorCode;
  /** Refusals of this account before it that are not in the log, because there were too many. */
  readonly missed?: number;
  /** How often within a minute, when more than once. */
  readonly count?: number;
}

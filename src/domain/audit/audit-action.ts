// The entries of the audit log: what an account did, and with what outcome.
import type { ErrorCode } from '../errors.ts';

/** Something that an account did or tried to do. It never contains a secret. */
export interface AuditAction {
  /** A word from a closed list, such as `card-add`. */
  readonly action: string;
  /** What it was about, such as `lock 7`. */
  readonly object: string;
  /** Details, or "". */
  readonly detail?: string;
}

export interface AuditEntry extends Required<AuditAction> {
  /** Rising; of several lines with the same id the last one is valid. */
  readonly id: number;
  readonly at: number;
  readonly username: string;
  /** Where the request came from. */
  readonly address: string;
  /** `unknown`: the action was begun, and the process ended before its outcome was known. `nothing-to-do`: it was so already. */
  readonly outcome: 'ok' | 'unknown' | 'nothing-to-do' | ErrorCode;
  /** Earlier refusals of this account that are not in the log, because there were too many. */
  readonly missed?: number;
  /** The session through which it was done; absent: a token, or this machine. */
  readonly sessionId?: string;
  /** How often it happened within a minute, if more than once. */
  readonly count?: number;
}

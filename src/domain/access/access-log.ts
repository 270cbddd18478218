// The access log: what each lock held and was to hold, who had which role, and when the gateway knew it. Append-only.
import type { Basis, CredentialKind } from '../credentials/entry.ts';
import type { LockId } from '../locks/lock.ts';

/** What an access line says. */
export type AccessFact = 'wanted' | 'unwanted' | 'held' | 'gone' | 'unsure' | 'role' | 'account' | 'online' | 'offline' | 'clock';

/** One line. Between `notBefore` and `notAfter` it became true; at `recordedAt` the gateway knew. */
export interface AccessLine {
  /** Rising; never given twice. */
  readonly id: number;
  readonly recordedAt: number;
  readonly what: AccessFact;
  /** null: of the gateway, such as an account. */
  readonly lockId: LockId | null;
  readonly kind: CredentialKind | null;
  /** Of a card; null for a passcode, which is in no log. */
  readonly number: string | null;
  readonly entryId: number | null;
  readonly credentialId: number | null;
  readonly personId: number | null;
  /** Of the holder as it was then, or of the account. */
  readonly name: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly startDate: number;
  readonly endDate: number;
  readonly hours: string;
  readonly basis: Basis | null;
  readonly commandId: string | null;
  /** With `role` and `account`: the role, or that it is gone; with `clock`: whether it is right. */
  readonly detail: string;
}

/** What happened, before it has an id. */
export type AccessDraft = Omit<AccessLine, 'id' | 'recordedAt'>;

/** Over a lock's lines about one entry, or about one account. */
export interface AccessInterval {
  /** The lines in their order, the oldest first. */
  readonly lines: readonly AccessLine[];
}

export interface AccessLog {
  /** Takes lines in this order. The promise resolves when they are on the disk; rejects with `storage-unavailable`. */
  append(drafts: readonly AccessDraft[]): Promise<void>;
  /** Resolves when everything appended so far is on the disk. */
  stored(): Promise<void>;
  /** The lines about a lock until (and including) this transaction time, the oldest first; at least back to `from`. */
  ofLock(lockId: LockId, range: { readonly from: number; readonly until: number }): Promise<readonly AccessLine[]>;
  /** The lines about a credential of a person, or about a card number in any of these forms, over all locks. */
  ofCredential(of: { readonly credentialId: number } | { readonly numbers: readonly string[] }): Promise<readonly AccessLine[]>;
  /** The last line about each entry of a lock, by entryId: what the log believes. From memory. */
  latestOf(lockId: LockId): ReadonlyMap<number, AccessLine>;
}

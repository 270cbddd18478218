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
  /** With `role` and `account`. */
  readonly accountId: number | null;
  /** Of the holder as it was then, or of the account. */
  readonly name: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly startDate: number;
  readonly endDate: number;
  readonly hours: string;
  readonly basis: Basis | null;
  readonly commandId: string | null;
  /**
   * With `role` and `account`: the role, empty when it is gone; with `clock`: `right`, or why it is not; with `held`, `gone` and `unsure`
   * any of the words `once`, `noted` (a phone is said to have put it there), `remove` (it was to be taken off).
   */
  readonly detail: string;
}

/** What happened, before it has an id. */
export type AccessDraft = Omit<AccessLine, 'id' | 'recordedAt'>;

/** Questions run beside each other and the deletion for age: lines that have outlived the retention may be missing, if they do not stand. */
export interface AccessLog {
  /** Takes lines in this order. The promise resolves when they are on the disk; rejects with `storage-unavailable`. */
  append(drafts: readonly AccessDraft[]): Promise<void>;
  /** Resolves when everything appended so far is on the disk; rejects when some of it could not be written. */
  stored(): Promise<void>;
  /** The lines about a lock that were recorded until then (included), the oldest first; with null, those of the gateway. */
  ofLock(lockId: LockId | null, until: number): Promise<readonly AccessLine[]>;
  /** The lines about whether these locks and the gateway were online, and about the clocks of the locks. */
  contactOf(lockIds: readonly LockId[]): Promise<readonly AccessLine[]>;
  /**
   * All lines about the entries of which one line names this person or credential, or has a card number in one of these forms, over all
   * locks.
   */
  about(subject: AccessSubject): Promise<readonly AccessLine[]>;
  /** What the lines that name a person are about: each entry with each of its credentials once. */
  entriesOf(personId: number): Promise<readonly NamedEntry[]>;
  /** Whether the last line about the same says the same as this draft. From memory; lines that are being written count. */
  says(draft: AccessDraft): boolean;
  /** What the last lines of a lock say to be so, by `topicOf`: what is held, wanted, who has a role. From memory. */
  topicsOf(lockId: LockId | null): ReadonlySet<string>;
  /** When the newest line was recorded; 0: there is none. */
  newestAt(): number;
}

/** An entry that a line names together with a person. */
export interface NamedEntry {
  readonly lockId: LockId;
  readonly entryId: number;
  readonly credentialId: number | null;
  /** The last line about it says that the lock holds it or may hold it. */
  readonly mayBeHeld: boolean;
}

export type AccessSubject = { readonly personId: number } | { readonly credentialId: number } | { readonly numbers: readonly string[] };

/** What a line is about, within its lock: the later one of two lines with the same topic holds. */
export function topicOf({ what, entryId, accountId }: Pick<AccessLine, 'what' | 'entryId' | 'accountId'>): string {
  switch (what) {
    case 'held':
    case 'gone':
    case 'unsure':
      return `held ${entryId}`;
    case 'wanted':
    case 'unwanted':
      return `wanted ${entryId}`;
    case 'role':
    case 'account':
      return `${what} ${accountId}`;
    case 'clock':
      return 'clock';
    case 'online':
    case 'offline':
      return 'presence';
  }
}

/** Whether the line says that something is so, not that it has ended. A line that stands outlives the retention. */
export function stands({ what, detail }: Pick<AccessLine, 'what' | 'detail'>): boolean {
  if (what === 'role' || what === 'account') return detail !== '';
  if (what === 'online' || what === 'offline' || what === 'clock') return detail !== removedLock;
  return what !== 'gone' && what !== 'unwanted';
}

/** The detail of the last `offline` and `clock` of a lock that was removed. */
export const removedLock = 'removed';

/** Equal for two lines with the same topic exactly when they say the same, however the gateway came to know it. */
export function sayingOf(line: AccessDraft): string {
  const { what, kind, number, credentialId, startDate, endDate, hours, detail } = line;
  return JSON.stringify([what, kind, number, credentialId, startDate, endDate, hours, detail]);
}

// One number of one lock: what people decided directly about it, and what the lock is known to hold under it. What grants want of it is
// computed (domain/people/granted-numbers.ts), never stored.
import type { LockId } from '../locks/lock.ts';
import { type CardId, sameCard, type Validity } from './card.ts';

export type CredentialKind = 'card' | 'passcode';

/** When a number opens a lock. */
export interface ValidWindow extends Validity {
  /**
   * Weekly hours in the lock's local time: `12345:480-1080;67:540-720`. Days 1 (Monday) to 7, 8: a holiday; minutes of the day, the end not
   * included; empty: always.
   */
  readonly hours: string;
  /** It opens once, and is gone then. */
  readonly once: boolean;
}

/** How the gateway knows what a lock holds. */
export type Basis = 'reply' | 'digest' | 'list' | 'phone' | 'event' | 'reset';

/** What a lock holds under a number. */
export interface Held {
  /** With `sure` false: what was sent; null: nothing, it was to be removed. */
  readonly window: ValidWindow | null;
  /** false: a command was sent, and its outcome is open. */
  readonly sure: boolean;
  /**
   * With `sure` false: what the lock held before the command; null: nothing. Absent: unknown. With `sure` true: what the lock is to get back,
   * because it took a command of which the caller heard that the outcome is unknown.
   */
  readonly before?: ValidWindow | null;
  /** Since when it is so, by the gateway's clock. */
  readonly since: number;
  readonly basis: Basis;
  /** When the gateway was last sure of it. */
  readonly basisDate: number;
  readonly commandId?: string;
  /** By what a lock of another make knows a passcode. */
  readonly reference?: string;
}

/** A person has looked at what nobody wants: it may stay, as it is held now. */
export interface Accepted {
  readonly as: 'stranger';
  readonly window: ValidWindow;
}

export interface Entry {
  /** Also cardId and keyboardPwdId: one count for all. */
  readonly entryId: CardId;
  readonly lockId: LockId;
  readonly kind: CredentialKind;
  /** As this lock's reader sees it. Of cards with the leading zeros that people gave; of passcodes leading zeros count. */
  readonly number: string;
  readonly name: string;
  readonly createdAt: number;
  /** Username of the account that created it, as it was then; empty: the gateway found it on the lock. */
  readonly createdBy: string;
  /** false: a phone is said to have put it there; the gateway notes it, and never sends or removes it by itself. */
  readonly managed: boolean;
  /** What was put on this lock directly; null: wanted by grants alone, or by nobody. */
  readonly direct: ValidWindow | null;
  /** The person's credential that it belongs to. */
  readonly credentialId: number | null;
  readonly held: Held | null;
  /** It was surely on the lock, and is gone without the gateway: only a person puts it back. */
  readonly missing: boolean;
  /** When the gateway last learnt that it had become missing; absent: never. */
  readonly missingSince?: number;
  /** A one-time code that was used up: it is never placed again. */
  readonly used: boolean;
  readonly accepted: Accepted | null;
  /** Its schedule, when it was put on the lock directly with one. */
  readonly scheduleId: number | null;
  /** Somebody chose the digits of the passcode; absent: the gateway made them, or it is none. */
  readonly custom?: true;
  /** It exists because of an add that nobody has heard the outcome of: it is no card of anybody, also while it is taken off the lock. */
  readonly unanswered?: true;
}

/** The same for two numbers that a lock does not distinguish. Of a card it is the number itself: it is asked for of every card at every look. */
export function entryKey({ kind, number }: Pick<Entry, 'kind' | 'number'>): string {
  return kind === 'card' ? sameCard(number) : `passcode ${number}`;
}

/** The entry when somebody wants it after all. */
export function answered({ unanswered, ...entry }: Entry): Entry {
  return entry;
}

/** The difference of wanted and held (HTTP API 12). */
export type EntryStatus =
  | 'on-lock'
  | 'pending'
  | 'updating'
  | 'removing'
  | 'unsure'
  | 'failed'
  | 'missing'
  | 'stranger'
  | 'noted'
  /** Not on the lock, and not to be there: its time is over, it was used up, or somebody gave it up. */
  | 'ended';

/** Why an entry is not as people decided: what it waits for, or that a card with its number was reported lost. */
export type EntryReason = 'offline' | 'turn' | 'no-clock' | 'no-space' | 'not-supported' | 'not-yet' | 'paused' | 'lost';

/** What managers of the lock hear of an entry when it is another one, or its status is. */
export interface EntryNews {
  readonly entryId: CardId;
  readonly kind: CredentialKind;
  readonly name: string;
  readonly personId: number | null;
  readonly credentialId: number | null;
  /** `ended` also when the entry is gone. */
  readonly status: EntryStatus;
  readonly why: EntryReason | null;
  readonly since: number;
}

/** Always, again and again. */
export const always: ValidWindow = { startDate: 0, endDate: 0, hours: '', once: false };

export function isSameWindow(one: ValidWindow | null, other: ValidWindow | null): boolean {
  if (one === null || other === null) return one === other;
  return one.startDate === other.startDate && one.endDate === other.endDate && one.hours === other.hours && one.once === other.once;
}

// Operation records: stored events of a lock.
import type { LockId } from '../locks/lock.ts';

/** One event of a lock on its way into the record log. */
export interface RecordDraft {
  /** The lock's own counter, or the gateway's for a lock without one; (lock, epoch, seq) identifies the event for ever. */
  readonly seq: number;
  readonly type: string;
  readonly success: boolean;
  /** Card number used, or a passcode that the gateway does not know; else "". */
  readonly credential: string;
  readonly username: string;
  /** When it happened: by the lock's clock where that is plausible, else by the gateway's. */
  readonly lockDate: number;
  /** The date that the lock reported, if lockDate is another; else absent. */
  readonly reportedDate?: number;
  /** True if the lock reported no date, and lockDate is the gateway's; else absent. */
  readonly undated?: true;
  /** When the gateway stored it. */
  readonly serverDate: number;
  /** Why the lock refused; absent when it did not say. */
  readonly reason?: string;
  /**
   * Number of the remote command that gave this event its username. The store accepts name and number in one record of a lock only: it
   * removes both from any other.
   */
  readonly command?: number;
  /** The passcode behind the event, when the gateway knows it: its digits are in that entry alone, and `credential` has none of them. */
  readonly entryId?: number;
}

/** A record while it is put together. */
export type DraftToFill = { -readonly [Member in keyof RecordDraft]: RecordDraft[Member] };

/**
 * A stored event. `recordId` rises in the order of storing and is never given twice.
 *
 * Epoch and seq are the identity of the event, whichever kind of lock tells it, and a record keeps them for ever: an event comes again until
 * its device has heard that it is stored, so also after a power cut, a restored backup or a new registration, and nothing else of it says that
 * it is the same. A missing number is an event that somebody still has, or that is lost.
 */
export interface LockRecord extends RecordDraft {
  readonly recordId: number;
  readonly lockId: LockId;
  /** Within which `seq` counts, an opaque text: a device that has lost its count begins another one. */
  readonly epoch: string;
}

/** Whose clock gave the lockDate. */
export function lockDateSource({ reportedDate, undated }: RecordDraft): 'lock' | 'gateway' {
  return undated || reportedDate !== undefined ? 'gateway' : 'lock';
}

/** The labels of the event types that the gateway knows. */
export const recordLabels: Readonly<Record<string, string>> = {
  'remote-unlock': 'unlock by gateway',
  'remote-lock': 'lock by gateway',
  'card-unlock': 'unlock by IC card',
  'card-lock': 'lock by IC card',
  'passcode-unlock': 'unlock by passcode',
  'passcode-lock': 'lock by passcode',
  'phone-unlock': 'unlock by app',
  'phone-lock': 'lock by app',
  'fingerprint-unlock': 'unlock by fingerprint',
  'key-unlock': 'unlock by mechanical key',
  'inside-unlock': 'unlock from inside',
  'inside-lock': 'lock from inside',
  'auto-lock': 'auto lock',
  'door-open': 'door opened',
  'door-close': 'door closed',
  tamper: 'tamper alert',
  jammed: 'lock jammed',
  'low-battery': 'low battery',
  duress: 'duress alarm',
};

/** The same as a map, in which look-ups are faster: every event is looked up several times. */
const labels: ReadonlyMap<string, string> = new Map(Object.entries(recordLabels));

/** The label of an event type (Specification 2.2 recordType); a type of the lock's own is shown as it is. */
export function recordLabel(type: string): string {
  return labels.get(type) ?? type;
}

/** A text as a person reads it: without case, blanks and invisible characters, in one normal form. */
function asRead(text: string): string {
  const visible = text.normalize('NFKC').replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');
  return visible
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toLowerCase();
}

const labelsAsRead = new Set([...labels.values()].map(asRead));

/** Whether a person would take a lock's own type for one of the labels: with it a lock could fake events of other kinds. */
export function isTakenForLabel(type: string): boolean {
  return !labels.has(type) && labelsAsRead.has(asRead(type));
}

/** Whether the type belongs to a command of the gateway, or looks like one: only the gateway names the account of such an event. */
export function isRemote(type: string): boolean {
  return type.startsWith('remote-') || (!labels.has(type) && asRead(type).startsWith('remote-'));
}

/**
 * The oldest lockDate that clients may read, or that counts as stored. While the gateway's own clock is suspect, nothing is too
 * old: with a clock ten years ahead, every record would seem to be (Fault T19).
 */
export function oldestStored(now: number, clockIsSuspect: boolean, days: number): number {
  return clockIsSuspect ? Number.MIN_SAFE_INTEGER : retentionCutoff(now, days);
}

const dayMs = 86_400_000;
/** No six calendar months are shorter than 181 days. */
const surelyStoredMs = 180 * dayMs;

/**
 * Whether a lock's date can be right: at most 24 hours ahead, and not older than six months, however long records are stored. A lock
 * without a clock reports 1970, or a year in the future. Only for old dates does this compute with the calendar, which costs more than all
 * other work for an event.
 */
export function isPlausibleDate(date: number, now: number): boolean {
  return date <= now + dayMs && (date >= now - surelyStoredMs || date >= sixMonthsBefore(now));
}

const retentionMonths = 6;
/** No six calendar months are longer, so with so many days the six months are the limit. */
export const recordDaysAtMost = 184;

/** How long records are stored, for people. */
export function retentionText(days: number): string {
  return days >= recordDaysAtMost ? 'six months' : `${days} days`;
}

/** The oldest lockDate that is still stored: of the last `days`, and never older than six calendar months (Specification 8). */
export function retentionCutoff(now: number, days: number): number {
  return Math.max(sixMonthsBefore(now), now - days * dayMs);
}

/** The date six months before, in UTC, clamped to the month's end: 31 August gives 28 or 29 February. */
function sixMonthsBefore(now: number): number {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - retentionMonths);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}

// Operation records: what a lock says happened, once it is stored.
import type { LockId } from '../locks/lock.ts';

/** One event of a lock on its way into the record log. */
export interface RecordDraft {
  /** The lock's own counter, or the gateway's for a lock without one; (lock, epoch, seq) identifies the event for ever. */
  readonly seq: number;
  readonly type: string;
  readonly success: boolean;
  /** Passcode or card number used, else "". */
  readonly credential: string;
  readonly username: string;
  /** When it happened, by the lock's clock where that is believable, else by the gateway's. */
  readonly lockDate: number;
  /** The lock's own date when lockDate is not it; else absent. */
  readonly reportedDate?: number;
  /** The lock said no date, and lockDate is the gateway's; else absent. */
  readonly undated?: true;
  /** When the gateway stored it. */
  readonly serverDate: number;
  /** Why it was refused; absent when the lock did not say. */
  readonly reason?: string;
  /**
   * Number of the remote command by which it has its username. The store keeps name and number in one record of a lock alone: in any other it
   * takes both out.
   */
  readonly command?: number;
}

/** A stored event. `recordId` rises in the order of storing, is never given twice. */
export interface LockRecord extends RecordDraft {
  readonly recordId: number;
  readonly lockId: LockId;
  readonly epoch: string;
}

/** Whose clock its lockDate is of. */
export function lockDateSource({ reportedDate, undated }: RecordDraft): 'lock' | 'gateway' {
  return undated || reportedDate !== undefined ? 'gateway' : 'lock';
}

/** Of the event types that the gateway knows. */
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

/** The label of an event type (Specification 2.2 recordType); a type of the lock's own is shown as it is. */
export function recordLabel(type: string): string {
  return Object.hasOwn(recordLabels, type) ? (recordLabels[type] as string) : type;
}

/** As a person reads it: whatever its case, its blanks, what cannot be seen, and the code points that it is made of. */
function asRead(text: string): string {
  const visible = text.normalize('NFKC').replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');
  return visible
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toLowerCase();
}

const labelsAsRead = new Set(Object.values(recordLabels).map(asRead));

/** Whether this is a type of a lock's own that a person takes for one of the labels: with it a lock could write what only others may. */
export function isTakenForLabel(type: string): boolean {
  return !Object.hasOwn(recordLabels, type) && labelsAsRead.has(asRead(type));
}

/** Of a command of the gateway, and also of what looks like it: there nobody is named but by the gateway. */
export function isRemote(type: string): boolean {
  return type.startsWith('remote-') || (!Object.hasOwn(recordLabels, type) && asRead(type).startsWith('remote-'));
}

/**
 * The oldest lockDate that may be given out, or counts as remembered. While the gateway's own clock is suspect nothing is too
 * old: ten years ahead, every record would seem to be (Fault T19).
 */
export function oldestStored(now: number, clockIsSuspect: boolean, days: number): number {
  return clockIsSuspect ? Number.MIN_SAFE_INTEGER : retentionCutoff(now, days);
}

const dayMs = 86_400_000;
/** No six calendar months are shorter than 181 days. */
const surelyKeptMs = 180 * dayMs;

/**
 * Whether a lock's date can be right: at most 24 hours ahead, and not older than six months, however long records are kept. A lock without a
 * clock says 1970, or a year that has not come. The calendar is asked about old dates only: it costs more than all else that is done for an event.
 */
export function isPlausibleDate(date: number, now: number): boolean {
  return date <= now + dayMs && (date >= now - surelyKeptMs || date >= sixMonthsBefore(now));
}

const retentionMonths = 6;
/** No six calendar months are longer, so with so many days it is they that count. */
export const recordDaysAtMost = 184;

/** How long records are kept, for people. */
export function retentionText(days: number): string {
  return days >= recordDaysAtMost ? 'six months' : `${days} days`;
}

/** The oldest lockDate that is still kept: of the last `days`, and never older than six calendar months (Specification 8). */
export function retentionCutoff(now: number, days: number): number {
  return Math.max(sixMonthsBefore(now), now - days * dayMs);
}

/** In UTC, clamped to the month's end: 31 August gives 28 or 29 February. */
function sixMonthsBefore(now: number): number {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - retentionMonths);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}

// Operation records: what a lock says happened, once it is stored.
import type { LockId } from './lock.ts';

/** One event of a lock on its way into the record log. */
export interface RecordDraft {
  /** The lock's own counter; (lock, epoch, seq) identifies the event for ever (Protocol 4.4). */
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
  /** When the gateway stored it. */
  readonly serverDate: number;
}

/** A stored event. `recordId` rises in the order of storing, is never given twice. */
export interface LockRecord extends RecordDraft {
  readonly recordId: number;
  readonly lockId: LockId;
  readonly epoch: string;
}

/** Of the event types of Protocol 4.4. */
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

/**
 * The oldest lockDate that may be given out, or counts as remembered. While the gateway's own clock is suspect nothing is too
 * old: ten years ahead, every record would seem to be (Fault T19).
 */
export function oldestKept(now: number, clockIsSuspect: boolean): number {
  return clockIsSuspect ? Number.MIN_SAFE_INTEGER : retentionCutoff(now);
}

const dayMs = 86_400_000;
/** No six calendar months are shorter than 181 days. */
const surelyKeptMs = 180 * dayMs;

/**
 * Whether a lock's date can be right (Protocol 4.4): at most 24 hours ahead, and not older than the records that are kept. A lock without a
 * clock says 1970, or a year that has not come. The calendar is asked about old dates only: it costs more than all else that is done for an event.
 */
export function isPlausibleDate(date: number, now: number): boolean {
  return date <= now + dayMs && (date >= now - surelyKeptMs || date >= retentionCutoff(now));
}

const retentionMonths = 6;

/**
 * The oldest lockDate that is still kept: six calendar months before `now` in UTC, clamped to the month's end
 * (31 August gives 28 or 29 February). Specification 8.
 */
export function retentionCutoff(now: number): number {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - retentionMonths);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}

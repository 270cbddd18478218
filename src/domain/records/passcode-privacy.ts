// Which records hold a passcode, and which passcodes become no record: a slip of the finger is one digit beside somebody's code.
import type { LockEvent } from '../locks/lock-report.ts';
import type { RecordDraft } from './record.ts';

/** What stands in the place of a passcode. */
export const mask = '****';

/** By what a lock of another make knows a code; it says no digit of it. */
const reference = /^(?:code|slot) \d{1,10}$/;

/**
 * Whether the credential of an event of this type may be a passcode. Of a duress alarm, or a type of the lock's own, nobody knows what it
 * is: only the number of a card, or what says no digit, surely is none.
 */
function mayBePasscode(type: string, credential: string): boolean {
  return credential !== '' && !type.startsWith('card-') && !type.startsWith('fingerprint-') && !reference.test(credential);
}

/** The credential of a record for everybody but the lock's administrator. */
export function maskedCredential({ type, credential, entryId }: Pick<RecordDraft, 'type' | 'credential' | 'entryId'>): string {
  if (credential === '') return entryId === undefined ? '' : mask;
  return mayBePasscode(type, credential) ? mask : credential;
}

/** By what a lock of another make knows the code of this credential; undefined: it is no such word. */
export function referenceIn(credential: string): string | undefined {
  return reference.test(credential) ? credential.slice(credential.indexOf(' ') + 1) : undefined;
}

/** A lock refuses for these reasons what it knows. */
const refusedThoughKnown: ReadonlySet<string> = new Set(['not-valid-now', 'schedule', 'clock-not-set', 'used', 'jammed']);

/**
 * The credential of an event as it may be stored: none when it may be a passcode that the lock does not know, or when the gateway knows it,
 * because its entry has the digits. A lock that refuses without a reason, in a word of its own, or for one for which it need not look at the
 * code, leaves open whether it knows it.
 */
export function storableCredential({ type, success, reason = '', credential = '' }: LockEvent, isKnown: boolean): string {
  if (isKnown && mayBePasscode(type, credential)) return '';
  const isRefused = success === false && type !== 'jammed' && !refusedThoughKnown.has(reason);
  return isRefused && mayBePasscode(type, credential) ? '' : credential;
}

/** The event without what may be a passcode, for files that nobody but an operator reads. */
export function withoutPasscode<Event extends Pick<LockEvent, 'type' | 'credential'>>(event: Event): Event {
  const { type, credential = '' } = event;
  return mayBePasscode(type, credential) ? { ...event, credential: mask } : event;
}

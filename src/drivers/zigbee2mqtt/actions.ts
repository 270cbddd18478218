// The member `action` of a lock's message as an event at the door. It is never cached, so it is always news.
import type { LockEvent } from '../../domain/locks/lock-report.ts';
import type { ZigbeeReport } from './messages.ts';

type DoorEvent = Omit<LockEvent, 'seq'>;

/** By what somebody opened, from `action_source_name`. */
const means: Readonly<Record<string, string>> = {
  keypad: 'passcode',
  rf: 'phone',
  manual: 'inside',
  rfid: 'card',
  fingerprint: 'fingerprint',
};
/** A turn by hand has a user as well, which means nothing. */
const hasSlots: ReadonlySet<string> = new Set(['passcode', 'card', 'fingerprint']);
const plain: Readonly<Record<string, string>> = {
  one_touch_lock: 'inside-lock',
  key_lock: 'key-lock',
  key_unlock: 'key-unlock',
  auto_lock: 'auto-lock',
  schedule_lock: 'auto-lock',
  schedule_unlock: 'schedule-unlock',
  manual_lock: 'inside-lock',
  manual_unlock: 'inside-unlock',
  keypad_lock: 'passcode-lock',
  keypad_unlock: 'passcode-unlock',
};
const failures = /^(lock|unlock)_failure_(invalid_pin_or_id|invalid_schedule)$/;
const unknownCredential: Readonly<Record<string, string>> = {
  passcode: 'wrong-passcode',
  card: 'unknown-card',
  fingerprint: 'unknown-fingerprint',
};

/** undefined: it is nothing that happened at the door. */
export function eventOfAction({ action = '', source = '', slot }: ZigbeeReport): DoorEvent | undefined {
  const by = means[source] ?? 'phone';
  const credential = slot === undefined || !hasSlots.has(by) ? {} : { credential: `slot ${slot}` };
  const [, op, why] = failures.exec(action) ?? [];
  if (op !== undefined) {
    const reason = why === 'invalid_schedule' ? 'schedule' : (unknownCredential[by] ?? 'wrong-passcode');
    return { type: `${by}-${op}`, success: false, reason, ...credential };
  }
  if (action === 'lock' || action === 'unlock') return { type: `${by}-${action}`, ...credential };
  const type = plain[action];
  return type === undefined ? undefined : { type, ...credential };
}

/** For a lock that has no `action` and names who unlocked it last. */
export function eventOfLastUnlock({ lastSource = '', lastSlot }: ZigbeeReport): DoorEvent | undefined {
  const by = means[lastSource];
  if (by === undefined) return undefined;
  return { type: `${by}-unlock`, ...(lastSlot === undefined ? {} : { credential: `slot ${lastSlot}` }) };
}

/** The op of a command over the radio, such as ours; undefined: it was something else. */
export function radioOp({ action, source }: ZigbeeReport): 'lock' | 'unlock' | undefined {
  return source === 'rf' && (action === 'lock' || action === 'unlock') ? action : undefined;
}

// An events message (Protocol 4.4): its envelope, and each event on its own, so that a bad one does not cost the good ones.
// Locks that come back send some 25,000 events a second, and the schema alone costs more for one than all else that is done
// with it. So what has the usual shape is recognized by hand, and the schema is asked about the rest: it decides what an event is.
import type { LockEvent } from '../../domain/locks/lock-report.ts';
import { check, type Decoded, parse } from '../payload.ts';
import { type EventsEnvelope, eventMessage, eventsMessage } from './messages.ts';

export interface CheckedEvents {
  readonly epoch: string;
  readonly valid: readonly LockEvent[];
  /** As they came. */
  readonly invalid: readonly unknown[];
  /** Why the first of them is. */
  readonly reason: string;
}

/** The valid events of a message and the invalid ones apart, or the reason why the message is none. */
export function decodeEvents(payload: Buffer): Decoded<CheckedEvents> {
  const parsed = parse(payload);
  if (!parsed.ok) return parsed;
  const envelope = checkEventsMessage(parsed.value);
  if (!envelope.ok) return envelope;
  const { epoch, events } = envelope.value;
  if (events.every(isUsualEvent)) return { ok: true, value: { epoch, valid: events, invalid: none, reason: '' } };
  const valid: LockEvent[] = [];
  const invalid: unknown[] = [];
  let reason = '';
  for (const event of events) {
    const checked = checkEvent(event);
    if (checked.ok) valid.push(checked.value);
    else {
      invalid.push(event);
      reason ||= `event ${checked.reason}`;
    }
  }
  return { ok: true, value: { epoch, valid, invalid, reason } };
}

const none: readonly never[] = [];

/** As `check` with `eventsMessage`. `value` is JSON. */
export function checkEventsMessage(value: unknown): Decoded<EventsEnvelope> {
  if (typeof value === 'object' && value !== null) {
    const { epoch, events } = value as { readonly epoch?: unknown; readonly events?: unknown };
    if (isText(epoch, 1, 32) && Array.isArray(events) && events.length >= 1 && events.length <= 100) {
      return { ok: true, value: { epoch, events } };
    }
  }
  return check(value, eventsMessage);
}

/** As `check` with `eventMessage`. `value` is JSON. */
export function checkEvent(value: unknown): Decoded<LockEvent> {
  return isUsualEvent(value) ? { ok: true, value } : check(value, eventMessage);
}

/** Whether the schema would give it back as it is: all its members are known, and as they must be. */
function isUsualEvent(value: unknown): value is LockEvent {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  let required = 0;
  for (const name in members) {
    const member = members[name];
    switch (name) {
      case 'seq':
        if (!Number.isSafeInteger(member) || (member as number) < 1) return false;
        required++;
        break;
      case 'type':
        if (!isText(member, 1, 64)) return false;
        required++;
        break;
      case 'success':
        if (typeof member !== 'boolean') return false;
        break;
      case 'date':
        if (!Number.isSafeInteger(member)) return false;
        break;
      case 'credential':
      case 'username':
      case 'reason':
        if (!isText(member, 0, 64)) return false;
        break;
      case 'commandId':
        if (!isText(member, 0, 96)) return false;
        break;
      default:
        return false;
    }
  }
  return required === 2;
}

function isText(value: unknown, minLength: number, maxLength: number): value is string {
  return typeof value === 'string' && value.length >= minLength && value.length <= maxLength;
}

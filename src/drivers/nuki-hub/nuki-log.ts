// The log of a lock behind nuki_hub. Its entries have an index of the lock's own, so each becomes one record, however often the hub sends it.
import type { LockEvent } from '../../domain/locks/lock-report.ts';
import type { Effect, NumberedEvent } from '../device-protocol.ts';
import { check } from '../payload.ts';
import type { NukiClock } from './nuki-clock.ts';
import { type LogEntry, logEntry } from './nuki-hub-messages.ts';
import { refusalByStatus } from './nuki-hub-words.ts';

/** An entry this much older than now tells of no command that has just been confirmed. */
const recentMs = 120_000;

const opOfAction: ReadonlyMap<string, 'lock' | 'unlock'> = new Map([
  ['Unlock', 'unlock'],
  ['Unlatch', 'unlock'],
  ['LockNgo', 'unlock'],
  ['LockNgoUnlatch', 'unlock'],
  ['Lock', 'lock'],
  ['FullLock', 'lock'],
]);

/** What the entries of one message become, lowest index first. Those that are none are left out. */
export function eventsOfLog(entries: readonly unknown[], clock: NukiClock, now: number): readonly NumberedEvent[] {
  return entries
    .flatMap((entry) => {
      const checked = check(entry, logEntry);
      return checked.ok ? [numbered(checked.value, clock, now)] : [];
    })
    .sort((a, b) => a.seq - b.seq);
}

/** What lies between these events of the whole log, or below the first of them, is in the lock's log no more. */
export function lostIn(epoch: string, events: readonly NumberedEvent[]): readonly Effect[] {
  const lost: Effect[] = [];
  let next = 1;
  for (const { seq } of events) {
    if (seq > next) lost.push({ kind: 'lost-events', epoch, first: next, last: seq - 1 });
    next = Math.max(next, seq + 1);
  }
  return lost;
}

function numbered(entry: LogEntry, clock: NukiClock, now: number): NumberedEvent {
  const date = dateOf(entry, clock);
  const { authorizationName = '' } = entry;
  const event: LockEvent = {
    seq: entry.index,
    ...whatHappened(entry),
    ...(date !== undefined && { date }),
    ...(authorizationName !== '' && { username: authorizationName.slice(0, 64) }),
  };
  const isRecent = date === undefined || Math.abs(now - date) < recentMs;
  const mayBeCommand = entry.type === 'LockAction' && entry.trigger === 'system' && opOf(entry) !== undefined && isRecent;
  return mayBeCommand ? { ...event, mayBeCommand } : event;
}

function whatHappened(entry: LogEntry): Pick<LockEvent, 'type' | 'success' | 'reason' | 'credential'> {
  const { type, action = '' } = entry;
  const op = opOf(entry);
  if (type === 'LockAction' && op !== undefined) return { type: typeOfAction(entry, op), ...failureOf(entry, 'success') };
  if (type === 'KeypadAction' && op !== undefined) return keypadAction(entry, op);
  if (type === 'DoorSensor' && action === 'DoorOpened') return { type: 'door-open' };
  if (type === 'DoorSensor' && action === 'DoorClosed') return { type: 'door-close' };
  // A word of the lock's own, under a name that is nobody else's, so that no index is left out.
  return { type: `nuki ${type} ${action}`.trim().slice(0, 64) };
}

function opOf({ action = '' }: LogEntry): 'lock' | 'unlock' | undefined {
  return opOfAction.get(action);
}

function typeOfAction({ trigger }: LogEntry, op: 'lock' | 'unlock'): string {
  if (trigger === 'manual' || trigger === 'button') return `inside-${op}`;
  return trigger === 'autoLock' && op === 'lock' ? 'auto-lock' : `phone-${op}`;
}

function keypadAction(entry: LogEntry, op: 'lock' | 'unlock'): Pick<LockEvent, 'type' | 'success' | 'reason' | 'credential'> {
  const { trigger, codeId = 0, completionStatus } = entry;
  const isFingerprint = trigger === 'fingerprint';
  const failure = failureOf(entry, '');
  const isKnown = codeId > 0 && completionStatus !== 'invalidCode';
  return {
    type: `${isFingerprint ? 'fingerprint' : 'passcode'}-${op}`,
    ...(isKnown && { credential: `code ${codeId}` }),
    ...(completionStatus === 'invalidCode'
      ? { success: false, reason: isFingerprint ? 'unknown-fingerprint' : 'wrong-passcode' }
      : failure),
  };
}

/** `unsaid`: the status of an entry that has none. */
function failureOf({ completionStatus = '' }: LogEntry, unsaid: string): Pick<LockEvent, 'success' | 'reason'> {
  const status = completionStatus === '' ? unsaid : completionStatus;
  return status === 'success' ? {} : { success: false, reason: refusalByStatus.get(status) ?? status };
}

function dateOf({ timeYear, timeMonth, timeDay, timeHour, timeMinute, timeSecond }: LogEntry, clock: NukiClock): number | undefined {
  const members = [timeYear, timeMonth, timeDay, timeHour, timeMinute, timeSecond];
  if (members.includes(undefined)) return undefined;
  const [year, month, day, hour, minute, second] = members.map((value) => String(value).padStart(2, '0'));
  return clock.dateOf(`${year}-${month}-${day} ${hour}:${minute}:${second}`);
}

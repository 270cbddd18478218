// What latchd says of the state of a lock and of itself, as retained messages. Each is what the lock said last: nothing is assumed, and nothing is
// said that was not reported.
import { type Alarm, gatewayAlarms } from '../../domain/alarms/alarm.ts';
import type { AlarmService } from '../../domain/alarms/alarm-service.ts';
import type { LastRecord } from '../../domain/board/last-records.ts';
import type { Capabilities } from '../../domain/locks/capabilities.ts';
import type { Lock, LockStatus, OpenState } from '../../domain/locks/lock.ts';
import type { DoorState } from '../../domain/records/door-states.ts';
import { recordLabel } from '../../domain/records/record.ts';
import { homeEventType } from './events.ts';

/** What is known of a lock now. */
export interface LockSeen {
  readonly lock: Pick<Lock, 'autoLockSeconds'>;
  readonly status: LockStatus;
  readonly capabilities: Pick<Capabilities, 'autoLock'>;
  readonly alarms: readonly Pick<Alarm, 'kind'>[];
  /** Where a command under way moves the bolt; undefined: there is none. */
  readonly moving: OpenState | undefined;
  /** undefined: the lock has never reported a door. */
  readonly door: DoorState | undefined;
}

function boltOf({ status, alarms, moving }: LockSeen): string | null {
  if (alarms.some(({ kind }) => kind === 'jammed')) return 'JAMMED';
  if (moving !== undefined) return moving === 'locked' ? 'LOCKING' : 'UNLOCKING';
  if (status.state === null) return null;
  return status.state === 'locked' ? 'LOCKED' : 'UNLOCKED';
}

/** A lock that cannot be asked for its time, or has never been there, has told nobody how long it waits. */
function autoLockOf({ lock, status, capabilities }: LockSeen): number | null {
  return capabilities.autoLock && status.lastSeenAt !== null ? lock.autoLockSeconds : null;
}

const onOff = (isOn: boolean): 'ON' | 'OFF' => (isOn ? 'ON' : 'OFF');

/** All seven members are always there; what the lock has not reported is null. Times in seconds, battery in percent. */
export function lockStateText(seen: LockSeen): string {
  const { status, alarms, door } = seen;
  return JSON.stringify({
    lock: boltOf(seen),
    battery: status.batteryPercent,
    door: door ?? null,
    problem: onOff(alarms.length > 0),
    tamper: onOff(alarms.some(({ kind }) => kind === 'tampered')),
    autoLock: autoLockOf(seen),
    at: status.stateAt === null ? null : new Date(status.stateAt).toISOString(),
  });
}

/** Who did what last, for managers; every member is null while the lock has no record. A refused attempt says that it was refused. */
export function lastActionText(last: LastRecord | undefined): string {
  if (last === undefined) return JSON.stringify({ last_action: null, last_user: null, last_at: null, record_id: null });
  const { type, username, lockDate, recordId } = last;
  return JSON.stringify({
    last_action: homeEventType(last) === 'refused' ? `${recordLabel(type)}, refused` : recordLabel(type),
    last_user: username === '' ? null : username,
    last_at: new Date(lockDate).toISOString(),
    record_id: recordId,
  });
}

/** The kinds of the active alarms. */
export function alarmsText(alarms: readonly Pick<Alarm, 'kind'>[]): string {
  return JSON.stringify({ alarms: alarms.map(({ kind }) => kind) });
}

/** Of the gateway: whether an alarm of its own is active. */
export function gatewayStateText(alarms: Pick<AlarmService, 'active'>, version: string): string {
  return JSON.stringify({ problem: onOff(gatewayAlarms.some((kind) => alarms.active(kind, null) !== undefined)), version });
}

// Events that subscribers get at once. Each event gives the present state of one subject, so that of several events about it the last is
// enough; only records are history, and none is ever left out.
import type { LockRole } from '../accounts/account.ts';
import type { Alarm, AlarmKind } from '../alarms/alarm.ts';
import type { Card } from '../credentials/card.ts';
import type { EntryNews } from '../credentials/entry.ts';
import type { Capabilities } from '../locks/capabilities.ts';
import type { LockId, OpenState } from '../locks/lock.ts';
import type { Suggestion } from '../readers/suggestion.ts';
import type { LockRecord } from '../records/record.ts';
import type { RevocationReport } from '../revocations/revocation.ts';

/** Events for all accounts with a sufficient role on the lock. */
export type LockLiveEvent =
  | {
      readonly type: 'state';
      readonly lockId: LockId;
      readonly state: OpenState;
      readonly stateAt: number;
      readonly autoLockAt: number | null;
    }
  | { readonly type: 'state-sure'; readonly lockId: LockId; readonly sure: boolean }
  | { readonly type: 'battery'; readonly lockId: LockId; readonly batteryPercent: number }
  | { readonly type: 'online'; readonly lockId: LockId; readonly online: boolean }
  | { readonly type: 'card'; readonly lockId: LockId; readonly change: CardChanged; readonly card: Card }
  | { readonly type: 'entry'; readonly lockId: LockId; readonly entry: EntryNews }
  | { readonly type: 'suggestion'; readonly lockId: LockId; readonly suggestion: Suggestion }
  | { readonly type: 'record'; readonly lockId: LockId; readonly record: LockRecord };

export type CardChanged = 'added' | 'changed' | 'removed';

/**
 * A lock as one account sees it: at the beginning of a stream, and when the account gets a role on it or another role, or the lock another
 * alias or other capabilities.
 */
export interface LockInSight {
  readonly type: 'lock';
  readonly lockId: LockId;
  readonly alias: string;
  readonly role: LockRole;
  readonly online: boolean;
  /** null: the lock has never reported it. */
  readonly state: OpenState | null;
  readonly stateAt: number | null;
  /** Epoch ms: when it should lock itself; null: it does not. */
  readonly autoLockAt: number | null;
  /** `StateCertainty.isShownAsSure`. */
  readonly stateSure: boolean;
  readonly batteryPercent: number | null;
  readonly capabilities: Capabilities;
}

/** The lock was removed, or the account has lost its last role on it. */
export interface LockGone {
  readonly type: 'lock-gone';
  readonly lockId: LockId;
}

/** An alarm is active, or has ended; of a lock, or with lockId null of the gateway itself. */
export type AlarmEvent =
  | { readonly type: 'alarm'; readonly lockId: LockId | null; readonly alarm: Pick<Alarm, 'kind' | 'lockId' | 'since' | 'reason'> }
  | { readonly type: 'alarm-ended'; readonly lockId: LockId | null; readonly kind: AlarmKind; readonly since: number };

/** More, or less, is known of what was reported lost; for access managers. */
export interface RevocationEvent {
  readonly type: 'revocation';
  readonly lockId: null;
  readonly report: Pick<RevocationReport, 'revocation' | 'certain' | 'doors'>;
}

export type LiveEvent = LockLiveEvent | LockInSight | LockGone | AlarmEvent | RevocationEvent;

/** The role on the lock that an event requires: the same as for reading it from the API (HTTP API 3 and 7). */
export const roleForEvent: Readonly<Record<LockLiveEvent['type'], LockRole>> = {
  state: 'operator',
  'state-sure': 'operator',
  battery: 'operator',
  online: 'operator',
  card: 'manager',
  entry: 'manager',
  suggestion: 'manager',
  record: 'manager',
};

/** The role on a lock that its alarms require; gateway administrators get all alarms. */
export const roleForAlarms: LockRole = 'manager';

/** The subject of an event: a newer event of the same subject replaces an older one that is not sent yet. Not for records. */
export function subjectOf(event: Exclude<LiveEvent, { type: 'record' }>): string {
  if (event.type === 'card') return `card ${event.card.cardId}`;
  if (event.type === 'entry') return `entry ${event.entry.entryId}`;
  if (event.type === 'revocation') return `revocation ${event.report.revocation.revocationId}`;
  if (event.type === 'alarm') return `alarm ${event.alarm.kind} ${event.lockId}`;
  if (event.type === 'alarm-ended') return `alarm ${event.kind} ${event.lockId}`;
  return event.type === 'lock-gone' ? `lock ${event.lockId}` : `${event.type} ${event.lockId}`;
}

// Alarms: conditions that a person should look at, from their beginning to their end. At most one of each kind is active for a lock, or for
// the gateway.
import type { LockId } from '../locks/lock.ts';

/** The kinds of alarm of a lock. */
const lockAlarms = [
  'offline',
  'silent',
  'low-battery',
  'tampered',
  'duress',
  'jammed',
  'auto-lock-late',
  'open-too-long',
  'wrong-clock',
  'event-gap',
  'revocation-open',
  'lost-credential-used',
  'credentials-differ',
  'credentials-failing',
] as const;
/** The kinds of alarm of a gateway that keeps its data in a database. */
export const databaseAlarms = ['database-away', 'standby-missing', 'clock-differs', 'node-lost'] as const;
/** The kinds of alarm of the gateway itself. */
export const gatewayAlarms = [
  ...(['clock-suspect', 'storage-unavailable', 'backup-failing', 'access-paused', 'home-assistant'] as const),
  ...databaseAlarms,
] as const;

export const alarmKinds = [...lockAlarms, ...gatewayAlarms] as const;
export type AlarmKind = (typeof alarmKinds)[number];

/** The cause of these kinds is over in an instant, and nothing shows that all is well again: they stay active until a person ends them. */
const endedByPerson: readonly AlarmKind[] = ['tampered', 'duress', 'event-gap', 'lost-credential-used'];

export function endsByPerson(kind: AlarmKind): boolean {
  return endedByPerson.includes(kind);
}

/** Seqs of one epoch, up to `to`, that a lock has used and the gateway will not get. */
export interface LostEvents {
  readonly epoch: string;
  readonly to: number;
}

export interface Alarm {
  readonly kind: AlarmKind;
  /** null: the gateway itself. */
  readonly lockId: LockId | null;
  /** When it began, by the gateway's clock. */
  readonly since: number;
  /** The reason, for people. */
  readonly reason: string;
  /** With `low-battery`: the level that the lock reported when the alarm began. */
  readonly batteryPercent?: number;
  /** With `event-gap`: the lost events. */
  readonly lost?: readonly LostEvents[];
}

/** Losses of a lock that a person has accepted: the gateway finds them again after each restart, and must not raise the alarm again. */
export interface AcceptedLoss {
  readonly lockId: LockId;
  readonly lost: readonly LostEvents[];
}

/** How many epochs of a lock are remembered. */
const mostEpochs = 8;

/** The union, each epoch once, the newest epochs last. */
export function joinLost(known: readonly LostEvents[], more: readonly LostEvents[]): readonly LostEvents[] {
  const highest = new Map(known.map(({ epoch, to }) => [epoch, to]));
  for (const { epoch, to } of more) {
    const before = highest.get(epoch) ?? 0;
    highest.delete(epoch);
    highest.set(epoch, Math.max(before, to));
  }
  return [...highest].map(([epoch, to]) => ({ epoch, to })).slice(-mostEpochs);
}

export function includesLost(known: readonly LostEvents[], { epoch, to }: LostEvents): boolean {
  return known.some((lost) => lost.epoch === epoch && lost.to >= to);
}

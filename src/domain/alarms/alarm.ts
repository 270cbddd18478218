// Alarms: what somebody should look at, from its beginning to its end. At most one of each kind stands for a lock, or for the gateway.
import type { LockId } from '../locks/lock.ts';

/** Of one lock. */
const lockAlarms = [
  'offline',
  'silent',
  'low-battery',
  'tampered',
  'duress',
  'jammed',
  'auto-lock-late',
  'wrong-clock',
  'event-gap',
] as const;
/** Of the gateway itself. */
const gatewayAlarms = ['clock-suspect', 'storage-unavailable', 'backup-failing'] as const;

export const alarmKinds = [...lockAlarms, ...gatewayAlarms] as const;
export type AlarmKind = (typeof alarmKinds)[number];

/** Their cause is over in an instant and nothing says that all is well again: they stand until a person has seen to it. */
const endedByPerson: readonly AlarmKind[] = ['tampered', 'duress', 'event-gap'];

export function endsByPerson(kind: AlarmKind): boolean {
  return endedByPerson.includes(kind);
}

/** Seqs of one epoch, up to `to`, that a lock has counted and the gateway will not get. */
export interface LostEvents {
  readonly epoch: string;
  readonly to: number;
}

export interface Alarm {
  readonly kind: AlarmKind;
  /** null: of the gateway itself. */
  readonly lockId: LockId | null;
  /** When it began, by the gateway's clock. */
  readonly since: number;
  /** What was seen, for people. */
  readonly reason: string;
  /** With `low-battery`: what the lock had said by then. */
  readonly batteryPercent?: number;
  /** With `event-gap`. */
  readonly lost?: readonly LostEvents[];
}

/** Of each lock, what a person knows to be lost: it is found again after each restart and no news then. */
export interface AcceptedLoss {
  readonly lockId: LockId;
  readonly lost: readonly LostEvents[];
}

/** As many epochs of a lock as are remembered. */
const mostEpochs = 8;

/** Both, each epoch once, the newest ones last. */
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

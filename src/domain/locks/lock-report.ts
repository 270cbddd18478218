// Everything a lock can tell the gateway of itself, already validated by its driver.
import type { LockSettings, OpenState } from './lock.ts';

/** A lock is online, and says this of itself. */
export interface HelloReport {
  readonly modelNum?: string;
  readonly hardwareRevision?: string;
  readonly firmwareRevision?: string;
  readonly featureValue?: string;
  readonly date?: number;
  readonly state?: OpenState;
  readonly battery?: number;
  readonly autoLockTime?: number;
  readonly settings?: Partial<LockSettings>;
  readonly cards?: { readonly count: number; readonly digest: string };
}

export interface StateReport {
  readonly state: OpenState;
  readonly date?: number;
}

/** Level is a percentage, 0 to 100. */
export interface BatteryReport {
  readonly level: number;
}

/** What a reply says of the lock; how the command ended is its outcome. */
export interface ReplyReport {
  readonly state?: OpenState;
  readonly battery?: number;
  /** With that to `get-status`. */
  readonly autoLockTime?: number;
  readonly settings?: Partial<LockSettings>;
}

/** Why something at the door was refused. */
export const refusalReasons = [
  'unknown-card',
  'wrong-passcode',
  'unknown-fingerprint',
  'not-valid-now',
  'schedule',
  'locked-out',
  'clock-not-set',
  'privacy-lock',
  'low-battery',
  'jammed',
  'busy',
] as const;

/** Something that happened at a door. */
export interface LockEvent {
  readonly seq: number;
  readonly type: string;
  readonly success?: boolean;
  /** Why it was refused: one of `refusalReasons`, or a word of the lock's own. */
  readonly reason?: string;
  readonly date?: number;
  readonly credential?: string;
  readonly username?: string;
  readonly commandId?: string;
}

export interface EventsReport {
  readonly epoch: string;
  readonly events: readonly LockEvent[];
}

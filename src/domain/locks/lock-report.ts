// Everything that a lock can report about itself, already validated by its driver.
import type { LockFeatures, LockSettings, OpenState } from './lock.ts';

/** What a lock reports about itself when it comes online. */
export interface HelloReport {
  /** Its state is only as last heard, see `StateReport`. */
  readonly isHistory?: boolean;
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
  readonly features?: LockFeatures;
  /** How far it has counted its events; what it has counted so far is not live, whenever it arrives. */
  readonly newestEvent?: { readonly epoch: string; readonly seq: number };
  /** Of a lock with the feature `credentials`: all that it holds. */
  readonly credentials?: { readonly count: number; readonly digest: string };
  /** Names the memory that holds them: under another name nothing in it is of before. */
  readonly memory?: string;
}

export interface StateReport {
  readonly state: OpenState;
  /** As last heard: it says what was, and makes nothing certain. A state that was heard in this session stays. */
  readonly isHistory?: boolean;
  readonly date?: number;
}

/** Level is a percentage, 0 to 100. */
export interface BatteryReport {
  readonly level: number;
}

/** What a reply says about the lock; the outcome of the command is separate. */
export interface ReplyReport {
  readonly state?: OpenState;
  readonly battery?: number;
  /** Only in the reply to `get-status`. */
  readonly autoLockTime?: number;
  readonly settings?: Partial<LockSettings>;
}

/** Why the lock refused something at the door. */
export const refusalReasons = [
  'unknown-card',
  'wrong-passcode',
  'unknown-fingerprint',
  'not-valid-now',
  'schedule',
  'used',
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
  /** Why the lock refused: one of `refusalReasons`, or a word of the lock's own. */
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

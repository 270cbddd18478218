// What moves in a lock and what moves it: bolt and motor, battery, auto lock timer, door sensor, privacy bolt. The bolt
// moves only through this file, whatever the cause.
import type { OpenState } from '../src/domain/locks/lock.ts';
import type { LockEvent } from '../src/domain/locks/lock-report.ts';
import { createBolt } from './bolt.ts';
import type { LockMemory } from './lock-memory.ts';
import type { LockProfile } from './lock-profile.ts';
import type { TimeSource } from './time-source.ts';

/** An event that has no seq and date yet. */
export type EventDraft = Omit<LockEvent, 'seq' | 'date' | 'success'>;

/** Why the bolt did not move (the words of Protocol 5.2). */
export type MoveRefusal = 'busy' | 'jammed' | 'low-battery' | 'privacy-lock';

interface Move {
  readonly target: OpenState;
  /** The event that the lock records for it. */
  readonly event: EventDraft;
  /** False: a person moves the bolt by hand, which needs no power. */
  readonly byMotor: boolean;
  /** Called once; undefined: the bolt has arrived. */
  readonly done: (refusal?: MoveRefusal) => void;
}

export interface LockMechanics {
  readonly state: OpenState;
  readonly moving: boolean;
  readonly doorOpen: boolean;
  /** Whole percent. */
  readonly batteryPercent: number;
  /** In this order: state report, battery report, `done` (the reply of a command), the event. */
  move(move: Move): void;
  /** Restarts the auto lock timer, if it must run: unlocked, door shut, passage mode off. */
  armAutoLock(): void;
  setBattery(percent: number): void;
  /** While the privacy bolt is out, nothing unlocks from outside. */
  setPrivacyBolt(out: boolean): void;
  /** An obstacle blocks the bolt until it is removed; `once`: it blocks only the next movement. */
  jam(on: boolean | 'once'): void;
  setDoor(open: boolean): void;
  halt(): void;
}

export interface LockMechanicsOptions {
  readonly profile: LockProfile;
  readonly memory: LockMemory;
  readonly time: TimeSource;
  /** The bolt begins to move. */
  readonly begins: (target: OpenState, event: EventDraft) => void;
  readonly reportState: () => void;
  readonly reportBattery: () => void;
  readonly record: (event: EventDraft, refusal?: string) => void;
}

/** Below this the motor does not start. */
const motorNeedsPercent = 5;
/** At this level and below the lock warns. */
const warnAtPercent = 20;

export function createLockMechanics(options: LockMechanicsOptions): LockMechanics {
  const { profile, memory, time, record } = options;
  const bolt = createBolt({ time, travelMs: profile.boltTravelMs, state: memory.contents.bolt });
  const wholePercent = (): number => Math.round(memory.contents.batteryPercent);
  let cancelAutoLock: (() => void) | undefined;
  let doorOpen = false;
  let privacyBolt = false;

  function armAutoLock(): void {
    cancelAutoLock?.();
    cancelAutoLock = undefined;
    const { autoLockSeconds, settings } = memory.contents;
    if (bolt.state === 'locked' || autoLockSeconds === 0 || settings.passageMode === 1 || doorOpen) return;
    cancelAutoLock = time.timer(autoLockSeconds * 1_000, () =>
      move({ target: 'locked', event: { type: 'auto-lock' }, byMotor: true, done: () => undefined }),
    );
  }

  function setBattery(percent: number): void {
    const before = wholePercent();
    memory.change({ batteryPercent: Math.min(100, Math.max(0, percent)) });
    if (wholePercent() !== before) options.reportBattery();
    if (before > warnAtPercent && wholePercent() <= warnAtPercent) record({ type: 'low-battery' });
  }

  function refusalOf({ target, byMotor }: Move): MoveRefusal | undefined {
    if (!byMotor) return undefined;
    if (memory.contents.batteryPercent < motorNeedsPercent) return 'low-battery';
    return target === 'unlocked' && privacyBolt ? 'privacy-lock' : undefined;
  }

  function move(wanted: Move): void {
    const { target, event, byMotor, done } = wanted;
    if (bolt.moving) {
      done('busy');
      return;
    }
    if (bolt.state === target) {
      armAutoLock();
      done();
      return;
    }
    const refusal = refusalOf(wanted);
    if (refusal !== undefined) {
      done(refusal);
      record(event, refusal);
      return;
    }
    if (!byMotor) privacyBolt = false;
    cancelAutoLock?.();
    options.begins(target, event);
    bolt.move(target, (arrived) => {
      if (arrived) {
        memory.change({ bolt: target });
        options.reportState();
      }
      if (byMotor) setBattery(memory.contents.batteryPercent - profile.batteryDrainPercent);
      done(arrived ? undefined : 'jammed');
      record(event, arrived ? undefined : 'jammed');
      if (!arrived) record({ type: 'jammed', reason: target === 'locked' ? 'lock' : 'unlock' });
      // The lock does not try a jammed auto lock again: it has sent the alarm, and a person has to look.
      if (arrived || event.type !== 'auto-lock') armAutoLock();
    });
  }

  armAutoLock(); // a lock that lost its power while open locks itself after it
  return {
    get state() {
      return bolt.state;
    },
    get moving() {
      return bolt.moving;
    },
    get doorOpen() {
      return doorOpen;
    },
    get batteryPercent() {
      return wholePercent();
    },
    move,
    armAutoLock,
    setBattery,
    setPrivacyBolt(out) {
      privacyBolt = out;
    },
    jam: (on) => bolt.jam(on),
    setDoor(open) {
      doorOpen = open;
      record({ type: open ? 'door-open' : 'door-close' });
      armAutoLock();
    },
    halt() {
      bolt.halt();
      cancelAutoLock?.();
    },
  };
}

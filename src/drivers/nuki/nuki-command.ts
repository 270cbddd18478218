// The command that is under way to a Nuki. It matches no answer to a command, so only what comes after a command, and fits, can end it.
import type { OpenState } from '../../domain/locks/lock.ts';
import type { CommandOutcome } from '../../domain/locks/lock-command.ts';
import type { Effect } from '../device-protocol.ts';
import { boltState, openStateOf, refusalOf, smallNumber } from './nuki-words.ts';

const action = { unlock: 1, lock: 2, unlatch: 3 } as const;
/** How long after a command the device may still tell of it. */
const reportedWithinMs = 30_000;
/** How long after a jam the answer to its command may still come. */
const jamAnsweredWithinMs = 2_000;
const nothing: readonly Effect[] = [];

interface UnderWay {
  readonly action: number;
  readonly wanted: OpenState;
  /** `commandResponse` was 0. */
  accepted: boolean;
  /** The latch was pulled since. */
  unlatched: boolean;
  /** The device has reported that it is about to do it. */
  isReported: boolean;
}

export interface NukiCommand {
  /** The number to send. */
  begin(wanted: OpenState, now: number): number;
  /** The bolt has this state now, a value of `state`. */
  bolt(heard: number, now: number): readonly Effect[];
  /** `commandResponse`. */
  response(text: string, now: number): readonly Effect[];
  /** Whether an action over MQTT that the device tells of is the last command. True once for each command. */
  isOurs(action: number, now: number): boolean;
  /** Nothing that comes from now on is its answer. If the device has reported it, nobody else says that the door was moved: that is an event. */
  drop(): readonly Effect[];
}

/** `allows`: the device allows lock actions over MQTT, or it does not. */
export function createNukiCommand(unlock: 'unlock' | 'unlatch', allows: (isAllowed: boolean) => readonly Effect[]): NukiCommand {
  let underWay: UnderWay | undefined;
  let unreported: { readonly action: number; readonly at: number } | undefined;
  let jamEndedAt = Number.NEGATIVE_INFINITY;
  let bolt: number | undefined;

  function end(outcome: CommandOutcome): readonly Effect[] {
    if (underWay === undefined) return nothing;
    underWay = undefined;
    return [{ kind: 'end', outcome }];
  }
  /** The bolt is where the command wanted it. An unlatch is done only when the latch was pulled, whatever the bolt. */
  function hasArrived({ action: sent, wanted, unlatched }: UnderWay): boolean {
    if (openStateOf(bolt) !== wanted) return false;
    return sent !== action.unlatch || unlatched || bolt === boltState.unlatched;
  }
  function confirm(): readonly Effect[] {
    return underWay?.accepted && hasArrived(underWay) ? end({ kind: 'ok', state: underWay.wanted }) : nothing;
  }

  return {
    begin(wanted, now) {
      const sent = wanted === 'locked' ? action.lock : action[unlock];
      underWay = { action: sent, wanted, accepted: false, unlatched: false, isReported: false };
      unreported = { action: sent, at: now };
      return sent;
    },

    bolt(heard, now) {
      bolt = heard;
      if (underWay === undefined) return nothing;
      if (heard === boltState.motorBlocked) {
        jamEndedAt = now;
        return end({ kind: 'refused', error: 'jammed', message: 'the motor is blocked' });
      }
      if (heard === boltState.uncalibrated || heard === boltState.bootRun) {
        return end({ kind: 'refused', error: 'not-calibrated', message: 'the lock does not know its position: calibrate it' });
      }
      if (heard === boltState.unlatching || heard === boltState.unlatched) underWay.unlatched = true;
      return confirm();
    },

    response(text, now) {
      const code = smallNumber(text);
      if (code === undefined || underWay === undefined) return nothing;
      if (code === 0) {
        underWay.accepted = true;
        return [...allows(true), ...confirm()];
      }
      const { error, message } = refusalOf(code);
      if (error === 'jammed' && now - jamEndedAt < jamAnsweredWithinMs) return nothing;
      return [...(error === 'remote-not-allowed' ? allows(false) : nothing), ...end({ kind: 'refused', error, message })];
    },

    isOurs(reported, now) {
      if (unreported?.action !== reported || now - unreported.at >= reportedWithinMs) return false;
      unreported = undefined;
      if (underWay !== undefined) underWay.isReported = true;
      return true;
    },

    drop() {
      const { isReported = false, wanted } = underWay ?? {};
      underWay = undefined;
      return isReported ? [{ kind: 'event', event: { type: wanted === 'locked' ? 'remote-lock' : 'remote-unlock' } }] : nothing;
    },
  };
}

// The lock or unlock that is under way over nuki_hub. The hub answers `ack` when it has taken a command, tries it over Bluetooth, and says only
// afterwards what has become of it.
import type { OpenState } from '../../domain/locks/lock.ts';
import type { CommandOutcome, Refusal } from '../../domain/locks/lock-command.ts';
import type { Effect } from '../device-protocol.ts';
import { openStateByWord, refusalByStatus } from './nuki-hub-words.ts';

const nothing: readonly Effect[] = [];

interface UnderWay {
  readonly wanted: OpenState;
  /** The hub has taken it, or has attempted it at least once. */
  begun: boolean;
  /** The hub has attempted it at least once. */
  attempted: boolean;
  /** The lock has said over Bluetooth that it has done it. */
  done: boolean;
  /** Where the bolt has been since. */
  state: OpenState | undefined;
}

export interface NukiHubCommand {
  /** The word to send. */
  begin(wanted: OpenState): string;
  /** What the hub writes to the topic on which it takes commands. */
  action(word: string): readonly Effect[];
  /** `commandResult`: of one attempt over Bluetooth. */
  result(word: string): readonly Effect[];
  /** `retry`: the number of the attempt that failed, or `failed` after the last. */
  retry(word: string): readonly Effect[];
  /** `completionStatus`; `isChange`: the hub publishes it only when it changes; else it may repeat what it said before. */
  completed(status: string, isChange: boolean): readonly Effect[];
  /** The bolt, as the lock itself has just said. */
  bolt(word: string): readonly Effect[];
  drop(): void;
}

export function createNukiHubCommand(options: {
  readonly unlock: 'unlock' | 'unlatch';
  /** The hub may do what we ask of it, or may not. */
  readonly allows: (isAllowed: boolean) => readonly Effect[];
  /** Whether the hub tells the lock's log, in which this command will be. */
  readonly hasLog: () => boolean;
}): NukiHubCommand {
  const { unlock, allows, hasLog } = options;
  let underWay: UnderWay | undefined;
  let before: string | undefined;

  function end(outcome: CommandOutcome): readonly Effect[] {
    if (underWay === undefined) return nothing;
    underWay = undefined;
    const isLogged = outcome.kind === 'ok' && hasLog();
    return [isLogged ? { kind: 'end', outcome, isLogged } : { kind: 'end', outcome }];
  }
  const refuse = (error: Refusal, message: string): readonly Effect[] => end({ kind: 'refused', error, message });
  function confirm(): readonly Effect[] {
    return underWay?.done && underWay.state === underWay.wanted ? end({ kind: 'ok', state: underWay.wanted }) : nothing;
  }

  return {
    begin(wanted) {
      underWay = { wanted, begun: false, attempted: false, done: false, state: undefined };
      return wanted === 'locked' ? 'lock' : unlock;
    },

    action(word) {
      if (underWay === undefined) return nothing;
      if (word === 'ack') {
        underWay.begun = true;
        return allows(true);
      }
      if (word === 'denied') {
        return [...allows(false), ...refuse('remote-not-allowed', 'nuki_hub does not allow this: switch it on in its access levels')];
      }
      return word === 'unknown_action' || word === 'error' ? refuse('failed', `nuki_hub says ${word}`) : nothing;
    },

    result(word) {
      if (underWay === undefined) return nothing;
      underWay.begun = true;
      underWay.attempted = true;
      if (word === 'timeOut') return end({ kind: 'no-reply' });
      if (word === 'notPaired') return refuse('failed', 'nuki_hub is paired with no lock');
      if (word !== 'success') return nothing;
      underWay.done = true;
      return confirm();
    },

    retry: (word) => (word === 'failed' ? end({ kind: 'no-reply' }) : nothing),

    completed(status, isChange) {
      const error = refusalByStatus.get(status);
      if (underWay === undefined || error === undefined) return nothing;
      const isOfThisCommand = isChange ? underWay.begun : underWay.attempted;
      return isOfThisCommand ? refuse(error, `the lock says ${status}`) : nothing;
    },

    bolt(word) {
      const isChange = word !== before;
      before = word;
      if (underWay === undefined) return nothing;
      // The hub tells the state at times of its own, too: as it was before the command, that is no answer.
      if (isChange || underWay.attempted) {
        if (word === 'motorBlocked') return refuse('jammed', 'the motor is blocked');
        if (word === 'uncalibrated' || word === 'bootRun') {
          return refuse('not-calibrated', 'the lock does not know its position: calibrate it');
        }
      }
      underWay.state = openStateByWord(word);
      return confirm();
    },

    drop() {
      underWay = undefined;
    },
  };
}

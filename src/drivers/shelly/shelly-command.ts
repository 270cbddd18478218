// The pulse or its end that is under way on a Shelly relay. Its answer carries our id, and the output must be seen to switch as well.
import type { OpenState } from '../../domain/locks/lock.ts';
import type { CommandOutcome } from '../../domain/locks/lock-command.ts';
import type { Effect } from '../device-protocol.ts';

const nothing: readonly Effect[] = [];

export interface ShellyCommand {
  begin(wanted: OpenState): void;
  /** The relay has done it; `wasOn`: its output before. */
  done(wasOn: boolean | undefined): readonly Effect[];
  failed(text: string): readonly Effect[];
  /** The output is this now. */
  output(isOn: boolean): readonly Effect[];
  /** Whether a switching over MQTT to this output is that of the last command. True once for each command. */
  isOurs(isOn: boolean): boolean;
  /** Nothing that comes from now on is its answer. If the device has reported it, nobody else says that it was switched: that is an event. */
  drop(): readonly Effect[];
}

export function createShellyCommand(): ShellyCommand {
  let underWay: { readonly wanted: boolean; isDone: boolean; hasSwitched: boolean; isReported: boolean } | undefined;
  let unreported: boolean | undefined;
  let output: boolean | undefined;

  function end(outcome: CommandOutcome): readonly Effect[] {
    underWay = undefined;
    return [{ kind: 'end', outcome }];
  }
  function confirm(): readonly Effect[] {
    if (!underWay?.isDone || !underWay.hasSwitched) return nothing;
    return end({ kind: 'ok', state: underWay.wanted ? 'unlocked' : 'locked' });
  }

  return {
    begin(wanted) {
      const isOn = wanted === 'unlocked';
      underWay = { wanted: isOn, isDone: false, hasSwitched: false, isReported: false };
      unreported = isOn;
    },

    done(wasOn) {
      if (underWay === undefined) return nothing;
      underWay.isDone = true;
      // A Shelly does not report again what was so before the command.
      if (wasOn === underWay.wanted && output === underWay.wanted) underWay.hasSwitched = true;
      return confirm();
    },

    failed(text) {
      unreported = undefined;
      return underWay === undefined ? nothing : end({ kind: 'refused', error: 'failed', message: text });
    },

    output(isOn) {
      output = isOn;
      if (underWay === undefined) return nothing;
      underWay.hasSwitched = isOn === underWay.wanted;
      return confirm();
    },

    isOurs(isOn) {
      const isIt = unreported === isOn;
      if (isIt) unreported = undefined;
      if (isIt && underWay !== undefined) underWay.isReported = true;
      return isIt;
    },

    drop() {
      const { isReported = false, wanted } = underWay ?? {};
      underWay = undefined;
      return isReported ? [{ kind: 'event', event: { type: wanted ? 'remote-unlock' : 'remote-lock' } }] : nothing;
    },
  };
}

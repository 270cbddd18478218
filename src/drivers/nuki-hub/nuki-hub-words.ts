// The words of nuki_hub for states and for why something did not happen.
import type { OpenState } from '../../domain/locks/lock.ts';
import type { Refusal } from '../../domain/locks/lock-command.ts';

const openStates: ReadonlyMap<string, OpenState> = new Map([
  ['locked', 'locked'],
  ['unlocked', 'unlocked'],
  ['unlatched', 'unlocked'],
  ['unlockedLnga', 'unlocked'],
]);

/** The open state that a word of `lock/state` means; undefined: the bolt moves, or nobody knows. */
export function openStateByWord(word: string): OpenState | undefined {
  return openStates.get(word);
}

/** Why a lock refused, by its `completionStatus`; absent: it did not refuse, or says no more than that it failed. */
export const refusalByStatus: ReadonlyMap<string, Refusal> = new Map([
  ['motorBlocked', 'jammed'],
  ['clutchFailure', 'jammed'],
  ['lowMotorVoltage', 'low-battery'],
  ['motorPowerFailure', 'low-battery'],
  ['busy', 'busy'],
  ['tooRecent', 'busy'],
  ['canceled', 'failed'],
  ['incompleteFailure', 'failed'],
  ['otherError', 'failed'],
]);

// A command to a lock behind Zigbee2MQTT while it is under way: what is sent, and what ends it. Zigbee2MQTT never says that a command has worked,
// and a lock that sleeps may get it later. So nothing is said twice, TOGGLE never, and what was to be done is read back.
import type { CommandOutcome, LockCommand } from '../../domain/locks/lock-command.ts';
import type { CommandRefusal, Effect } from '../device-protocol.ts';
import { radioOp } from './actions.ts';
import { listPins, putPin, removePin } from './pin-work.ts';
import type { Work, WorkSurroundings } from './under-way.ts';

/** Long enough for a lock that reports by itself; some never do (Wyze). */
const readBackMs = 2_500;

function ended(outcome: CommandOutcome): readonly Effect[] {
  return [{ kind: 'end', outcome }];
}

export function workFor(command: LockCommand, around: WorkSurroundings): Work | CommandRefusal {
  switch (command.op) {
    case 'lock':
    case 'unlock':
      return move(command.op, around);
    case 'get-status':
      return around.query ? status(around) : noWords('it cannot be asked for its state');
    case 'set-auto-lock':
      return around.autoLock ? autoLock(command.seconds, around) : noWords('it does not expose auto_relock_time');
    case 'put-passcode':
      return around.passcodes ? putPin(command, around) : noCodes;
    case 'remove-passcode':
      return around.passcodes ? removePin(command, around) : noCodes;
    case 'list-passcodes':
      return around.passcodes ? listPins(around) : noCodes;
    default:
      return noWords(`Zigbee2MQTT has no words for ${command.op}`);
  }
}

function noWords(message: string): CommandRefusal {
  return { refuse: 'not-supported', message };
}
const noCodes = noWords('it does not expose pin_code');

function move(op: 'lock' | 'unlock', { voice, query }: WorkSurroundings): Work {
  const wanted = op === 'lock' ? 'locked' : 'unlocked';
  const later: Effect = { kind: 'wake', afterMs: readBackMs };
  return {
    wanted,
    first: [voice.set({ state: op === 'lock' ? 'LOCK' : 'UNLOCK' }), ...(query ? [later] : [])],
    heard({ report, isFreshState }) {
      const arrived = isFreshState && report.state === wanted;
      return arrived || radioOp(report) === op ? ended({ kind: 'ok', state: wanted }) : [];
    },
    wake: () => [voice.get({ state: '' }), later],
    // The radio may have delivered it nevertheless.
    failed: ({ verb, key }) => (verb === 'set' && key === 'state' ? ended({ kind: 'no-reply' }) : []),
  };
}

function status({ voice }: WorkSurroundings): Work {
  return {
    first: [voice.get({ state: '' })],
    heard({ report: { state }, isFreshState }) {
      if (state === undefined) return [];
      return ended(isFreshState ? { kind: 'ok', state } : { kind: 'ok' });
    },
    wake: () => [],
    failed: ({ verb, key }) => (verb === 'get' && key === 'state' ? ended({ kind: 'no-reply' }) : []),
  };
}

/** Zigbee2MQTT publishes the time when the lock has taken it. */
function autoLock(seconds: number, { voice }: WorkSurroundings): Work {
  return {
    first: [voice.set({ auto_relock_time: seconds })],
    heard: ({ report, isFreshAutoLock }) => (isFreshAutoLock && report.autoLockSeconds === seconds ? ended({ kind: 'ok' }) : []),
    wake: () => [],
    failed: ({ verb, key }) => (verb === 'set' && key === 'auto_relock_time' ? ended({ kind: 'no-reply' }) : []),
  };
}

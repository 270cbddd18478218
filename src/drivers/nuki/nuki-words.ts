// What a Nuki says over its own MQTT: numbers as text (version 1.5 of its MQTT API, and before).
import type { OpenState } from '../../domain/locks/lock.ts';
import type { Refusal } from '../../domain/locks/lock-command.ts';
import type { LockEvent } from '../../domain/locks/lock-report.ts';

/** Values of the topic `state` that are of meaning here. */
export const boltState = {
  uncalibrated: 0,
  locked: 1,
  unlocked: 3,
  unlatched: 5,
  unlockedLockAndGo: 6,
  unlatching: 7,
  bootRun: 253,
  motorBlocked: 254,
} as const;

const openStates: ReadonlyMap<number, OpenState> = new Map([
  [boltState.locked, 'locked'],
  [boltState.unlocked, 'unlocked'],
  [boltState.unlatched, 'unlocked'],
  [boltState.unlockedLockAndGo, 'unlocked'],
]);

/** The open state that a value of `state` means; undefined: the bolt moves, or nobody knows. */
export function openStateOf(bolt: number | undefined): OpenState | undefined {
  return bolt === undefined ? undefined : openStates.get(bolt);
}

/** A number from 0 to 255 as the device writes it; undefined: it is none. */
export function smallNumber(text: string): number | undefined {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 256;
  return number > 255 ? undefined : number;
}

const refusals: readonly (readonly [Refusal, string, readonly number[]])[] = [
  ['remote-not-allowed', 'the lock does not allow this over MQTT: switch on Allow lock actions', [0x20, 0x25, 0x26, 0x27]],
  ['not-calibrated', 'the lock does not know its position: calibrate it', [0x41, 0x47]],
  ['jammed', 'the motor is blocked', [0x42, 0x43, 0x44, 0x48]],
  ['busy', 'the lock is busy', [0x45]],
  ['low-battery', 'the battery is too weak for the motor', [0x49, 0x4a, 0x4b, 0x4c]],
];

/** Why a command was refused, by the code of `commandResponse`, which is not 0. */
export function refusalOf(code: number): { readonly error: Refusal; readonly message: string } {
  const [error, message] = refusals.find(([, , codes]) => codes.includes(code)) ?? ['failed', ''];
  const sentence = message === '' ? 'the lock refused' : message;
  return { error, message: `${sentence} (code ${code})` };
}

/** Whether a value of `deviceType` is that of an Opener, whose states mean other things. */
export function isOpener(deviceType: string): boolean {
  return deviceType === '2';
}

/** A `lockActionEvent`: an action that is about to be executed. */
export interface LockAction {
  readonly action: number;
  /** Where it moves the bolt. */
  readonly wanted: OpenState;
  /** A command over MQTT has caused it. */
  readonly isCommand: boolean;
  readonly event: Omit<LockEvent, 'seq'>;
}

const ops: ReadonlyMap<number, 'lock' | 'unlock'> = new Map([
  [1, 'unlock'],
  [2, 'lock'],
  [3, 'unlock'],
  [4, 'unlock'],
  [5, 'unlock'],
  [6, 'lock'],
]);
const trigger = { manual: 1, button: 2, autoLock: 6, mqtt: 172 } as const;
const fingerprint = 2;

/** Reads `action,trigger,authId,codeId,context`; undefined: it is none, or nothing moves by it, such as a button without an action. */
export function lockActionOf(text: string): LockAction | undefined {
  const [, ...numbers] = /^(\d{1,3}),(\d{1,3}),(\d{1,10}),(\d{1,10}),(\d{1,3})$/.exec(text) ?? [];
  const [action = 0, by = 0, , codeId = 0, context = 0] = numbers.map(Number);
  const op = ops.get(action);
  if (op === undefined) return undefined;
  return { action, wanted: op === 'lock' ? 'locked' : 'unlocked', isCommand: by === trigger.mqtt, event: eventOf(op, by, codeId, context) };
}

function eventOf(op: 'lock' | 'unlock', by: number, codeId: number, context: number): Omit<LockEvent, 'seq'> {
  if (by === trigger.mqtt) return { type: `remote-${op}` };
  if (codeId === 0) return { type: typeBy(by, op) };
  return { type: `${context === fingerprint ? 'fingerprint' : 'passcode'}-${op}`, credential: `code ${codeId}` };
}

function typeBy(by: number, op: 'lock' | 'unlock'): string {
  if (by === trigger.manual || by === trigger.button) return `inside-${op}`;
  return by === trigger.autoLock && op === 'lock' ? 'auto-lock' : `phone-${op}`;
}

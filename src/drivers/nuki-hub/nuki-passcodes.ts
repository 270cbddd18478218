// The codes of a Nuki keypad, over nuki_hub. The hub answers each change with a result, and shows all codes some five seconds later: only then
// is it known which number the lock has given to a new one.
import type { CommandOutcome, PasscodeCommand, PasscodeListing, PasscodeOnLock } from '../../domain/locks/lock-command.ts';
import type { CommandRefusal, Effect } from '../device-protocol.ts';
import { decode } from '../payload.ts';
import type { NukiClock } from './nuki-clock.ts';
import { type KeypadCode, keypadCodes } from './nuki-hub-messages.ts';

/** How long after a change the hub may take to show all codes. */
const shownWithinMs = 8_000;
/** A code without an end ends then: the lock compares two dates or none. */
const noEnd = '2999-12-31 23:59:59';
const noStart = '2000-01-01 00:00:00';
/** What a Nuki keypad takes. */
export const nukiCode = /^(?!12)[1-9]{6}$/;
const nothing: readonly Effect[] = [];

interface UnderWay {
  readonly command: PasscodeCommand;
  /** The lock has said that it has done it. */
  done: boolean;
  /** The hub has shown since that it is not so. */
  isDenied: boolean;
}

export interface NukiPasscodes {
  begin(command: PasscodeCommand): readonly Effect[] | CommandRefusal;
  /** `keypad/commandResultJson`. */
  result(word: string, now: number): readonly Effect[];
  /** `keypad/json`. */
  listed(payload: Buffer): readonly Effect[];
  /** The hub has not shown the codes in time. */
  unseen(): readonly Effect[];
  drop(): void;
}

/** `topic`: `<base>/lock/`. `wait` asks for a call of `unseen` after that time. */
export function createNukiPasscodes(
  topic: string,
  clock: NukiClock,
  wait: (afterMs: number, now: number) => readonly Effect[],
): NukiPasscodes {
  let underWay: UnderWay | undefined;
  /** As the hub has shown them last on this connection. */
  let shown: readonly PasscodeOnLock[] | undefined;
  const askForAll: Effect = { kind: 'publish', topic: `${topic}query/keypad`, payload: '1' };

  function end(outcome: CommandOutcome): readonly Effect[] {
    underWay = undefined;
    return [{ kind: 'end', outcome }];
  }
  function act(members: object): readonly Effect[] {
    return [{ kind: 'publish', topic: `${topic}keypad/actionJson`, payload: JSON.stringify(members) }];
  }

  function put(command: Extract<PasscodeCommand, { op: 'put-passcode' }>): readonly Effect[] | CommandRefusal {
    const { code, name, reference, startDate, endDate } = command;
    if (!nukiCode.test(code)) return unsuitable('a Nuki keypad takes six digits from 1 to 9 that do not begin with 12');
    if (name === '' || Buffer.byteLength(name) > 20) return unsuitable('a Nuki keypad takes names of 1 to 20 bytes');
    if (reference === undefined && shown === undefined) {
      return { refuse: 'failed', message: 'nuki_hub does not show the codes of the keypad: switch on Publish keypad codes information' };
    }
    const isLimited = startDate !== 0 || endDate !== 0;
    const allowedFrom = startDate === 0 ? noStart : clock.textOf(startDate);
    const allowedUntil = endDate === 0 ? noEnd : clock.textOf(endDate);
    if (isLimited && (allowedFrom === undefined || allowedUntil === undefined)) {
      return { refuse: 'busy', message: 'the lock has not said yet what its clock shows' };
    }
    const limits = isLimited ? { timeLimited: '1', allowedFrom, allowedUntil } : { timeLimited: '0' };
    return reference === undefined
      ? act({ action: 'add', code, name, ...limits })
      : act({ action: 'update', codeId: reference, code, enabled: '1', name, ...limits });
  }

  /** Whether the codes show what the command wanted; undefined: they do not. */
  function seen({ command }: UnderWay, codes: readonly PasscodeOnLock[], before: readonly PasscodeOnLock[]): CommandOutcome | undefined {
    if (command.op === 'list-passcodes') return { kind: 'ok', passcodes: { passcodes: codes } satisfies PasscodeListing };
    if (command.op === 'remove-passcode') {
      const isGone = codes.every(({ reference }) => reference !== command.reference);
      return isGone ? { kind: 'ok', passcode: { reference: command.reference, proof: 'read-back' } } : undefined;
    }
    const isNew = ({ reference }: PasscodeOnLock) => before.every((known) => known.reference !== reference);
    const isIt = (found: PasscodeOnLock) => (command.reference === undefined ? isNew(found) : found.reference === command.reference);
    const found = codes.findLast(
      (one) => isIt(one) && one.name === command.name && (one.code ?? command.code) === command.code && hasDates(one, command),
    );
    if (found === undefined) return undefined;
    // A changed code that is not shown is only said to be another.
    const isProven = command.reference === undefined || found.code !== undefined;
    return { kind: 'ok', passcode: { reference: found.reference, proof: isProven ? 'read-back' : 'said' } };
  }

  return {
    begin(command) {
      const effects =
        command.op === 'list-passcodes'
          ? [askForAll]
          : command.op === 'put-passcode'
            ? put(command)
            : act({ action: 'delete', codeId: command.reference });
      if (!('refuse' in effects)) underWay = { command, done: command.op === 'list-passcodes', isDenied: false };
      return effects;
    },

    result(word, now) {
      if (underWay === undefined || underWay.done || word === 'working' || word === '--') return nothing;
      if (word === 'success') {
        underWay.done = true;
        return wait(shownWithinMs, now);
      }
      if (word === 'timeOut') return end({ kind: 'no-reply' });
      // The hub knows only the codes that it has shown: whether there is none is to be seen.
      if (word === 'noExistingCodeIdSet' && underWay.command.op === 'remove-passcode') {
        underWay.done = true;
        return [askForAll, ...wait(shownWithinMs, now)];
      }
      return end({ kind: 'refused', error: 'failed', message: `nuki_hub says ${word.slice(0, 64)}` });
    },

    listed(payload) {
      const decoded = decode(payload, keypadCodes);
      if (!decoded.ok) return nothing;
      const before = shown ?? [];
      shown = (decoded.value ?? []).map((code) => passcodeOf(code, clock));
      if (!underWay?.done) return nothing;
      const outcome = seen(underWay, shown, before);
      if (outcome !== undefined) return end(outcome);
      underWay.isDenied = true;
      return nothing;
    },

    unseen() {
      if (!underWay?.done || underWay.command.op === 'list-passcodes') return nothing;
      const { reference } = underWay.command;
      // Of a new code nobody has said the number, so nobody could remove it again.
      const isUnknown = reference === undefined || underWay.isDenied;
      return end(isUnknown ? { kind: 'no-reply' } : { kind: 'ok', passcode: { reference, proof: 'said' } });
    },

    drop() {
      underWay = undefined;
    },
  };
}

function unsuitable(message: string): CommandRefusal {
  return { refuse: 'not-supported', message };
}

function passcodeOf({ codeId, code, enabled, name, timeLimited, allowedFrom, allowedUntil }: KeypadCode, clock: NukiClock): PasscodeOnLock {
  const dates = timeLimited ? limitsOf(allowedFrom, allowedUntil, clock) : { startDate: 0, endDate: 0 };
  return {
    reference: String(codeId),
    ...(code !== undefined && { code: String(code) }),
    ...(enabled !== undefined && { isEnabled: enabled }),
    ...(name !== undefined && { name }),
    ...(timeLimited !== undefined && dates),
  };
}

function limitsOf(from = '', until = '', clock: NukiClock): { readonly startDate?: number; readonly endDate?: number } {
  const startDate = from === noStart ? 0 : clock.dateOf(from);
  const endDate = until === noEnd ? 0 : clock.dateOf(until);
  return { ...(startDate !== undefined && { startDate }), ...(endDate !== undefined && { endDate }) };
}

/** The lock's clock is known to the minute. */
function hasDates(found: PasscodeOnLock, { startDate, endDate }: { readonly startDate: number; readonly endDate: number }): boolean {
  const isSame = (shown: number | undefined, wanted: number) => shown === undefined || Math.abs(shown - wanted) <= 60_000;
  return isSame(found.startDate, startDate) && isSame(found.endDate, endDate);
}

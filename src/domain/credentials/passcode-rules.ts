// Which passcodes are good enough, and new ones that are.
import { DomainError, invalidParameter } from '../errors.ts';
import type { PasscodeForm } from '../locks/driver.ts';
import type { Lock } from '../locks/lock.ts';
import type { Secrets } from '../secrets.ts';
import type { CardId } from './card.ts';
import type { Entry } from './entry.ts';
import { isStranger } from './listed-card.ts';
import type { EntryLookUp } from './lock-entries.ts';

/** Fewest and most digits of a passcode at a lock. */
export type PasscodeDigits = readonly [fewest: number, most: number];

/** What the gateway takes, whatever a lock takes. */
export const anyPasscode: PasscodeDigits = [4, 9];
/** How many digits a made passcode has when nobody says. */
export const usualDigits = 6;

/** What the gateway, this lock and locks of its kind all take. */
export function passcodeDigitsOf({ features }: Pick<Lock, 'features'>, form?: PasscodeForm): PasscodeDigits {
  const [fewest, most] = features?.limits.passcodeDigits ?? form?.digits ?? anyPasscode;
  return [Math.max(fewest, anyPasscode[0]), Math.min(most, anyPasscode[1])];
}

/** One digit again and again, or digits that rise or fall one by one (not over 9 to 0). */
export function isWeakPasscode(code: string): boolean {
  const steps = Array.from(code.slice(1), (digit, at) => Number(digit) - Number(code[at]));
  const [first = 0] = steps;
  return Math.abs(first) <= 1 && steps.every((step) => step === first);
}

/** Throws `passcode-weak`, or `invalid-parameter` when the lock cannot take it. `code`: digits. */
export function requireGoodPasscode(code: string, [fewest, most]: PasscodeDigits, form?: PasscodeForm): void {
  if (code.length > most) throw invalidParameter('keyboardPwd', `must have at most ${most} digits at this lock`);
  if (code.length < fewest) throw new DomainError('passcode-weak', `this lock takes passcodes of at least ${fewest} digits`);
  if (isWeakPasscode(code)) throw new DomainError('passcode-weak', 'a passcode of one digit, or of digits in a row, is easily guessed');
  if (form?.pattern.test(code) === false) throw invalidParameter('keyboardPwd', `${form.rule} at this lock`);
}

/** How many digits a made passcode has. Throws `invalid-parameter` when the lock does not take as many as somebody wants. */
export function digitsFor(wanted: number | undefined, [fewest, most]: PasscodeDigits): number {
  if (wanted === undefined) return Math.min(Math.max(usualDigits, fewest), most);
  if (wanted < fewest || wanted > most) throw invalidParameter('digits', `must be between ${fewest} and ${most} at this lock`);
  return wanted;
}

/** A passcode that nobody can foresee: every one that is not weak, and that the lock takes, is as likely as any other. */
export function newPasscode(secrets: Pick<Secrets, 'newDigits'>, digits: number, form?: PasscodeForm): string {
  for (;;) {
    const code = secrets.newDigits(digits);
    if (!isWeakPasscode(code) && form?.pattern.test(code) !== false) return code;
  }
}

/** The entry of the passcode with that id. Throws `not-found` when this lock has none that people know. */
export function passcodeWithId(current: EntryLookUp, passcodeId: CardId): Entry {
  const entry = current.byId(passcodeId);
  if (entry === undefined || entry.kind !== 'passcode' || isStranger(entry)) {
    throw new DomainError('not-found', `there is no passcode ${passcodeId} on this lock`);
  }
  return entry;
}

/** So long the gateway remembers codes that were used or are over, for events that come late. */
const rememberedMs = 7 * 86_400_000;

/** Whether the lock has it, or may have it. */
export function isHeld({ held }: Entry): boolean {
  return held !== null && !(held.sure && held.window === null);
}

/** Neither wanted by anybody nor on the lock. */
export function isNothing(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.direct === null && entry.credentialId === null && !isHeld(entry) && !entry.missing;
}

/** Throws `passcode-exists` without saying whose it is. */
export function refuseTaken(current: EntryLookUp, code: string, except?: CardId): void {
  const known = current.byNumber('passcode', code);
  if (known !== undefined && known.entryId !== except) throw new DomainError('passcode-exists', 'that passcode is taken: choose another');
}

/** A code that is not on the lock any more, and that nobody wants there: it was used, or its time is over, for long. */
export function isForgotten(entry: Entry | undefined, now: number): boolean {
  if (entry === undefined || entry.kind !== 'passcode' || entry.credentialId !== null || entry.held !== null || entry.missing) return false;
  const isOver = entry.used ? entry.createdAt : (entry.direct?.endDate ?? 0);
  return isOver !== 0 && isOver + rememberedMs < now;
}

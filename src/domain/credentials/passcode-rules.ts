// Which passcodes are good enough, and new ones that are.
import { DomainError, invalidParameter } from '../errors.ts';
import type { Lock } from '../locks/lock.ts';
import type { Secrets } from '../secrets.ts';

/** Fewest and most digits of a passcode at a lock. */
export type PasscodeDigits = readonly [fewest: number, most: number];

/** What the gateway takes, whatever a lock takes. */
export const anyPasscode: PasscodeDigits = [4, 9];
/** How many digits a made passcode has when nobody says. */
export const usualDigits = 6;

/** What both the gateway and this lock take; of a lock that does not say, what the gateway takes. */
export function passcodeDigitsOf({ features }: Pick<Lock, 'features'>): PasscodeDigits {
  const [fewest, most] = features?.limits.passcodeDigits ?? anyPasscode;
  return [Math.max(fewest, anyPasscode[0]), Math.min(most, anyPasscode[1])];
}

/** One digit again and again, or digits that rise or fall one by one (not over 9 to 0). */
export function isWeakPasscode(code: string): boolean {
  const steps = Array.from(code.slice(1), (digit, at) => Number(digit) - Number(code[at]));
  const [first = 0] = steps;
  return Math.abs(first) <= 1 && steps.every((step) => step === first);
}

/** Throws `passcode-weak`, or `invalid-parameter` when it is longer than the lock takes. `code`: digits. */
export function requireGoodPasscode(code: string, [fewest, most]: PasscodeDigits): void {
  if (code.length > most) throw invalidParameter('keyboardPwd', `must have at most ${most} digits at this lock`);
  if (code.length < fewest) throw new DomainError('passcode-weak', `this lock takes passcodes of at least ${fewest} digits`);
  if (isWeakPasscode(code)) throw new DomainError('passcode-weak', 'a passcode of one digit, or of digits in a row, is easily guessed');
}

/** How many digits a made passcode has. Throws `invalid-parameter` when the lock does not take as many as somebody wants. */
export function digitsFor(wanted: number | undefined, [fewest, most]: PasscodeDigits): number {
  if (wanted === undefined) return Math.min(Math.max(usualDigits, fewest), most);
  if (wanted < fewest || wanted > most) throw invalidParameter('digits', `must be between ${fewest} and ${most} at this lock`);
  return wanted;
}

/** A passcode that nobody can foresee: every one that is not weak is as likely as any other. */
export function newPasscode(secrets: Pick<Secrets, 'newDigits'>, digits: number): string {
  for (;;) {
    const code = secrets.newDigits(digits);
    if (!isWeakPasscode(code)) return code;
  }
}

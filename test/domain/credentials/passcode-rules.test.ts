import { describe, expect, it } from '@jest/globals';
import {
  digitsFor,
  isWeakPasscode,
  newPasscode,
  passcodeDigitsOf,
  requireGoodPasscode,
} from '../../../src/domain/credentials/passcode-rules.ts';
import { codeOf } from '../../support/domain.ts';

/** Every code of so many digits that is weak, written down one by one. */
function weakOf(digits: number): Set<string> {
  const upwards = '0123456789';
  const downwards = '9876543210';
  const weak = [...upwards].map((digit) => digit.repeat(digits));
  for (let from = 0; from + digits <= 10; from++) {
    weak.push(upwards.slice(from, from + digits), downwards.slice(from, from + digits));
  }
  return new Set(weak);
}

describe('a weak passcode', () => {
  it.each([4, 5])('is one digit, or a run up or down that does not go over 9 to 0: of all with %d digits', (digits) => {
    const weak = weakOf(digits);
    for (let value = 0; value < 10 ** digits; value++) {
      const code = String(value).padStart(digits, '0');
      if (isWeakPasscode(code) !== weak.has(code)) throw new Error(`${code} is ${weak.has(code) ? '' : 'not '}weak`);
    }
  });

  it.each(['123456789', '987654321', '012345678', '000000000', '777777'])('may be longer: %s', (code) => {
    expect(isWeakPasscode(code)).toBe(true);
  });

  it.each(['7890', '8901', '1098', '1357', '1122', '123457', '0042', '1235'])('is not %s', (code) => {
    expect(isWeakPasscode(code)).toBe(false);
  });

  it('is refused, as is one with fewer digits than the lock takes; more than it takes are no passcode', async () => {
    expect(await codeOf(() => requireGoodPasscode('1234', [4, 9]))).toBe('passcode-weak');
    expect(await codeOf(() => requireGoodPasscode('48291', [6, 8]))).toBe('passcode-weak');
    expect(await codeOf(() => requireGoodPasscode('482913570', [6, 8]))).toBe('invalid-parameter');
    expect(await codeOf(() => requireGoodPasscode('482913', [6, 8]))).toBe('done');
  });

  it('is in no message about it', () => {
    expect(() => requireGoodPasscode('4444', [4, 9])).toThrow(expect.not.objectContaining({ message: expect.stringContaining('4444') }));
  });
});

describe('the digits of a lock', () => {
  const limits = (passcodeDigits: readonly [number, number]) => ({ features: { features: [], limits: { passcodeDigits } } });

  it('are those that it and the gateway take', () => {
    expect(passcodeDigitsOf({})).toEqual([4, 9]);
    expect(passcodeDigitsOf(limits([6, 6]))).toEqual([6, 6]);
    expect(passcodeDigitsOf(limits([2, 12]))).toEqual([4, 9]);
  });

  it('are six of a made passcode, or as near as the lock takes', async () => {
    expect(digitsFor(undefined, [4, 9])).toBe(6);
    expect(digitsFor(undefined, [7, 9])).toBe(7);
    expect(digitsFor(undefined, [4, 5])).toBe(5);
    expect(digitsFor(8, [4, 9])).toBe(8);
    expect(await codeOf(() => digitsFor(4, [5, 9]))).toBe('invalid-parameter');
    expect(await codeOf(() => digitsFor(9, [5, 8]))).toBe('invalid-parameter');
  });
});

it('a made passcode is never weak, and each other one is as likely', () => {
  // Every code of four digits once: what is not weak must come out once, in its turn.
  let next = 0;
  const secrets = { newDigits: (count: number) => String(next++).padStart(count, '0') };
  const made: string[] = [];
  while (next < 9_999) made.push(newPasscode(secrets, 4));
  const weak = weakOf(4);
  expect(made.some((code) => weak.has(code))).toBe(false);
  expect(new Set(made).size).toBe(10_000 - weak.size);
});

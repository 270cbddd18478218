// The vocabulary of values that clients send: integers in decimal digits, names, MAC addresses. zod only ever matches, never coerces.
import { z } from 'zod';
import { greatestCardNumber } from '../../domain/credentials/card.ts';
import { deviceIdOf } from '../../domain/locks/lock.ts';

const greatest = Number.MAX_SAFE_INTEGER;

function rangeMessage(min: number, max: number): string {
  if (max < greatest) return max - min === 1 ? `must be ${min} or ${max}` : `must be between ${min} and ${max}`;
  return `must be ${min === 1 ? 'a positive integer' : 'an integer, not negative and'} not above ${greatest}`;
}

/** An integer in a JSON body, `min` to `max`. */
export function wholeNumber(min: number, max: number) {
  const error = rangeMessage(min, max);
  return z.int({ error }).min(min, error).max(max, error);
}

/**
 * An integer in a query string or path: plain decimal digits, then converted, then `min` to `max` (HTTP API 1.1).
 * Refuses what Number() would accept: "", blanks, 1e3, 1.0, 0x10, and anything beyond 2^53-1.
 */
export function integer(min = 1, max = greatest) {
  return z
    .string()
    .regex(/^-?\d+$/, 'must be an integer in plain decimal digits')
    .transform((digits) => Number(digits) + 0) // -0 becomes 0
    .pipe(wholeNumber(min, max));
}

/** A positive integer that identifies something; `Id` is its branded type. */
export function id<Id extends number>() {
  return integer() as unknown as z.ZodType<Id, string>;
}

/** Epoch milliseconds, not negative, within the range of a Date (ECMA-262 21.4.1.1). */
export const millis = integer(0, 8.64e15);

/** 1: a phone has already done it on the lock. 2: the gateway does it (Specification 4.2 rule 1). */
export const via = integer(1, 2).transform((type) => (type === 1 ? ('phone' as const) : ('gateway' as const)));

function textProblem(value: string, min: number, max: number, controlCharacters: 'refused' | 'allowed'): string | undefined {
  if (!value.isWellFormed()) return 'must be well-formed Unicode';
  if (controlCharacters === 'refused' && /\p{Cc}/u.test(value)) return 'must not contain control characters';
  const length = value.length > max * 2 ? value.length : [...value].length;
  if (length >= min && length <= max) return undefined;
  return min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`;
}

/** Control characters, written for a character class, so that the pattern means the same in every language and without flags. */
const controls = '\\u0000-\\u001f\\u007f-\\u009f';

function without(...classes: readonly string[]): string {
  return `^[^${classes.join('')}]*$`;
}

/** Text of `min` to `max` code points, well-formed, without control characters unless they are allowed. */
export function text(min: number, max: number, controlCharacters: 'refused' | 'allowed' = 'refused') {
  const documented = {
    ...(min > 0 && { minLength: min }),
    maxLength: max,
    ...(controlCharacters === 'refused' && { pattern: without(controls) }),
  };
  return z
    .string({ error: 'must be a string' })
    .check((context) => {
      const message = textProblem(context.value, min, max, controlCharacters);
      if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value });
    })
    .meta(documented);
}

/** The name of a token, a card or a hub. */
export const name = text(1, 64);

/** The name of a lock. The services refuse text direction marks in a new name; a lock that already has some keeps its name. */
export const lockName = name.meta({ ...name.meta(), pattern: without(controls, '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069') });

/** A card number: 1 to 20 decimal digits of a number that fits in 8 bytes (HTTP API 6.2). It stays text. */
export const cardNumber = z
  .string()
  .regex(/^\d{1,20}$/, { error: 'must be 1 to 20 decimal digits', abort: true })
  .refine((digits) => BigInt(digits) <= greatestCardNumber, `must not be above ${greatestCardNumber} (8 bytes)`);

/** The name of an account. */
export const username = z
  .string({ error: 'must be a string' })
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/, 'must be 1 to 64 letters, digits or . _ @ -, starting with a letter or digit');

const macPattern = '^(?:[0-9A-Fa-f]{12}|[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5})$';

/** A MAC address in any usual spelling, as a deviceId (HTTP API 8.1). */
export const mac = z
  .string({ error: 'must be a string' })
  .meta({ pattern: macPattern, examples: ['A4:C1:38:7F:02:E9'] })
  .transform((spelling, context) => {
    const deviceId = deviceIdOf(spelling);
    if (deviceId !== undefined) return deviceId;
    context.addIssue('must be a MAC address such as A4:C1:38:7F:02:E9');
    return z.NEVER;
  });

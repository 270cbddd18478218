// How the card reader and the keypad of a simulated lock decide about a card or passcode.
import { findCard, seenByReader } from './card-memory.ts';
import { type CredentialKey, findPasscode } from './credential-memory.ts';
import type { MemoryContents } from './lock-memory.ts';
import type { LockProfile } from './lock-profile.ts';
import { refusalAt, type Window } from './weekly-hours.ts';

/** The result of an action at the door; `reason` when the lock did not do it. */
export interface DoorResult {
  readonly done: boolean;
  readonly reason?: string;
}

/** The card or passcode, as the lock's events name it, and, if the lock stays shut, why. */
export interface Shown {
  /** Absent: the event does not name it. */
  readonly credential?: string;
  readonly refusal?: string;
  /** It is used up by this. */
  readonly once?: CredentialKey;
}

/** `cardNumber` is printed on the card; the reader sees it in its own byte order. Throws when no card can have this number. */
export function judgeCard(cardNumber: string, contents: MemoryContents, profile: LockProfile, now: number | undefined): Shown {
  if (!/^[0-9]{1,20}$/.test(cardNumber) || BigInt(cardNumber) >= 2n ** 64n)
    throw new Error('a card number is 1 to 20 digits, at most 18446744073709551615');
  const number = seenByReader(cardNumber, profile.byteOrder);
  const card = findCard(contents.cards, number);
  if (card !== undefined) return judge({ kind: 'card', number }, card, contents, now);
  return { credential: number, refusal: isUsed(contents, { kind: 'card', number }) ? 'used' : 'unknown-card' };
}

/** Throws when no keypad can enter it. */
export function judgePasscode(number: string, contents: MemoryContents, profile: LockProfile, now: number | undefined): Shown {
  if (!/^[0-9]{1,64}$/.test(number)) throw new Error('a keypad has digits only');
  const isNew = profile.features.includes('credentials');
  const known = findPasscode(contents.passcodes, number);
  if (known !== undefined) return judge({ kind: 'passcode', number }, known, contents, now);
  // A memory file from before passcodes were in it.
  if (!isNew && profile.passcodes.includes(number)) return { credential: number };
  if (isUsed(contents, { kind: 'passcode', number })) return { credential: number, refusal: 'used' };
  // A slip of the finger is one digit beside somebody's code (Protocol 4.4).
  return isNew ? { refusal: 'wrong-passcode' } : { credential: number, refusal: 'wrong-passcode' };
}

function judge(key: CredentialKey, window: Window & { readonly once?: true }, contents: MemoryContents, now: number | undefined): Shown {
  const refusal = refusalAt(window, now, contents.calendar, contents.timezoneRawOffset);
  if (refusal !== undefined) return { credential: key.number, refusal };
  return { credential: key.number, ...(window.once === true && { once: key }) };
}

function isUsed({ used }: MemoryContents, { kind, number }: CredentialKey): boolean {
  return used.some((one) => one.kind === kind && one.number === number);
}

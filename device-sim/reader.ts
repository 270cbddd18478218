// How the card reader and the keypad of a simulated lock decide about a card or passcode.
import type { CardOnLock } from '../src/domain/credentials/card.ts';
import { admits, findCard, seenByReader } from './card-memory.ts';
import type { LockProfile } from './lock-profile.ts';

/** The result of an action at the door; `reason` when the lock did not do it. */
export interface DoorResult {
  readonly done: boolean;
  readonly reason?: string;
}

/** The card or passcode, as the lock's events name it, and, if the lock stays shut, why. */
export interface Shown {
  readonly credential: string;
  readonly refusal?: string;
}

/** `cardNumber` is printed on the card; the reader sees it in its own byte order. Throws when no card can have this number. */
export function judgeCard(cardNumber: string, cards: readonly CardOnLock[], profile: LockProfile, now: number | undefined): Shown {
  if (!/^[0-9]{1,20}$/.test(cardNumber) || BigInt(cardNumber) >= 2n ** 64n)
    throw new Error('a card number is 1 to 20 digits, at most 18446744073709551615');
  const credential = seenByReader(cardNumber, profile.byteOrder);
  const card = findCard(cards, credential);
  if (card === undefined) return { credential, refusal: 'unknown-card' };
  if (admits(card, now)) return { credential };
  return { credential, refusal: now === undefined ? 'clock-not-set' : 'not-valid-now' };
}

/** Throws when no keypad can enter it. */
export function judgePasscode(code: string, profile: LockProfile): Shown {
  if (!/^[0-9]{1,64}$/.test(code)) throw new Error('a keypad has digits only');
  return profile.passcodes.includes(code) ? { credential: code } : { credential: code, refusal: 'wrong-passcode' };
}

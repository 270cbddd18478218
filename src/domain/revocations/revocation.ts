// A credential that was reported lost, and for each lock the proof that it is dead there, or why not and what to do.
import type { Basis, CredentialKind } from '../credentials/entry.ts';
import type { LockId } from '../locks/lock.ts';
import type { CredentialId, PersonId } from '../people/person.ts';

declare const revocationIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type RevocationId = number & { readonly [revocationIdBrand]: true };

export interface Revocation {
  readonly revocationId: RevocationId;
  /** null: a card that belongs to no person. */
  readonly credentialId: CredentialId | null;
  readonly personId: PersonId | null;
  readonly kind: CredentialKind;
  /** Of a card: every number under which a reader may know it, its own first. Of a passcode: none, it is in no file of this kind. */
  readonly numbers: readonly string[];
  readonly lostDate: number;
  readonly reason: string;
  /** Username, as it was then. */
  readonly by: string;
  /** The locks that knew it then. */
  readonly lockIds: readonly LockId[];
  /** Since when it is surely dead at each lock; null: it is not. */
  readonly certainDate: number | null;
  /** When a person had it back; null: it is still lost. */
  readonly foundDate: number | null;
}

/** What is known of a lost credential at one lock. */
export type RevokedState =
  /** The lock has answered, listed or summed up since that it does not hold it. */
  | 'gone'
  /** It was wanted there, and was never placed. */
  | 'never'
  /** Its validity is over, and the lock knows what time it is. */
  | 'ended'
  | 'removing'
  | 'offline'
  /** The lock refuses, or forgets what it is sent. */
  | 'failed'
  /** A phone is said to have removed it. */
  | 'reported'
  /** The lock was removed or reset while it held it. */
  | 'unknown';

export interface RevocationProof {
  readonly basis: Basis | 'validity';
  /** When it was proven. */
  readonly date: number;
  readonly commandId?: string;
}

export interface LockRevocation {
  readonly lockId: LockId;
  readonly state: RevokedState;
  /** With gone and ended. */
  readonly proof: RevocationProof | null;
  /** With offline: when the lock was heard last; null: never, or it is online. */
  readonly since: number | null;
  /** With offline: when the credential was last used there, as far as the newest records tell. */
  readonly lastSwipe: number | null;
  /** While it is not dead: until when the lock opens for it; null: without end. */
  readonly admitsUntil: number | null;
  readonly electricQuantity: number | null;
  /** What a person can do, the best first. */
  readonly advice: readonly string[];
}

export interface RevocationReport {
  readonly revocation: Revocation;
  /** It is dead at every lock. */
  readonly certain: boolean;
  /** How many locks held it, by whether it is dead there. */
  readonly doors: { readonly dead: number; readonly open: number };
  /** By lockId, those on which the caller is manager. */
  readonly locks: readonly LockRevocation[];
  /** How many others there are. */
  readonly hiddenLocks: number;
}

const deadStates: ReadonlySet<RevokedState> = new Set(['gone', 'ended', 'never']);

export function isDead({ state }: Pick<LockRevocation, 'state'>): boolean {
  return deadStates.has(state);
}

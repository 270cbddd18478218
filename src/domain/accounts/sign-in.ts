// A sign-in: the session of a browser, and what signed it in.
import type { AccountId } from './account.ts';

/** What a browser signed in with; `handover`: another browser that was signed in did it. */
export type SignInMethod = 'token' | 'password' | 'passkey' | 'handover';

/** The session of a browser, as it is stored. */
export interface SignIn {
  /** SHA-256 of its secret, which only the browser has. */
  readonly hash: string;
  /** What people see of it. */
  readonly sessionId: string;
  readonly accountId: AccountId;
  readonly method: SignInMethod;
  /** The token that it goes back to, be it by a handover, and ends with; null: a password or passkey. */
  readonly tokenId: number | null;
  /** The passkey that it goes back to and ends with; null with `tokenId` null: the password. */
  readonly passkeyId: number | null;
  /** It lasts for 30 days; else it ends 12 hours after its last use. */
  readonly stay: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** As the disk has it: a few minutes old. */
  readonly lastUsedAt: number;
  /** When it ends at the latest. */
  readonly expiresAt: number;
  /** Where the browser was when it signed in, and what it said that it is ("": nothing). */
  readonly address: string;
  readonly agent: string;
}

/** A sign-in ends after this time, whether it is used or not. */
export const signInMs = 30 * 86_400_000;
/** Without `stay` it ends so long after its last use. */
export const idleMs = 12 * 3_600_000;

/** What a new sign-in goes back to, and how long the person wants it. */
export type NewSignIn = Pick<SignIn, 'method' | 'tokenId' | 'passkeyId' | 'stay' | 'agent'>;

/** A password as it is stored. */
export interface StoredPassword {
  readonly accountId: AccountId;
  /** Salt, cost and hash, as the hashing wrote them. */
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly setAt: number;
}

/** A passkey: the public half of a key pair that a device of the person keeps. */
export interface Passkey {
  /** Never given twice. */
  readonly passkeyId: number;
  readonly accountId: AccountId;
  readonly name: string;
  /** The host name that it is for. */
  readonly host: string;
  /** Its id at the authenticator, base64url. */
  readonly credentialId: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  /** How often it was used, as the authenticator counts; 0: it does not count. */
  readonly counter: number;
  /** How a browser reaches the authenticator (WebAuthn level 3, 5.8.4). */
  readonly transports: readonly string[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** Lets somebody choose the password of an account, once. */
export interface Invitation {
  readonly accountId: AccountId;
  /** SHA-256 of its secret. */
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

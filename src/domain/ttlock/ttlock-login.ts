// A TTLock login: with what a program that speaks the API of TTLock's cloud logs in here, as an ordinary account. People choose none of its
// secrets, because such programs send an MD5 in place of the password, and no slow hash would save a weak one.
import type { AccountId } from '../accounts/account.ts';

export interface TtlockLogin {
  /** Never given twice. */
  readonly loginId: number;
  /** It may what this account may, logs in with the name of it, and ends with it. */
  readonly accountId: AccountId;
  readonly name: string;
  /** 32 hex digits. */
  readonly clientId: string;
  /** SHA-256 of the client secret, which is 32 hex digits. */
  readonly secretHash: string;
  /** SHA-256 of the lower-case MD5 of the password, which is 20 letters and digits. */
  readonly passwordHash: string;
  /** Where its records are sent; null: nowhere. */
  readonly callback: string | null;
  readonly createdAt: number;
}

export interface NewTtlockLogin {
  readonly username: string;
  readonly name: string;
  /** Absent: none. */
  readonly callback?: string;
}

/** `callback` null: nothing is sent any more. */
export type TtlockLoginChanges = Partial<Pick<TtlockLogin, 'name' | 'callback'>>;

/** A new password, which is shown only once. */
export interface IssuedTtlockPassword {
  readonly loginId: number;
  readonly password: string;
}

/** The secrets of a new login, which are shown only once. */
export interface IssuedTtlockLogin extends IssuedTtlockPassword {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface TtlockLoginView {
  readonly login: TtlockLogin;
  readonly username: string;
  /** Epoch milliseconds; null: never. */
  readonly lastUsedAt: number | null;
}

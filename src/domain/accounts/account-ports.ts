// The ports for accounts, their tokens, and sign-ins.

import type { Account, AccountId, AccountRights, Token } from './account.ts';
import type { LocalAccountView } from './account-book.ts';

/** Each account and each token is written by itself. */
export interface AccountStore extends LocalAccountView {
  /** Rejects with `conflict` when the name is taken. */
  add(account: Account): Promise<void>;
  /**
   * Gives an account other rights; resolves with it. Rejects with `not-found`. When it has fewer rights than before, it emits `access-ended`,
   * too.
   */
  setRights(accountId: AccountId, rights: AccountRights): Promise<Account>;
  /** Removes an account with its tokens, and remembers its name; beyond 10,000 names the oldest is forgotten. Rejects with `not-found`. */
  remove(accountId: AccountId, removedAt: number): Promise<void>;
  /** Forgets the names of accounts that were removed until then. */
  forgetRemoved(until: number): Promise<void>;
  /** Rejects with `not-found` when its account does not exist. */
  addToken(token: Token): Promise<void>;
  /** Resolves with the tokens that still existed. */
  removeTokens(tokenIds: readonly number[]): Promise<readonly Token[]>;
}

/** A browser that stays signed in to the console. */
export interface SignIn {
  /** SHA-256 of its secret, which only the browser has. */
  readonly hash: string;
  /** The token that it stands for. */
  readonly tokenId: number;
  readonly accountId: AccountId;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface SignInStore {
  /** The stored sign-ins, the oldest first. Rejects with `storage-unavailable`. */
  all(): Promise<readonly SignIn[]>;
  /** `storage-unavailable`. */
  keep(signIn: SignIn): Promise<void>;
  /** Deletes sign-ins; unknown ones have ended already. Rejects with `storage-unavailable`: they are still stored. */
  end(hashes: readonly string[]): Promise<void>;
}

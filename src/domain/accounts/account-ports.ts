// The ports for accounts, their tokens, and who stays signed in.

import type { Account, AccountId, Token } from './account.ts';
import type { AccountReader } from './account-book.ts';

/** What is read of accounts and tokens is a local view, which follows every change: each request asks it. They are written one by one. */
export interface AccountStore extends AccountReader {
  /** `conflict` when the name is taken. */
  add(account: Account): Promise<void>;
  /** With its tokens. Its name is remembered from this moment on; of 10,000 names the oldest gives way. `not-found`. */
  remove(accountId: AccountId, removedAt: number): Promise<void>;
  /** Forgets the names of those that were removed until then. */
  forgetRemoved(until: number): Promise<void>;
  /** `not-found` when its account is not there. */
  addToken(token: Token): Promise<void>;
  /** Resolves with those that were still there. */
  removeTokens(tokenIds: readonly number[]): Promise<readonly Token[]>;
}

/** A browser that stays signed in to the console. */
export interface SignIn {
  /** SHA-256 of its secret, which nobody else has. */
  readonly hash: string;
  /** Of the token that it stands for. */
  readonly tokenId: number;
  readonly accountId: AccountId;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface SignInStore {
  /** Those that are stored, the oldest first. `storage-unavailable`. */
  all(): Promise<readonly SignIn[]>;
  /** `storage-unavailable`. */
  keep(signIn: SignIn): Promise<void>;
  /** Those that are not there have ended already. `storage-unavailable`: they are still kept. */
  end(hashes: readonly string[]): Promise<void>;
}

// The port for accounts and their tokens.

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
  /**
   * Stores a token; `replaced` ends in the same write. Rejects with `not-found` when its account does not exist, or when `replaced` does not
   * any more.
   */
  addToken(token: Token, replaced?: Token): Promise<void>;
  /** Resolves with the tokens that still existed. */
  removeTokens(tokenIds: readonly number[]): Promise<readonly Token[]>;
}

// Accounts and tokens in memory, with an index for each query. The cost of a change does not depend on the number of accounts and tokens.

import { DomainError } from '../errors.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import { insertSorted, removeSorted } from '../sorted.ts';
import type { Account, AccountId, RemovedAccount, Token, TtlockToken } from './account.ts';

/**
 * A local view of the existing accounts and tokens, which follows every change, because each request reads it. A token ends with its
 * account.
 */
export interface LocalAccountView {
  get(accountId: AccountId): Account | undefined;
  byName(username: string): Account | undefined;
  /** The name of an account, also of a removed one as long as it is remembered. */
  nameOf(accountId: AccountId): string | undefined;
  /** The removed accounts of that name that are still remembered, the latest first. */
  removedNamed(username: string): readonly RemovedAccount[];
  /** The accounts whose names are equal but for the case of their letters. */
  alike(username: string): readonly Account[];
  /** Throws `conflict` when the name is taken, in upper or lower case. */
  refuseTaken(username: string): void;
  /** How many gateway administrators there are. */
  gatewayAdministrators(): number;
  /** How many accounts were removed since the start. */
  removals(): number;
  /** By accountId ascending. */
  page(request: PageRequest): Page<Account>;
  token(tokenId: number): Token | undefined;
  /** By its SHA-256 hash. */
  tokenByHash(hash: string): Token | undefined;
  /** By tokenId ascending. */
  tokenPage(request: PageRequest): Page<Token>;
  /** The token that a session of a TTLock login has. */
  tokenOfSession(sessionId: string): TtlockToken | undefined;
  /** Those of all sessions of a TTLock login, the oldest first. */
  tokensOfLogin(loginId: number): readonly TtlockToken[];
  /** The tokens that are of no use from `until` (epoch milliseconds) on: they have expired, and nothing renews them. */
  tokensExpired(until: number): readonly Token[];
}

/** Changes hold at once; the caller has checked that they are allowed. */
export interface AccountBook extends LocalAccountView {
  add(account: Account): void;
  /** Replaces an account by the same one with other rights. */
  change(account: Account): void;
  addToken(token: Token): void;
  /**
   * Removes an account with its tokens. Returns the tokens: the caller has still to delete them, a few at a time, because there can be
   * many.
   */
  remove(accountId: AccountId): readonly Token[];
  forget(tokens: readonly Token[]): void;
  /** Throws `not-found` when this very token is not there any more. */
  requireToken(token: Token): void;
  removeToken(token: Token): void;
  removeTokens(tokens: readonly Token[]): void;
  /** Remembers that an account was removed, which `remove` does not do. */
  remember(removed: RemovedAccount): void;
  forgetNames(removed: readonly RemovedAccount[]): void;
  accounts(): readonly Account[];
  tokens(): readonly Token[];
  /** The removed accounts, in the order of removal. */
  removed(): readonly RemovedAccount[];
}

/** So many are removed without a look at all the others. */
const fewTokens = 50;

const foldCase = (username: string): string => username.toLowerCase();

export function createAccountBook(): AccountBook {
  const byId = new Map<AccountId, Account>();
  /** By the lower-cased name. Several accounts share one only if they were created when that was allowed. */
  const byFolded = new Map<string, readonly Account[]>();
  const tokenById = new Map<number, Token>();
  const byHash = new Map<string, Token>();
  const bySession = new Map<string, TtlockToken>();
  const byLogin = new Map<number, readonly TtlockToken[]>();
  const removedById = new Map<AccountId, RemovedAccount>();
  let administrators = 0;
  let removals = 0;
  const accounts: Account[] = [];
  let tokens: Token[] = [];

  const alike = (username: string): readonly Account[] => byFolded.get(foldCase(username)) ?? [];
  const byName = (username: string): Account | undefined => alike(username).find((account) => account.username === username);
  const ofSomebody = <T extends Token>(token: T | undefined): T | undefined => (token && byId.has(token.accountId) ? token : undefined);

  function forget(some: readonly Token[]): void {
    for (const token of some) {
      tokenById.delete(token.tokenId);
      byHash.delete(token.hash);
      if (token.kind === 'ttlock') forgetSession(token);
    }
  }
  function forgetSession(token: TtlockToken): void {
    const { sessionId, loginId } = token;
    // It may have another token by now.
    if (bySession.get(sessionId) === token) bySession.delete(sessionId);
    const others = (byLogin.get(loginId) ?? []).filter((one) => one !== token);
    if (others.length > 0) byLogin.set(loginId, others);
    else byLogin.delete(loginId);
  }

  function removeToken(token: Token): void {
    removeSorted(tokens, token, tokenIdOf);
    forget([token]);
  }

  return {
    get: (accountId) => byId.get(accountId),
    byName,
    alike,
    nameOf: (accountId) => (byId.get(accountId) ?? removedById.get(accountId))?.username,
    removedNamed: (username) => [...removedById.values()].filter((one) => one.username === username).reverse(),
    remember: (one) => void removedById.set(one.accountId, one),
    forgetNames(some) {
      for (const { accountId } of some) removedById.delete(accountId);
    },
    removed: () => [...removedById.values()],
    gatewayAdministrators: () => administrators,
    removals: () => removals,
    page: (request) => paginate(accounts, request),
    token: (tokenId) => ofSomebody(tokenById.get(tokenId)),
    tokenByHash: (hash) => ofSomebody(byHash.get(hash)),
    tokenPage: (request) => paginate(tokens, request),
    tokenOfSession: (sessionId) => ofSomebody(bySession.get(sessionId)),
    tokensOfLogin: (loginId) => (byLogin.get(loginId) ?? []).filter((token) => ofSomebody(token) !== undefined),
    tokensExpired: (until) => tokens.filter((token) => lastUse(token) <= until),
    accounts: () => accounts,
    tokens: () => tokens,

    refuseTaken(username) {
      const other = byName(username) ?? alike(username)[0];
      if (other === undefined) return;
      const why = other.username === username ? '' : ', and names of accounts differ by more than the case of their letters';
      throw new DomainError('conflict', `there is an account ${other.username} already${why}`);
    },
    add(account) {
      byId.set(account.accountId, account);
      byFolded.set(foldCase(account.username), [...alike(account.username), account]);
      insertSorted(accounts, account, accountIdOf);
      if (account.gatewayAdministrator) administrators += 1;
    },
    change(account) {
      const before = byId.get(account.accountId);
      if (before === undefined) return;
      byId.set(account.accountId, account);
      byFolded.set(
        foldCase(account.username),
        alike(account.username).map((one) => (one === before ? account : one)),
      );
      removeSorted(accounts, before, accountIdOf);
      insertSorted(accounts, account, accountIdOf);
      administrators += Number(account.gatewayAdministrator) - Number(before.gatewayAdministrator);
    },
    addToken(token) {
      tokenById.set(token.tokenId, token);
      byHash.set(token.hash, token);
      insertSorted(tokens, token, tokenIdOf);
      if (token.kind !== 'ttlock') return;
      bySession.set(token.sessionId, token);
      const ofLogin = [...(byLogin.get(token.loginId) ?? [])];
      insertSorted(ofLogin, token, tokenIdOf);
      byLogin.set(token.loginId, ofLogin);
    },
    requireToken(token) {
      if (ofSomebody(tokenById.get(token.tokenId)) !== token) throw new DomainError('not-found', `there is no token ${token.tokenId}`);
    },
    removeToken,
    remove(accountId) {
      const account = byId.get(accountId);
      if (account === undefined) return [];
      byId.delete(accountId);
      const others = alike(account.username).filter((one) => one !== account);
      if (others.length > 0) byFolded.set(foldCase(account.username), others);
      else byFolded.delete(foldCase(account.username));
      removeSorted(accounts, account, accountIdOf);
      removals += 1;
      if (account.gatewayAdministrator) administrators -= 1;
      const own = tokens.filter((token) => token.accountId === accountId);
      if (own.length > 0) tokens = tokens.filter((token) => token.accountId !== accountId);
      return own;
    },
    forget,
    removeTokens(some) {
      if (some.length <= fewTokens) {
        for (const token of some) removeToken(token);
        return;
      }
      const gone = new Set(some);
      tokens = tokens.filter((token) => !gone.has(token));
      forget(some);
    },
  };
}

const accountIdOf = ({ accountId }: Account): number => accountId;
const tokenIdOf = ({ tokenId }: Token): number => tokenId;

/** Until when a token is of use (epoch milliseconds). */
function lastUse(token: Token): number {
  return token.kind === 'ttlock' ? token.refreshUntil : (token.expiresAt ?? Number.POSITIVE_INFINITY);
}

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

/** Whatever is stored of accounts, one by one. */
export type AccountItem = Account | Token | RemovedAccount;

export interface AccountBook extends LocalAccountView {
  /** One of them was added (`before` is undefined), changed, or dropped (`after` is undefined). The tokens of an account end with it. */
  changed(before: AccountItem | undefined, after: AccountItem | undefined): void;
  accounts(): readonly Account[];
  tokens(): readonly Token[];
  /** The tokens that are still stored though their account is not: they are invalid. */
  orphans(): readonly Token[];
  /** The removed accounts, in the order of removal. */
  removed(): readonly RemovedAccount[];
}

const foldCase = (username: string): string => username.toLowerCase();

/** Throws `conflict` when one of these accounts has that name, in upper or lower case. */
export function refuseTakenAmong(accounts: readonly Account[], username: string): void {
  const alike = accounts.filter((one) => foldCase(one.username) === foldCase(username));
  const other = alike.find((one) => one.username === username) ?? alike[0];
  if (other === undefined) return;
  const why = other.username === username ? '' : ', and names of accounts differ by more than the case of their letters';
  throw new DomainError('conflict', `there is an account ${other.username} already${why}`);
}

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
  /** With `hasInvalid`, some of them are replaced, dropped or without an account. */
  let sorted: Token[] = [];
  let hasInvalid = false;

  const alike = (username: string): readonly Account[] => byFolded.get(foldCase(username)) ?? [];
  const byName = (username: string): Account | undefined => alike(username).find((account) => account.username === username);
  const ofSomebody = <T extends Token>(token: T | undefined): T | undefined => (token && byId.has(token.accountId) ? token : undefined);

  function tokens(): readonly Token[] {
    if (hasInvalid) sorted = sorted.filter((token) => ofSomebody(tokenById.get(token.tokenId)) === token);
    hasInvalid = false;
    return sorted;
  }

  function accountChanged(before: Account | undefined, after: Account | undefined): void {
    if (before !== undefined) {
      byId.delete(before.accountId);
      putAlike(before.username, without(alike(before.username), before));
      removeSorted(accounts, before, accountIdOf);
      administrators -= Number(before.gatewayAdministrator);
    }
    if (after !== undefined) {
      byId.set(after.accountId, after);
      putAlike(after.username, [...alike(after.username), after]);
      insertSorted(accounts, after, accountIdOf);
      administrators += Number(after.gatewayAdministrator);
    } else {
      removals += 1;
      hasInvalid = true;
    }
  }
  function putAlike(username: string, all: readonly Account[]): void {
    if (all.length > 0) byFolded.set(foldCase(username), all);
    else byFolded.delete(foldCase(username));
  }
  function tokenChanged(before: Token | undefined, after: Token | undefined): void {
    if (before !== undefined) {
      hasInvalid = true;
      tokenById.delete(before.tokenId);
      byHash.delete(before.hash);
      if (before.kind === 'ttlock') forgetSession(before);
    }
    if (after === undefined) return;
    tokenById.set(after.tokenId, after);
    byHash.set(after.hash, after);
    insertSorted(sorted, after, tokenIdOf);
    if (ofSomebody(after) === undefined) hasInvalid = true;
    if (after.kind !== 'ttlock') return;
    bySession.set(after.sessionId, after);
    const ofLogin = [...(byLogin.get(after.loginId) ?? [])];
    insertSorted(ofLogin, after, tokenIdOf);
    byLogin.set(after.loginId, ofLogin);
  }
  function forgetSession(token: TtlockToken): void {
    const { sessionId, loginId } = token;
    // It may have another token by now.
    if (bySession.get(sessionId) === token) bySession.delete(sessionId);
    const others = without(byLogin.get(loginId) ?? [], token);
    if (others.length > 0) byLogin.set(loginId, others);
    else byLogin.delete(loginId);
  }

  return {
    changed(before, after) {
      const one = after ?? before;
      if (one === undefined) return;
      if ('tokenId' in one) tokenChanged(before as Token | undefined, after as Token | undefined);
      else if (!('removedAt' in one)) accountChanged(before as Account | undefined, after as Account | undefined);
      else if (after === undefined) removedById.delete(one.accountId);
      else removedById.set(one.accountId, one);
    },
    get: (accountId) => byId.get(accountId),
    byName,
    alike,
    refuseTaken: (username) => refuseTakenAmong(alike(username), username),
    nameOf: (accountId) => (byId.get(accountId) ?? removedById.get(accountId))?.username,
    removedNamed: (username) => [...removedById.values()].filter((one) => one.username === username).reverse(),
    removed: () => [...removedById.values()],
    gatewayAdministrators: () => administrators,
    removals: () => removals,
    page: (request) => paginate(accounts, request),
    token: (tokenId) => ofSomebody(tokenById.get(tokenId)),
    tokenByHash: (hash) => ofSomebody(byHash.get(hash)),
    tokenPage: (request) => paginate(tokens(), request),
    tokenOfSession: (sessionId) => ofSomebody(bySession.get(sessionId)),
    tokensOfLogin: (loginId) => (byLogin.get(loginId) ?? []).filter((token) => ofSomebody(token) !== undefined),
    tokensExpired: (until) => tokens().filter((token) => lastUse(token) <= until),
    accounts: () => accounts,
    tokens,
    orphans: () => [...tokenById.values()].filter((token) => ofSomebody(token) === undefined),
  };
}

const accountIdOf = ({ accountId }: Account): number => accountId;
const tokenIdOf = ({ tokenId }: Token): number => tokenId;
const without = <T>(all: readonly T[], one: T): readonly T[] => all.filter((other) => other !== one);

/** Until when a token is of use (epoch milliseconds). */
function lastUse(token: Token): number {
  return token.kind === 'ttlock' ? token.refreshUntil : (token.expiresAt ?? Number.POSITIVE_INFINITY);
}

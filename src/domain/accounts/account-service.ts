// Accounts and tokens: who a caller is, and their management by gateway administrators (HTTP API 2.1, 8.4 and 8.5).

import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError } from '../errors.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { Mutex } from '../mutex.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Secrets } from '../secrets.ts';
import { type Account, type AccountId, type Caller, localAdministrator, type Token } from './account.ts';
import type { AccountStore } from './account-ports.ts';
import { type LeftRoles, locksWithRoles } from './orphaned-roles.ts';
import { requireGatewayAdministrator } from './permissions.ts';

const dayMs = 86_400_000;
/** A clock that is believed is ahead by seven days at most: what has been expired for longer is so by any clock that is right. */
const expiredForMs = 7 * dayMs;
/** So many are removed in one change: doors go on between two of them. */
const forgottenAtOnce = 1_000;

export interface NewToken {
  readonly username: string;
  readonly name: string;
  /** Absent: never. */
  readonly expiresInDays?: number;
}

export interface TokenView {
  readonly token: Token;
  readonly username: string;
}

/** All but `authenticate` for gateway administrators: `forbidden` for others. */
export interface AccountService {
  /** The caller behind a token; `token-invalid`, `token-expired`. */
  authenticate(token: string): Caller & { readonly tokenId: number };
  /** The caller behind a token that has been shown before; `token-invalid`, `token-expired`. */
  callerOf(tokenId: number): Caller;
  /** `conflict` when the name is taken. */
  createAccount(caller: Caller, username: string, gatewayAdministrator: boolean): Promise<Account>;
  listAccounts(caller: Caller, page: PageRequest): Page<Account>;
  /**
   * With its tokens and its roles, those on so many locks. `not-found`; `conflict`: the last gateway administrator, or the administrator of a lock.
   */
  removeAccount(caller: Caller, username: string): Promise<{ readonly roles: number }>;
  /** `secret` is the token itself, shown this once. `not-found` when there is no such account. */
  createToken(caller: Caller, token: NewToken): Promise<TokenView & { readonly secret: string }>;
  listTokens(caller: Caller, page: PageRequest): Page<TokenView>;
  /** It is refused from now on. `not-found`. */
  removeToken(caller: Caller, tokenId: number): Promise<void>;
  /**
   * Removes the tokens that have been expired for a week, so that no clock that is set back makes them valid again; how many those were.
   * To be asked while the clock is believed.
   */
  forgetExpired(): Promise<number>;
}

export function createAccountService(options: {
  readonly clock: Clock;
  readonly accounts: AccountStore;
  readonly locks: LockStore;
  readonly counters: CounterStore;
  readonly secrets: Secrets;
  /** Shared with the lock service: an account is not removed while it is made a lock's administrator. */
  readonly administration: Mutex;
  /** Absent: they go after the next start. */
  readonly leftRoles?: Pick<LeftRoles, 'drop'>;
}): AccountService {
  const { clock, accounts, locks, counters, secrets, administration, leftRoles } = options;

  function callerBehind({ accountId, expiresAt, tokenId }: Token): Caller & { readonly tokenId: number } {
    if (expiresAt !== null && expiresAt <= clock.now()) throw new DomainError('token-expired', 'the access token has expired');
    // A token is there as long as its account is.
    const { username, gatewayAdministrator } = accounts.get(accountId) as Account;
    return { accountId, username, gatewayAdministrator, tokenId };
  }

  return {
    authenticate(token) {
      const hash = secrets.hash(token);
      const found = accounts.tokenByHash(hash);
      // Compared in constant time (Fault T18), though a look-up by hash tells nobody which bits of a token are right.
      if (found === undefined || !secrets.equal(found.hash, hash)) {
        throw new DomainError('token-invalid', 'the access token is not valid');
      }
      return callerBehind(found);
    },

    callerOf(tokenId) {
      const found = accounts.token(tokenId);
      if (found === undefined) throw new DomainError('token-invalid', 'the access token is not valid any more');
      return callerBehind(found);
    },

    async createAccount(caller, username, gatewayAdministrator) {
      requireGatewayAdministrator(caller);
      accounts.refuseTaken(username);
      const accountId = (await counters.next('accountId')) as AccountId;
      const account: Account = { accountId, username, gatewayAdministrator, createdAt: clock.now() };
      await accounts.add(account);
      return account;
    },

    listAccounts(caller, page) {
      requireGatewayAdministrator(caller);
      return accounts.page(page);
    },

    async removeAccount(caller, username) {
      requireGatewayAdministrator(caller);
      return administration(async () => {
        const { accountId, gatewayAdministrator } = accountNamed(accounts, username);
        if (gatewayAdministrator && accounts.gatewayAdministrators() === 1) {
          throw new DomainError('conflict', `${username} is the last gateway administrator`);
        }
        const administered = locks.all().find((lock) => lock.administrator === accountId);
        if (administered !== undefined) {
          throw new DomainError('conflict', `${username} is the administrator of lock ${administered.lockId}; appoint another one first`);
        }
        const roles = locksWithRoles(locks.all(), (one) => one === accountId).length;
        await accounts.remove(accountId, clock.now());
        leftRoles?.drop(accountId);
        return { roles };
      });
    },

    async createToken(caller, { username, name, expiresInDays }) {
      requireGatewayAdministrator(caller);
      const { accountId } = accountNamed(accounts, username);
      const tokenId = await counters.next('tokenId');
      const secret = secrets.newToken();
      const createdAt = clock.now();
      const expiresAt = expiresInDays === undefined ? null : createdAt + expiresInDays * dayMs;
      const token: Token = { tokenId, accountId, name, hash: secrets.hash(secret), createdAt, expiresAt };
      await accounts.addToken(token);
      // The account, and this token with it, can have been removed by a change that was queued behind ours.
      if (accounts.token(tokenId) === undefined) throw new DomainError('not-found', `there is no account ${username}`);
      return { token, username, secret };
    },

    listTokens(caller, page) {
      requireGatewayAdministrator(caller);
      const { list, ...envelope } = accounts.tokenPage(page);
      return { list: list.map((token) => ({ token, username: accounts.get(token.accountId)?.username ?? '' })), ...envelope };
    },

    async removeToken(caller, tokenId) {
      requireGatewayAdministrator(caller);
      const removed = await accounts.removeTokens([tokenId]);
      if (removed.length === 0) throw new DomainError('not-found', `there is no token ${tokenId}`);
    },

    async forgetExpired() {
      const over = accounts.tokensExpired(clock.now() - expiredForMs).map(({ tokenId }) => tokenId);
      for (let from = 0; from < over.length; from += forgottenAtOnce) await accounts.removeTokens(over.slice(from, from + forgottenAtOnce));
      return over.length;
    },
  };
}

/** The account of that name; `not-found` when there is none. */
export function accountNamed(accounts: Pick<AccountStore, 'byName'>, username: string): Account {
  const account = accounts.byName(username);
  if (account === undefined) throw new DomainError('not-found', `there is no account ${username}`);
  return account;
}

/** The name of an account for people; empty when the account is gone. */
export function usernameOf(accounts: Pick<AccountStore, 'get'>, accountId: AccountId): string {
  return accountId === localAdministrator.accountId ? localAdministrator.username : (accounts.get(accountId)?.username ?? '');
}

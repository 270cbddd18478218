// Accounts and tokens: who a caller is, and their management by gateway administrators (HTTP API 2.1, 8.4 and 8.5).

import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError } from '../errors.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { LongLists } from '../long-lists.ts';
import type { Mutex } from '../mutex.ts';
import type { Secrets } from '../secrets.ts';
import type { TtlockLoginStore } from '../ttlock/ttlock-ports.ts';
import { type Account, type AccountId, type AccountRights, type ApiToken, type Caller, localAdministrator } from './account.ts';
import { type AccountLists, createAccountLists, type TokenView } from './account-lists.ts';
import type { AccountStore } from './account-ports.ts';
import { locksWithRoles } from './orphaned-roles.ts';
import { requireGatewayAdministrator } from './permissions.ts';

const dayMs = 86_400_000;
/** A trusted clock is at most seven days ahead: a token that has been expired for longer is expired by any correct clock. */
const expiredForMs = 7 * dayMs;
/** How many tokens one change removes: door commands run between two changes. */
const forgottenAtOnce = 1_000;

export interface NewToken {
  readonly username: string;
  readonly name: string;
  /** Absent: it never expires. */
  readonly expiresInDays?: number;
}

/** All methods but `authenticate`, `callerOf` and `callerWith` are for gateway administrators, and throw `forbidden` for others. */
export interface AccountService {
  /** The caller behind a token of the API. Throws `token-invalid` or `token-expired`. */
  authenticate(token: string): Caller & { readonly tokenId: number };
  /** The caller behind a token that was authenticated before. Throws `token-invalid` or `token-expired`. */
  callerOf(tokenId: number): Caller;
  /** The caller that an account is. Throws `token-invalid` when it does not exist any more. */
  callerWith(accountId: AccountId): Caller;
  /** Rejects with `conflict` when the name is taken. */
  createAccount(caller: Caller, username: string, rights: AccountRights): Promise<Account>;
  /** Rejects with `not-found`, and with `conflict` when no gateway administrator would be left. */
  setRights(caller: Caller, username: string, rights: AccountRights): Promise<Account>;
  listAccounts: AccountLists['accounts'];
  /**
   * Removes an account with its tokens and roles; resolves with the number of locks on which it had a role. Rejects with `not-found`, and
   * with `conflict` for the last gateway administrator and the administrator of a lock.
   */
  removeAccount(caller: Caller, username: string): Promise<{ readonly roles: number }>;
  /** Creates a token; `secret` is the token itself, shown only once. Rejects with `not-found` when there is no such account. */
  createToken(caller: Caller, token: NewToken): Promise<TokenView & { readonly secret: string }>;
  listTokens: AccountLists['tokens'];
  /** Revokes a token: it is refused from now on. Rejects with `not-found`. */
  removeToken(caller: Caller, tokenId: number): Promise<void>;
  /**
   * Removes the tokens that have been expired for a week, so that a clock that is set back cannot make them valid again. Resolves with
   * their number. Call it only while the clock is trusted.
   */
  forgetExpired(): Promise<number>;
}

export function createAccountService(options: {
  readonly clock: Clock;
  readonly accounts: AccountStore;
  /** The token of a TTLock login is called as the login is now. */
  readonly ttlockLogins: Pick<TtlockLoginStore, 'get'>;
  readonly locks: LockStore;
  readonly counters: CounterStore;
  readonly secrets: Secrets;
  /** Shared with the lock service, so that no account is removed while it becomes a lock's administrator. */
  readonly administration: Mutex;
  /** Resolves when the log of who may what has the changes of before on the disk. */
  readonly changeStored: () => Promise<void>;
  readonly longLists: LongLists;
}): AccountService {
  const { clock, accounts, locks, counters, secrets, administration, changeStored } = options;
  const lists = createAccountLists(options);

  function callerBehind({ accountId, expiresAt, tokenId }: ApiToken): Caller & { readonly tokenId: number } {
    if (expiresAt !== null && expiresAt <= clock.now()) throw new DomainError('token-expired', 'the access token has expired');
    // A token exists only as long as its account.
    const { username, gatewayAdministrator, accessManager } = accounts.get(accountId) as Account;
    return { accountId, username, gatewayAdministrator, accessManager, tokenId };
  }

  function requireAnotherAdministrator(username: string): void {
    if (accounts.gatewayAdministrators() === 1) throw new DomainError('conflict', `${username} is the last gateway administrator`);
  }

  return {
    authenticate(token) {
      const hash = secrets.hash(token);
      const found = accounts.tokenByHash(hash);
      // The comparison takes constant time (Fault T18), although a look-up by hash reveals no bits of a token.
      if (found?.kind !== 'api' || !secrets.equal(found.hash, hash)) {
        throw new DomainError('token-invalid', 'the access token is not valid');
      }
      return callerBehind(found);
    },

    callerOf(tokenId) {
      const found = accounts.token(tokenId);
      if (found?.kind !== 'api') throw new DomainError('token-invalid', 'the access token is not valid any more');
      return callerBehind(found);
    },

    callerWith(accountId) {
      const account = accounts.get(accountId);
      if (account === undefined) throw new DomainError('token-invalid', 'this account does not exist any more');
      const { username, gatewayAdministrator, accessManager } = account;
      return { accountId, username, gatewayAdministrator, accessManager };
    },

    async createAccount(caller, username, { gatewayAdministrator, accessManager }) {
      requireGatewayAdministrator(caller);
      accounts.refuseTaken(username);
      const accountId = (await counters.next('accountId')) as AccountId;
      const account: Account = { accountId, username, gatewayAdministrator, accessManager, createdAt: clock.now() };
      await accounts.add(account);
      await changeStored();
      return account;
    },

    async setRights(caller, username, rights) {
      requireGatewayAdministrator(caller);
      const account = await administration(async () => {
        const { accountId, gatewayAdministrator } = accountNamed(accounts, username);
        if (gatewayAdministrator && !rights.gatewayAdministrator) requireAnotherAdministrator(username);
        return accounts.setRights(accountId, rights);
      });
      await changeStored();
      return account;
    },

    listAccounts: lists.accounts,

    async removeAccount(caller, username) {
      requireGatewayAdministrator(caller);
      const removed = await administration(async () => {
        const { accountId, gatewayAdministrator } = accountNamed(accounts, username);
        if (gatewayAdministrator) requireAnotherAdministrator(username);
        const administered = locks.all().find((lock) => lock.administrator === accountId);
        if (administered !== undefined) {
          throw new DomainError('conflict', `${username} is the administrator of lock ${administered.lockId}; appoint another one first`);
        }
        const roles = locksWithRoles(locks.all(), (one) => one === accountId).length;
        await accounts.remove(accountId, clock.now());
        return { roles };
      });
      await changeStored();
      return removed;
    },

    async createToken(caller, { username, name, expiresInDays }) {
      requireGatewayAdministrator(caller);
      const { accountId } = accountNamed(accounts, username);
      const tokenId = await counters.next('tokenId');
      const secret = secrets.newToken();
      const createdAt = clock.now();
      const expiresAt = expiresInDays === undefined ? null : createdAt + expiresInDays * dayMs;
      const token: ApiToken = { kind: 'api', tokenId, accountId, name, hash: secrets.hash(secret), createdAt, expiresAt };
      await accounts.addToken(token);
      // A change that was queued behind ours can have removed the account, and this token with it.
      if (accounts.token(tokenId) === undefined) throw new DomainError('not-found', `there is no account ${username}`);
      return { token, username, secret };
    },

    listTokens: lists.tokens,

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

/** The account of that name. Throws `not-found` when there is none. */
export function accountNamed(accounts: Pick<AccountStore, 'byName'>, username: string): Account {
  const account = accounts.byName(username);
  if (account === undefined) throw new DomainError('not-found', `there is no account ${username}`);
  return account;
}

/** The name of an account for people; empty when the account is gone. */
export function usernameOf(accounts: Pick<AccountStore, 'get'>, accountId: AccountId): string {
  return accountId === localAdministrator.accountId ? localAdministrator.username : (accounts.get(accountId)?.username ?? '');
}

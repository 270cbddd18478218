// Accounts and tokens: who a caller is, and their management by gateway administrators (HTTP API 5 and 6).
import type { Account, AccountId, Caller, Token } from './account.ts';
import { DomainError } from './errors.ts';
import { type Page, type PageRequest, paginate } from './page.ts';
import { requireGatewayAdministrator } from './permissions.ts';
import type { AccountStore, Accounts, Clock, CounterStore, LockStore, Secrets } from './ports.ts';
import type { Sequence } from './sequence.ts';

const dayMs = 86_400_000;
/** A clock that is believed is ahead by seven days at most: what has been expired for longer is so by any clock that is right. */
const expiredForMs = 7 * dayMs;

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
  authenticate(token: string): Caller;
  /** `conflict` when the name is taken. */
  createAccount(caller: Caller, username: string, gatewayAdministrator: boolean): Promise<Account>;
  listAccounts(caller: Caller, page: PageRequest): Page<Account>;
  /** With its tokens; what roles it had stay with the locks, and count for nobody. `not-found`; `conflict`: the last gateway administrator, or the administrator of a lock. */
  removeAccount(caller: Caller, username: string): Promise<void>;
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
  readonly administration: Sequence;
}): AccountService {
  const { clock, accounts, locks, counters, secrets, administration } = options;
  const index = indexOf(accounts);

  return {
    authenticate(token) {
      const hash = secrets.hash(token);
      const found = index().tokens.get(hash);
      // Compared in constant time (HTTP API 5), though a look-up by hash tells nobody which bits of a token are right.
      if (found === undefined || !secrets.equal(found.token.hash, hash)) {
        throw new DomainError('token-invalid', 'the access token is not valid');
      }
      const { expiresAt } = found.token;
      if (expiresAt !== null && expiresAt <= clock.now()) throw new DomainError('token-expired', 'the access token has expired');
      return found.caller;
    },

    async createAccount(caller, username, gatewayAdministrator) {
      requireGatewayAdministrator(caller);
      refuseTaken(accounts.current(), username);
      const accountId = (await counters.next('accountId')) as AccountId;
      const account: Account = { accountId, username, gatewayAdministrator, createdAt: clock.now() };
      await accounts.update((current) => {
        refuseTaken(current, username);
        return { ...current, accounts: [...current.accounts, account] };
      });
      return account;
    },

    listAccounts(caller, page) {
      requireGatewayAdministrator(caller);
      return paginate(accounts.current().accounts, page);
    },

    async removeAccount(caller, username) {
      requireGatewayAdministrator(caller);
      await administration(() =>
        accounts.update((current) => {
          const { accountId } = accountNamed(current, username);
          const left = current.accounts.filter((account) => account.accountId !== accountId);
          if (!left.some((account) => account.gatewayAdministrator)) {
            throw new DomainError('conflict', `${username} is the last gateway administrator`);
          }
          const administered = locks.all().find((lock) => lock.administrator === accountId);
          if (administered !== undefined) {
            throw new DomainError('conflict', `${username} is the administrator of lock ${administered.lockId}; appoint another one first`);
          }
          return { accounts: left, tokens: current.tokens.filter((token) => token.accountId !== accountId) };
        }),
      );
    },

    async createToken(caller, { username, name, expiresInDays }) {
      requireGatewayAdministrator(caller);
      accountNamed(accounts.current(), username);
      const tokenId = await counters.next('tokenId');
      const secret = secrets.newToken();
      const createdAt = clock.now();
      const expiresAt = expiresInDays === undefined ? null : createdAt + expiresInDays * dayMs;
      const updated = await accounts.update((current) => {
        const { accountId } = accountNamed(current, username);
        const token: Token = { tokenId, accountId, name, hash: secrets.hash(secret), createdAt, expiresAt };
        return { ...current, tokens: [...current.tokens, token] };
      });
      const token = updated.tokens.find((candidate) => candidate.tokenId === tokenId);
      // The account, and this token with it, can have been removed by a change that was queued behind ours.
      if (token === undefined) throw new DomainError('not-found', `there is no account ${username}`);
      return { token, username, secret };
    },

    listTokens(caller, page) {
      requireGatewayAdministrator(caller);
      const { accountOf } = index();
      const views = accounts.current().tokens.map((token) => ({ token, username: accountOf.get(token.accountId)?.username ?? '' }));
      return paginate(views, page);
    },

    async removeToken(caller, tokenId) {
      requireGatewayAdministrator(caller);
      await accounts.update((current) => {
        const tokens = current.tokens.filter((token) => token.tokenId !== tokenId);
        if (tokens.length === current.tokens.length) throw new DomainError('not-found', `there is no token ${tokenId}`);
        return { ...current, tokens };
      });
    },

    async forgetExpired() {
      const until = clock.now() - expiredForMs;
      const isOver = ({ expiresAt }: Token): boolean => expiresAt !== null && expiresAt <= until;
      const over = accounts.current().tokens.filter(isOver).length;
      if (over > 0) await accounts.update((current) => ({ ...current, tokens: current.tokens.filter((token) => !isOver(token)) }));
      return over;
    },
  };
}

/** The account of that name; `not-found` when there is none. */
export function accountNamed(current: Accounts, username: string): Account {
  const account = current.accounts.find((candidate) => candidate.username === username);
  if (account === undefined) throw new DomainError('not-found', `there is no account ${username}`);
  return account;
}

function refuseTaken(current: Accounts, username: string): void {
  if (current.accounts.some((account) => account.username === username)) {
    throw new DomainError('conflict', `there is an account ${username} already`);
  }
}

/** Look-ups by hash, with who asks by it, and by id; built anew only when the accounts have changed: every request asks for them. */
function indexOf(accounts: AccountStore) {
  let built: Accounts | undefined;
  let tokens = new Map<string, { readonly token: Token; readonly caller: Caller }>();
  let accountOf = new Map<AccountId, Account>();
  return () => {
    const current = accounts.current();
    if (current !== built) {
      built = current;
      accountOf = new Map(current.accounts.map((account) => [account.accountId, account]));
      tokens = new Map(current.tokens.flatMap((token) => callersOf(token, accountOf.get(token.accountId))));
    }
    return { tokens, accountOf };
  };
}

/** None for a token whose account is not there. */
function callersOf(token: Token, account: Account | undefined): [string, { token: Token; caller: Caller }][] {
  if (account === undefined) return [];
  const { accountId, username, gatewayAdministrator } = account;
  return [[token.hash, { token, caller: { accountId, username, gatewayAdministrator, tokenId: token.tokenId } }]];
}

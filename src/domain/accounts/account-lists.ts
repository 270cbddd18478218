// The accounts and tokens as gateway administrators list them (HTTP API 8.4 and 8.5).
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import type { ListAsked, LongLists } from '../long-lists.ts';
import type { Page } from '../page.ts';
import type { TtlockLoginStore } from '../ttlock/ttlock-ports.ts';
import type { Account, AccountRights, Caller, Token } from './account.ts';
import type { AccountStore } from './account-ports.ts';
import { requireGatewayAdministrator } from './permissions.ts';

export interface TokenView {
  readonly token: Token;
  readonly username: string;
}

export const accountColumns = ['username', 'gatewayAdministrator', 'accessManager', 'createDate'] as const;
export const tokenColumns = ['name', 'username', 'createDate', 'expireDate'] as const;

/** Rights that are absent do not filter. */
export interface AccountsAsked extends ListAsked<(typeof accountColumns)[number]>, Partial<AccountRights> {}

export interface TokensAsked extends ListAsked<(typeof tokenColumns)[number]> {
  /** Whether they have expired; absent: all. */
  readonly expired?: boolean | undefined;
}

/**
 * By id ascending, unless it is asked otherwise. For gateway administrators; both throw `forbidden` for others, and reject with `rate-limited`
 * as `LongLists.page`.
 */
export interface AccountLists {
  /** A search looks in the username. */
  accounts(caller: Caller, wanted: AccountsAsked, gone?: CancelSignal): Promise<Page<Account>>;
  /** A search looks in name and username. */
  tokens(caller: Caller, wanted: TokensAsked, gone?: CancelSignal): Promise<Page<TokenView>>;
}

/** Those who have a right come first. */
const ofAccounts = {
  textsOf: ({ username }: Account) => [username],
  columns: {
    username: ({ username }: Account) => username,
    gatewayAdministrator: ({ gatewayAdministrator }: Account) => Number(!gatewayAdministrator),
    accessManager: ({ accessManager }: Account) => Number(!accessManager),
    createDate: ({ createdAt }: Account) => createdAt,
  },
};

export function createAccountLists(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly accounts: Pick<AccountStore, 'get' | 'page' | 'tokenPage'>;
  readonly ttlockLogins: Pick<TtlockLoginStore, 'get'>;
  readonly longLists: LongLists;
}): AccountLists {
  const { clock, accounts, ttlockLogins, longLists } = options;

  const nameOf = (token: Token): string => (token.kind === 'ttlock' && ttlockLogins.get(token.loginId)?.name) || token.name;
  const usernameOf = ({ accountId }: Token): string => accounts.get(accountId)?.username ?? '';
  const ofTokens = {
    textsOf: (token: Token) => [nameOf(token), usernameOf(token)],
    columns: {
      name: nameOf,
      username: usernameOf,
      createDate: ({ createdAt }: Token) => createdAt,
      expireDate: ({ expiresAt }: Token) => expiresAt ?? Number.POSITIVE_INFINITY,
    },
  };

  return {
    async accounts(caller, { gatewayAdministrator, accessManager, ...asked }, gone) {
      requireGatewayAdministrator(caller);
      const isFiltered = gatewayAdministrator !== undefined || accessManager !== undefined;
      const isWanted = (account: Account): boolean =>
        (gatewayAdministrator ?? account.gatewayAdministrator) === account.gatewayAdministrator &&
        (accessManager ?? account.accessManager) === account.accessManager;
      return longLists.page(caller, accounts.page, { ...ofAccounts, asked, ...(isFiltered && { isWanted }) }, gone);
    },
    async tokens(caller, { expired, ...asked }, gone) {
      requireGatewayAdministrator(caller);
      const now = clock.now();
      const isWanted = ({ expiresAt }: Token): boolean => (expiresAt !== null && expiresAt <= now) === expired;
      const look = { ...ofTokens, asked, ...(expired !== undefined && { isWanted }) };
      const { list, ...envelope } = await longLists.page(caller, accounts.tokenPage, look, gone);
      return { list: list.map((token) => ({ token: { ...token, name: nameOf(token) }, username: usernameOf(token) })), ...envelope };
    },
  };
}

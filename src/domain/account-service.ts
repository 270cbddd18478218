// Accounts and tokens: who a caller is, and their management by gateway administrators (HTTP API 5 and 6).
import type { Account, Caller, Token } from './account.ts';
import type { Page, PageRequest } from './page.ts';

export interface NewToken {
  readonly username: string;
  readonly name: string;
  readonly expiresInDays?: number;
}

export interface TokenView {
  readonly token: Token;
  readonly username: string;
}

export interface AccountService {
  /** The caller behind a token; `token-invalid`, `token-expired`. */
  authenticate(token: string): Caller;
  /** `conflict` when the name is taken. */
  createAccount(caller: Caller, username: string, gatewayAdministrator: boolean): Promise<Account>;
  listAccounts(caller: Caller, page: PageRequest): Page<Account>;
  /** With its tokens. `conflict`: the last gateway administrator, or the administrator of a lock. */
  removeAccount(caller: Caller, username: string): Promise<void>;
  /** `token` is shown this once. */
  createToken(caller: Caller, token: NewToken): Promise<TokenView & { readonly secret: string }>;
  listTokens(caller: Caller, page: PageRequest): Page<TokenView>;
  removeToken(caller: Caller, tokenId: number): Promise<void>;
}

// Accounts, their tokens, and what a role on a lock allows.

declare const accountIdBrand: unique symbol;
/** Rising integer; never given twice, so that a recreated name inherits nothing. */
export type AccountId = number & { readonly [accountIdBrand]: true };

export interface Account {
  readonly accountId: AccountId;
  readonly username: string;
  /** It may register locks and manage accounts; that alone gives no right on any lock. */
  readonly gatewayAdministrator: boolean;
  /** It may manage people, their credentials and grants; doors are opened to them only by who is a manager of the lock, too. */
  readonly accessManager: boolean;
  readonly createdAt: number;
}

/** What an account may do besides its roles on locks. */
export type AccountRights = Pick<Account, 'gatewayAdministrator' | 'accessManager'>;

/** Whether an account may do less than before. */
export function hasFewerRights(after: Partial<AccountRights>, before: Partial<AccountRights>): boolean {
  const { gatewayAdministrator = false, accessManager = false } = before;
  return (gatewayAdministrator && after.gatewayAdministrator !== true) || (accessManager && after.accessManager !== true);
}

/** What the gateway remembers of a removed account, as long as its records are stored. */
export interface RemovedAccount {
  readonly accountId: AccountId;
  readonly username: string;
  /** Epoch milliseconds. */
  readonly removedAt: number;
}

/** What every access token has, as it is stored: of the secret only the SHA-256 hash. */
interface StoredToken {
  readonly tokenId: number;
  readonly accountId: AccountId;
  readonly name: string;
  /** SHA-256 of the token, 64 hex digits. */
  readonly hash: string;
  readonly createdAt: number;
  /** Epoch milliseconds from which the token is refused; null: never expires. */
  readonly expiresAt: number | null;
}

/** A token of the API: a Bearer token. */
export interface ApiToken extends StoredToken {
  readonly kind: 'api';
}

/** An access token of a session of a TTLock login, with what renews it. A session has one at a time, and is over without it. */
export interface TtlockToken extends StoredToken {
  readonly kind: 'ttlock';
  readonly loginId: number;
  /** 32 hex digits; stays when the session gets another token. */
  readonly sessionId: string;
  /** SHA-256 of the refresh token of the session. */
  readonly refreshHash: string;
  /** Epoch milliseconds until which the refresh token is valid. */
  readonly refreshUntil: number;
}

export type Token = ApiToken | TtlockToken;

/** The session through which a request came. */
export interface CallerSession {
  /** What people see of it; not its secret. */
  readonly sessionId: string;
  /** Whether it has ended since the request came. */
  isEnded(): boolean;
}

/** The account that makes a request. */
export interface Caller {
  readonly accountId: AccountId;
  readonly username: string;
  readonly gatewayAdministrator: boolean;
  /** Absent: no. */
  readonly accessManager?: boolean;
  /** The token of the request; absent for a caller that needs none. */
  readonly tokenId?: number;
  /** The session of the browser that made the request; absent for a request with a token. */
  readonly session?: CallerSession;
  /** Where the request came from, for the audit log; absent for requests that change nothing. */
  readonly address?: string;
}

/**
 * An administrator of the machine itself, who could change its files, too. No account can have this name or id (ids start at 1),
 * so it has no role on any lock.
 */
export const localAdministrator: Caller = {
  accountId: 0 as AccountId,
  username: '(this machine)',
  gatewayAdministrator: true,
  accessManager: true,
};

/** Roles on one lock, weakest first; each may do what the ones before it may. */
const lockRoles = ['operator', 'manager', 'administrator'] as const;
export type LockRole = (typeof lockRoles)[number];

/** Whether the role of a caller (undefined: none) is at least the needed one. */
export function roleSuffices(role: LockRole | undefined, needed: LockRole): boolean {
  return role !== undefined && lockRoles.indexOf(role) >= lockRoles.indexOf(needed);
}

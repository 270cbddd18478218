// Accounts, their tokens, and what a role on a lock allows.

declare const accountIdBrand: unique symbol;
/** Rising integer; never given twice, so that a recreated name inherits nothing. */
export type AccountId = number & { readonly [accountIdBrand]: true };

export interface Account {
  readonly accountId: AccountId;
  readonly username: string;
  /** May register locks and manage accounts; gives no right on any lock by itself. */
  readonly gatewayAdministrator: boolean;
  readonly createdAt: number;
}

/** What is remembered of an account that was removed, as long as its records are kept. */
export interface RemovedAccount {
  readonly accountId: AccountId;
  readonly username: string;
  /** Epoch milliseconds. */
  readonly removedAt: number;
}

/** An access token as it is kept: the secret itself only as its SHA-256 hash. */
export interface Token {
  readonly tokenId: number;
  readonly accountId: AccountId;
  readonly name: string;
  /** SHA-256 of the token, 64 hex digits. */
  readonly hash: string;
  readonly createdAt: number;
  /** Epoch milliseconds from which the token is refused; null: never expires. */
  readonly expiresAt: number | null;
}

/** Who asks: the account behind the token of a request. */
export interface Caller {
  readonly accountId: AccountId;
  readonly username: string;
  readonly gatewayAdministrator: boolean;
  /** Of the token by which it asks; absent for who needs none. */
  readonly tokenId?: number;
  /** Where the request came from, for the audit log; absent where nothing is changed. */
  readonly address?: string;
}

/**
 * Whoever administers the machine itself and so could change its files, too. The name is none that an account can have, and
 * accounts are counted from 1: it has no role on any lock.
 */
export const localAdministrator: Caller = { accountId: 0 as AccountId, username: '(this machine)', gatewayAdministrator: true };

/** Roles on one lock, weakest first; each may do what the ones before it may. */
const lockRoles = ['operator', 'manager', 'administrator'] as const;
export type LockRole = (typeof lockRoles)[number];

/** Whether the role a caller has (none: undefined) is at least the one that is needed. */
export function roleSuffices(role: LockRole | undefined, needed: LockRole): boolean {
  return role !== undefined && lockRoles.indexOf(role) >= lockRoles.indexOf(needed);
}

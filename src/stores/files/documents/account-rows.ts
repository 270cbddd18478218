// The rows of accounts.jsonl, and what older programs wrote in their place.
import { z } from 'zod';
import type { Account, AccountId, ApiToken, RemovedAccount, Token, TtlockToken } from '../../../domain/accounts/account.ts';
import type { AccountItem } from '../../../domain/accounts/account-book.ts';
import type { DocumentFormat } from './document-format.ts';
import { accountId, idSchema, sha256 } from './id-schemas.ts';
import type { RowFormat } from './row-reader.ts';

const olderAccount = z.strictObject({
  accountId,
  username: z.string().min(1),
  gatewayAdministrator: z.boolean(),
  createdAt: z.int(),
});

const account = olderAccount.extend({ accessManager: z.boolean() }) satisfies z.ZodType<Account>;

const olderToken = z.strictObject({
  tokenId: idSchema,
  accountId,
  name: z.string(),
  hash: sha256,
  createdAt: z.int(),
  expiresAt: z.int().nullable(),
});

const apiToken = olderToken.extend({ kind: z.literal('api') }) satisfies z.ZodType<ApiToken>;

const ttlockToken = olderToken.extend({
  kind: z.literal('ttlock'),
  loginId: idSchema,
  sessionId: z.string().regex(/^[0-9a-f]{32}$/),
  refreshHash: sha256,
  refreshUntil: z.int(),
}) satisfies z.ZodType<TtlockToken>;

const removed = z.strictObject({ accountId, username: z.string().min(1), removedAt: z.int() }) satisfies z.ZodType<RemovedAccount>;

/** All accounts and tokens of a gateway. */
export interface Accounts {
  readonly accounts: readonly Account[];
  readonly tokens: readonly Token[];
}

type OlderAccount = z.infer<typeof olderAccount>;
type OlderToken = z.infer<typeof olderToken>;

/** Before there were people, gateway administrators had all rights that there were. */
function withAccess(older: OlderAccount): Account {
  return { ...older, accessManager: older.gatewayAdministrator };
}

/** Before there were TTLock logins, every token was one of the API. */
function ofApi(older: OlderToken): ApiToken {
  return { ...older, kind: 'api' };
}

function upgraded(row: OlderToken | OlderAccount | Account | RemovedAccount): AccountItem {
  if ('tokenId' in row) return ofApi(row);
  if ('removedAt' in row || 'accessManager' in row) return row;
  return withAccess(row);
}

export const accountRows: RowFormat<AccountItem> = {
  of: 'accounts',
  schemaVersion: 3,
  schema: z.union([z.discriminatedUnion('kind', [apiToken, ttlockToken]), account, removed]),
  older: {
    schemaVersions: [1, 2],
    schema: z.union([olderToken, account, olderAccount, removed]),
    upgrade: (rows) =>
      Array.from(rows as Iterable<Parameters<typeof upgraded>[0]>, (older) => {
        const row = upgraded(older);
        return [accountKeyOf(row), row] as const;
      }),
  },
};

/** The format of accounts.json, which older programs wrote before there were rows. */
export const olderAccounts: DocumentFormat<Accounts> = {
  schemaVersion: 1,
  schema: z.strictObject({ accounts: z.array(olderAccount.transform(withAccess)), tokens: z.array(olderToken.transform(ofApi)) }),
};

/** The accounts and tokens in these rows. */
export function accountsOf(rows: Iterable<readonly [string, AccountItem]>): Accounts & { readonly removed: readonly RemovedAccount[] } {
  const [accounts, tokens, removed]: [Account[], Token[], RemovedAccount[]] = [[], [], []];
  for (const [, row] of rows) {
    if ('tokenId' in row) tokens.push(row);
    else if ('removedAt' in row) removed.push(row);
    else accounts.push(row);
  }
  return { accounts, tokens, removed };
}

export function accountRowsOf({ accounts, tokens }: Accounts): [string, AccountItem][] {
  return [...accounts, ...tokens].map((row) => [accountKeyOf(row), row]);
}

export const accountKey = (accountId: AccountId): string => `account ${accountId}`;
export const tokenKey = (tokenId: number): string => `token ${tokenId}`;

export function accountKeyOf(row: AccountItem): string {
  if ('tokenId' in row) return tokenKey(row.tokenId);
  return 'removedAt' in row ? `removed ${row.accountId}` : accountKey(row.accountId);
}

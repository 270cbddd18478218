// accounts.json: accounts and the hashes of their tokens.
import { z } from 'zod';
import type { Account, Token } from '../domain/account.ts';
import type { AccountStore, Accounts } from '../domain/ports.ts';
import { type BeforeUpgrade, createDocument, type Document, type DocumentFormat } from './document.ts';
import type { FileLayer } from './files.ts';
import { accountId, id, sha256 } from './id-schemas.ts';

const account = z.strictObject({
  accountId,
  username: z.string().min(1),
  gatewayAdministrator: z.boolean(),
  createdAt: z.int(),
}) satisfies z.ZodType<Account>;

const token = z.strictObject({
  tokenId: id,
  accountId,
  name: z.string(),
  hash: sha256,
  createdAt: z.int(),
  expiresAt: z.int().nullable(),
}) satisfies z.ZodType<Token>;

export const accountFormat: DocumentFormat<Accounts> = {
  schemaVersion: 1,
  schema: z.strictObject({ accounts: z.array(account), tokens: z.array(token) }),
};

export interface AccountFile extends AccountStore {
  readonly document: Document<Accounts>;
  highest(): { readonly accountId: number; readonly tokenId: number };
}

export function createAccountFile(files: FileLayer, path: string, beforeUpgrade?: BeforeUpgrade): AccountFile {
  const document = createDocument({ files, path, format: accountFormat, beforeUpgrade });
  return {
    document,
    current: () => document.current(),
    update: (change) => document.update(change),
    highest() {
      const now = document.current();
      return {
        accountId: Math.max(0, ...now.accounts.map((one) => one.accountId)),
        tokenId: Math.max(0, ...now.tokens.map((one) => one.tokenId)),
      };
    },
  };
}

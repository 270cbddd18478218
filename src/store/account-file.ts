// accounts.json: accounts and the hashes of their tokens. And the first start, which makes the first account.
import { z } from 'zod';
import type { Account, AccountId, Token } from '../domain/account.ts';
import type { AccountStore, Accounts, Secrets } from '../domain/ports.ts';
import { type BeforeUpgrade, createDocument, type Document, type DocumentFormat } from './document.ts';
import { replaceFile } from './durable-file.ts';
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
    current: document.current,
    update: document.update,
    highest() {
      const now = document.current();
      return {
        accountId: Math.max(0, ...now.accounts.map((one) => one.accountId)),
        tokenId: Math.max(0, ...now.tokens.map((one) => one.tokenId)),
      };
    },
  };
}

/**
 * First start: account 1, `admin`, with token 1. Its secret is the one that is given; else a new one, which goes into `tokenPath` (0600) and nowhere
 * else (HTTP API 5), and is on the disk before the account: a power cut in between leaves a first start, not a locked door.
 */
export async function makeFirstAccount(options: {
  readonly files: FileLayer;
  readonly accounts: AccountFile;
  readonly given: string | undefined;
  readonly tokenPath: string;
  readonly secrets: Secrets;
  readonly now: number;
}): Promise<void> {
  const { files, accounts: file, given, tokenPath, secrets, now } = options;
  const secret = given ?? secrets.newToken();
  if (given === undefined) await replaceFile(files, tokenPath, Buffer.from(`${secret}\n`));
  const first = 1 as AccountId;
  await file.document.put({
    accounts: [{ accountId: first, username: 'admin', gatewayAdministrator: true, createdAt: now }],
    tokens: [{ tokenId: 1, accountId: first, name: 'first start', hash: secrets.hash(secret), createdAt: now, expiresAt: null }],
  });
}

// admin.token holds the token of a first start in plain text: once another gateway administrator's token is valid, the file is only a risk.
import { hash } from 'node:crypto';
import type { LocalAccountView } from '../../../domain/accounts/account-book.ts';
import type { FileLayer } from '../files.ts';
import { readAccounts } from './account-file.ts';
import { readIfThere } from './durable-file.ts';

export const adminTokenName = 'admin.token';

/** Hashes of all tokens of the API of gateway administrators that are valid now. */
export function administratorHashes(accounts: Pick<LocalAccountView, 'tokenPage' | 'get'>, now: number): readonly string[] {
  const all = accounts.tokenPage({ pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER }).list;
  return all
    .filter(({ kind }) => kind === 'api')
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .filter(({ accountId }) => accounts.get(accountId)?.gatewayAdministrator === true)
    .map((token) => token.hash);
}

/** Whether the directory still has the file although one of these hashes belongs to another token. An unreadable file counts as needed. */
export async function isSpare(files: FileLayer, directory: string, hashes: readonly string[]): Promise<boolean> {
  const file = await readIfThere(files, `${directory}/${adminTokenName}`).catch(() => undefined);
  if (!file) return false;
  const own = hash('sha256', file.toString('utf8').trim());
  return hashes.some((other) => other !== own);
}

/** The same, with the accounts from the directory; false as well when those cannot be read. */
export async function hasSpareAdminToken(files: FileLayer, directory: string, now: number): Promise<boolean> {
  const accounts = await readAccounts(files, directory).catch(() => undefined);
  return accounts !== undefined && isSpare(files, directory, administratorHashes(accounts, now));
}

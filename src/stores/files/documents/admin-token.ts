// admin.token, the token of a first start in plain words: as soon as another one of a gateway administrator holds, it is a risk and no help.
import { hash } from 'node:crypto';
import type { AccountReader } from '../../../domain/accounts/account-book.ts';
import type { FileLayer } from '../files.ts';
import { readAccounts } from './account-file.ts';
import { readIfThere } from './durable-file.ts';

export const adminTokenName = 'admin.token';

/** Hashes of the tokens by which gateway administrators come in at this moment. */
export function administratorHashes(accounts: Pick<AccountReader, 'tokenPage' | 'get'>, now: number): readonly string[] {
  const all = accounts.tokenPage({ pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER }).list;
  return all
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .filter(({ accountId }) => accounts.get(accountId)?.gatewayAdministrator === true)
    .map((token) => token.hash);
}

/** Whether a directory has the file though one of these tokens is another one. When it cannot be read it counts as needed. */
export async function isSpare(files: FileLayer, directory: string, hashes: readonly string[]): Promise<boolean> {
  const file = await readIfThere(files, `${directory}/${adminTokenName}`).catch(() => undefined);
  if (!file) return false;
  const own = hash('sha256', file.toString('utf8').trim());
  return hashes.some((other) => other !== own);
}

/** The same by the accounts that lie there; false as well when those cannot be read. */
export async function hasSpareAdminToken(files: FileLayer, directory: string, now: number): Promise<boolean> {
  const accounts = await readAccounts(files, directory).catch(() => undefined);
  return accounts !== undefined && isSpare(files, directory, administratorHashes(accounts, now));
}

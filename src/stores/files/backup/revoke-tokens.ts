// After a restore whose operator does not trust what the backup lets in: one new token replaces all tokens, passwords, passkeys and TTLock
// logins.
import { createAccountCredentialFile } from '../documents/account-credential-file.ts';
import { createAccountFile } from '../documents/account-file.ts';
import { createCounterFile } from '../documents/counter-file.ts';
import { previousOf, removeIfThere, replaceFile } from '../documents/durable-file.ts';
import { createSecrets } from '../documents/secrets.ts';
import { createTtlockLoginFile } from '../documents/ttlock-login-file.ts';
import type { FileLayer } from '../files.ts';

/**
 * Invalidates every token, password, passkey and TTLock login of a data directory that no process uses. The first gateway administrator
 * gets a new token, whose secret goes to `admin.token` (0600) as after a first start. Resolves with that account's name; rejects with a
 * sentence when there is no gateway administrator.
 */
export async function revokeTokens(files: FileLayer, directory: string, now: number): Promise<string> {
  const accounts = createAccountFile({ files, directory });
  const counters = createCounterFile(files, `${directory}/counters.json`);
  if (!(await counters.document.load()) || !(await accounts.open())) throw new Error('it has no accounts, so no token either');
  const all = { pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER };
  const administrator = accounts.page(all).list.find(({ gatewayAdministrator }) => gatewayAdministrator);
  if (!administrator) throw new Error('it has no gateway administrator who could have the new token');
  await accounts.removeTokens(accounts.tokenPage(all).list.map(({ tokenId }) => tokenId));
  await createAccountCredentialFile({ files, directory }).begin();
  await createTtlockLoginFile({ files, directory }).begin();
  const secrets = createSecrets();
  const secret = secrets.newToken();
  await replaceFile(files, `${directory}/admin.token`, Buffer.from(`${secret}\n`));
  const tokenId = await counters.next('tokenId');
  const { accountId, username } = administrator;
  const token = { kind: 'api', tokenId, accountId, name: 'restore', hash: secrets.hash(secret), createdAt: now, expiresAt: null } as const;
  await accounts.addToken(token);
  await removeIfThere(files, previousOf(`${directory}/counters.json`));
  return username;
}

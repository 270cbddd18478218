// What a first start creates and every later start needs: the key of command ids, the counters, the accounts. If one of them is missing
// while other data exists, the start stops: new counters would give out numbers again, and new accounts would give the house to the person
// who starts the daemon.
import type { AccountId } from '../../domain/accounts/account.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import type { Secrets } from '../../domain/secrets.ts';
import { type AccountFile, accountsName } from './documents/account-file.ts';
import { commandKeyName, openCommandKey } from './documents/command-key.ts';
import { type CounterFile, noCounters } from './documents/counter-file.ts';
import { loadNeeded, missingDocument } from './documents/document.ts';
import { replaceFile } from './documents/durable-file.ts';
import type { FileLayer } from './files.ts';

/** The file for the token of the first start: always on this machine, wherever the documents lie. */
export interface AdminTokenFile {
  readonly files: FileLayer;
  readonly path: string;
}

interface FirstFiles {
  readonly files: FileLayer;
  readonly directory: string;
  readonly counters: CounterFile;
  readonly accounts: AccountFile;
}

/**
 * Loads `counters` and `accounts`; resolves with whether this is a first start, which may have neither. Rejects with a sentence that names the
 * missing or damaged file.
 */
export async function loadFirst({ files, directory, counters, accounts }: FirstFiles): Promise<boolean> {
  const isFirstStart = !(await holdsData(files, directory));
  const needed = { 'counters.json': counters.document, [accountsName]: { load: accounts.open } };
  for (const [name, file] of Object.entries(needed))
    if (!(await loadNeeded(file, `${directory}/${name}`)) && !isFirstStart) throw missingDocument(`${directory}/${name}`);
  return isFirstStart;
}

/** Creates what a first start has not yet; resolves with the key. */
export async function beginFirst(
  options: FirstFiles & {
    readonly isFirstStart: boolean;
    readonly adminToken: AdminTokenFile;
    /** See StoreOptions.givenAdminToken. */
    readonly givenAdminToken: (() => Promise<string | undefined>) | undefined;
    readonly secrets: Secrets;
    readonly clock: Pick<Clock, 'now'>;
    readonly log: Log;
  },
): Promise<Buffer> {
  const { files, directory, counters, accounts, isFirstStart, adminToken, givenAdminToken, secrets, clock, log } = options;
  const key = await openCommandKey(files, `${directory}/${commandKeyName}`, log, isFirstStart);
  if (!counters.document.isThere()) await counters.document.put({ ...noCounters, accountId: 1, tokenId: 1 });
  if (accounts.highest().accountId === 0) {
    const given = await givenAdminToken?.();
    await makeFirstAccount({ accounts, given, adminToken, secrets, now: clock.now() });
    const where = given === undefined ? { file: 'admin.token' } : { file: null };
    log.info(
      { code: 'first-start', ...where },
      `first start: the account admin was made, its token is ${given === undefined ? 'in the data directory' : 'the one that was handed over'}; "latchd account invite admin" lets a person choose its password`,
    );
  }
  return key;
}

/** Whether the directory holds anything that a first start does not create before its accounts. */
async function holdsData(files: FileLayer, directory: string): Promise<boolean> {
  const [top, locks, days] = await Promise.all([directory, `${directory}/locks`, `${directory}/records`].map(files.readdir));
  const signs = [accountsName, 'accounts.json', 'accounts.json.previous', 'hubs.json', 'status.json', 'quarantine.jsonl'];
  return signs.some((name) => top?.includes(name)) || (locks ?? []).length > 0 || (days ?? []).length > 0;
}

/**
 * First start: account 1, `admin`, with token 1. A given secret is used as it is; a new one is written to `adminToken` (0600) and nowhere
 * else (HTTP API 2.1), and is on the disk before the account is. So a power cut in between leads to another first start, not to a gateway
 * that nobody can administer.
 */
async function makeFirstAccount(options: {
  readonly accounts: AccountFile;
  readonly given: string | undefined;
  readonly adminToken: AdminTokenFile;
  readonly secrets: Secrets;
  readonly now: number;
}): Promise<void> {
  const { accounts: file, given, adminToken, secrets, now } = options;
  const secret = given ?? secrets.newToken();
  if (given === undefined) await replaceFile(adminToken.files, adminToken.path, Buffer.from(`${secret}\n`));
  const first = 1 as AccountId;
  await file.begin(
    { accountId: first, username: 'admin', gatewayAdministrator: true, accessManager: true, createdAt: now },
    { kind: 'api', tokenId: 1, accountId: first, name: 'first start', hash: secrets.hash(secret), createdAt: now, expiresAt: null },
  );
}

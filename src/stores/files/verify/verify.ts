// Reads a whole data directory that no process is using and says what is wrong with it, file by file. Changes nothing.
import { stat } from 'node:fs/promises';
import { hubOf } from '../../../domain/locks/hub.ts';
import type { RemovedLock } from '../../../domain/locks/removed-lock.ts';
import type { StoredWebhook } from '../../../domain/webhooks/webhook.ts';
import { dataFolders, documentsIn, type KnownDocument, neededNames, readKnown, strangersIn } from '../data-directory.ts';
import { runningOwner } from '../directory-lock.ts';
import { accountsName } from '../documents/account-file.ts';
import { type Accounts, accountRows, accountsOf, olderAccounts } from '../documents/account-rows.ts';
import { counterFormat } from '../documents/counter-file.ts';
import type { DocumentFormat } from '../documents/document-format.ts';
import { readIfThere } from '../documents/durable-file.ts';
import { type Hubs, hubFormat, noHubs } from '../documents/hub-file.ts';
import { type LockDocument, lockDocumentFormat } from '../documents/lock-document.ts';
import { lostDocuments } from '../documents/lock-file-names.ts';
import { personRows } from '../documents/person-file.ts';
import { removedLockFormat } from '../documents/removed-lock-files.ts';
import { revocationRows } from '../documents/revocation-file.ts';
import type { RowFormat } from '../documents/row-reader.ts';
import { scheduleFormat } from '../documents/schedule-file.ts';
import { ttlockLoginRows } from '../documents/ttlock-login-file.ts';
import { webhookFormat } from '../documents/webhook-files.ts';
import { codeOf, type FileLayer, nodeFiles } from '../files.ts';
import { holdsMessage } from '../quarantine.ts';
import { verifyCards } from './verify-cards.ts';
import { verifyFloors } from './verify-floors.ts';
import { namesIn, type Report, readdirIfThere, remarkTorn, repeated, verifyLines } from './verify-lines.ts';
import { verifyLogs } from './verify-logs.ts';
import { verifyPeople } from './verify-people.ts';
import { verifyRecords } from './verify-records.ts';
import { verifyRevocations } from './verify-revocations.ts';
import { verifyTtlockLogins } from './verify-ttlock-logins.ts';

/** `file` is relative to the data directory. */
export interface VerifyFinding {
  readonly file: string;
  readonly problem: string;
}

export interface Verified {
  /** What is wrong. */
  readonly findings: readonly VerifyFinding[];
  /** States that are allowed but that a person may want to know: bytes that a power cut left of a write that was never acknowledged. */
  readonly remarks: readonly VerifyFinding[];
  readonly locks: number;
  readonly records: number;
}

/** Rejects when a process uses the directory, or when it does not exist. */
export async function verify(directory: string, files: FileLayer = nodeFiles()): Promise<Verified> {
  const findings: VerifyFinding[] = [];
  const remarks: VerifyFinding[] = [];
  const report: Report = Object.assign(
    (file: string, problem: string): void => {
      const short = problem.replaceAll(`${directory}/`, '');
      findings.push({ file, problem: short.startsWith(`${file} `) ? short.slice(file.length + 1) : short });
    },
    { remark: (file: string, what: string): void => void remarks.push({ file, problem: what }) },
  );
  await requireData(files, directory);
  const pid = await runningOwner(files, directory);
  if (pid !== undefined) throw new Error(`latchd is running on ${directory} as process ${pid}: stop it first`);
  const loaded = await loadDocuments(files, directory, report);
  const counters = loaded(counterFormat)[0]?.content;
  const [rows] = loaded(accountRows);
  const accounts = rows ? accountsOf(rows.content) : loaded(olderAccounts)[0]?.content;
  const locks = await verifyLocks(files, directory, loaded(lockDocumentFormat), accounts, report);
  const removedIds = verifyRemovedLocks(loaded(removedLockFormat), report);
  const cardIds = await verifyCards(
    files,
    directory,
    await readdirIfThere(files, `${directory}/cards`),
    await readdirIfThere(files, `${directory}/locks`),
    locks,
    removedIds,
    report,
  );
  verifyHubs(loaded(hubFormat)[0]?.content ?? noHubs, locks, report);
  if (accounts) verifyAccounts(rows ? accountsName : 'accounts.json', accounts, report);
  const webhookIds = verifyWebhooks(loaded(webhookFormat), report);
  const ofPeople = verifyPeople(
    ...([await files.readdir(directory), counters] as const),
    ...([loaded(personRows)[0]?.content, loaded(scheduleFormat)[0]?.content.schedules] as const),
    report,
  );
  const revocationIds = verifyRevocations(await files.readdir(directory), counters, loaded(revocationRows)[0]?.content, report);
  const ttlockLoginIds = verifyTtlockLogins(loaded(ttlockLoginRows)[0]?.content, report);
  await verifyKey(files, directory, report);
  for (const file of ['quarantine.jsonl', 'quarantine.previous.jsonl']) {
    await verifyLines(files, directory, file, report, (line) => (holdsMessage(line) ? undefined : 'holds something else than a message'));
  }
  await verifyLogs(files, directory, report);
  const records = await verifyRecords(files, directory, report);
  const ids = { cardIds, removedIds, webhookIds, ofPeople, revocationIds, ttlockLoginIds };
  if (counters) verifyFloors({ counters, accounts, locks, ...ids, records }, report);
  await verifyModes(files, directory, report);
  // verifyRecords says more about those among the records.
  const strangers = (await strangersIn(directory)).filter((name) => !name.startsWith('records/'));
  for (const name of strangers) report.remark(name, "is not latchd's, and in no backup");
  return { findings, remarks, locks: locks.length, records: records.count };
}

/** A mistyped path must not look like a data directory with everything missing. */
async function requireData(files: FileLayer, directory: string): Promise<void> {
  const names = await files.readdir(directory).catch((error: unknown) => {
    throw new Error(`${directory} cannot be read (${codeOf(error)})`, { cause: error });
  });
  if (neededNames.some((name) => names.includes(name))) return;
  throw new Error(`${directory} is no data directory of latchd: is --data-dir right?`);
}

async function verifyKey(files: FileLayer, directory: string, report: Report): Promise<void> {
  try {
    const key = await readIfThere(files, `${directory}/command.key`);
    if (key?.length !== 32) report('command.key', key ? 'is not 32 bytes long' : 'is missing');
  } catch (error) {
    report('command.key', `cannot be read (${codeOf(error)})`);
  }
}

interface Loaded<T> {
  readonly file: string;
  readonly content: T;
}

/** Reads every document; resolves with a function that returns those of one format. */
async function loadDocuments(files: FileLayer, directory: string, report: Report) {
  const all: (Loaded<object> & { readonly format: KnownDocument['format'] })[] = [];
  for await (const known of documentsIn(files, directory)) {
    const { name: file, format, isNeeded } = known;
    const onTorn = (bytes: number): void => remarkTorn(report, file, bytes);
    try {
      const content = await readKnown(files, directory, known, { onTorn });
      if (content) all.push({ file, format, content });
      else if (isNeeded) report(file, 'is missing');
    } catch (error) {
      report(file, error instanceof Error ? error.message : String(error));
    }
  }
  function loaded<T extends object>(wanted: RowFormat<T>): readonly Loaded<ReadonlyMap<string, T>>[];
  function loaded<T>(wanted: DocumentFormat<T>): readonly Loaded<T>[];
  function loaded(wanted: object): unknown {
    return all.filter(({ format }) => format === wanted);
  }
  return loaded;
}

async function verifyLocks(
  files: FileLayer,
  directory: string,
  documents: readonly Loaded<LockDocument>[],
  accounts: Accounts | undefined,
  report: Report,
): Promise<LockDocument[]> {
  const known = new Set(accounts?.accounts.map(({ accountId }) => accountId));
  const names = await namesIn(files, directory, 'locks', report);
  for (const lockId of lostDocuments(names)) report(`locks/${lockId}.json`, 'is missing, though what it held before is there');
  for (const { file, content } of documents) {
    const { lock } = content;
    if (file !== `locks/${lock.lockId}.json`) report(file, `holds lock ${lock.lockId}`);
    // When an account is removed, its roles stay with the locks; the administrator of a lock cannot be removed.
    if (accounts && !known.has(lock.administrator)) report(file, `names the administrator ${lock.administrator}, who is not there`);
  }
  return documents.map(({ content }) => content);
}

/**
 * A document of a removed lock that still exists is no error: a power cut in the middle of a removal leaves both, and the next start
 * deletes one.
 */
function verifyRemovedLocks(documents: readonly Loaded<RemovedLock>[], report: Report): readonly number[] {
  for (const { file, content } of documents) if (file !== `removed/${content.lockId}.json`) report(file, `holds lock ${content.lockId}`);
  return documents.map(({ content }) => content.lockId);
}

function verifyWebhooks(documents: readonly Loaded<StoredWebhook>[], report: Report): readonly number[] {
  for (const { file, content } of documents) {
    const { webhookId } = content.webhook;
    if (file !== `webhooks/${webhookId}.json`) report(file, `holds webhook ${webhookId}`);
  }
  return documents.map(({ content }) => content.webhook.webhookId);
}

function verifyHubs({ hubs }: Hubs, locks: readonly LockDocument[], report: Report): void {
  const known = new Set(hubs.map(({ deviceId }) => deviceId));
  for (const { lock } of locks) {
    const hubId = hubOf(lock);
    if (hubId !== null && !known.has(hubId)) report(`locks/${lock.lockId}.json`, `names the hub ${hubId}, which is not there`);
  }
  const deviceIds = [...locks.map(({ lock }) => lock.deviceId), ...hubs.map(({ deviceId }) => deviceId)];
  for (const deviceId of repeated(deviceIds)) report('.', `has two locks or hubs with the deviceId ${deviceId}`);
}

function verifyAccounts(file: string, { accounts, tokens }: Accounts, report: Report): void {
  if (!accounts.some(({ gatewayAdministrator }) => gatewayAdministrator)) report(file, 'has no gateway administrator');
  for (const username of repeated(accounts.map((account) => account.username))) report(file, `has the name ${username} twice`);
  for (const accountId of repeated(accounts.map((account) => account.accountId))) report(file, `has the accountId ${accountId} twice`);
  for (const tokenId of repeated(tokens.map((token) => token.tokenId))) report(file, `has the tokenId ${tokenId} twice`);
  const known = new Set(accounts.map(({ accountId }) => accountId));
  // Tokens become invalid with their account, and are deleted after it.
  const left = tokens.filter(({ accountId }) => !known.has(accountId)).length;
  if (left > 0) report.remark(file, `has ${left} tokens of accounts that were removed, which the next start forgets`);
}

async function verifyModes(files: FileLayer, directory: string, report: Report): Promise<void> {
  const top = await files.readdir(directory);
  const names = ['.', ...top];
  for (const folder of dataFolders.filter((name) => top.includes(name))) {
    names.push(...(await files.readdir(`${directory}/${folder}`)).map((name) => `${folder}/${name}`));
  }
  for (const file of names) {
    const { mode } = await stat(`${directory}/${file}`);
    // Certificates are public.
    if ((mode & 0o077) !== 0 && !file.endsWith('.crt'))
      report(file, `may be read by others than its owner (mode ${(mode & 0o777).toString(8)})`);
    if (file.endsWith('.damaged')) report(file, 'holds what a start found damaged and set aside');
  }
}

// Reads a whole data directory that no process is using and says what is wrong with it, file by file. Changes nothing.
import { stat } from 'node:fs/promises';
import type { Accounts, Hubs } from '../domain/ports.ts';
import { accountFormat } from './account-file.ts';
import { alarmFormat } from './alarm-file.ts';
import { holdsDeed } from './audit-log.ts';
import { batteryFormat } from './battery-file.ts';
import { clockFormat } from './clock-trust.ts';
import { type Counters, counterFormat } from './counter-file.ts';
import { runningOwner } from './directory-lock.ts';
import { createDocument, type DocumentFormat } from './document.ts';
import { readIfThere } from './durable-file.ts';
import { codeOf, type FileLayer, nodeFiles } from './files.ts';
import { hubFormat, noHubs } from './hub-file.ts';
import { type LockDocument, lockDocumentFormat } from './lock-document.ts';
import { lostDocuments } from './lock-files.ts';
import { holdsMessage } from './quarantine.ts';
import { statusFormat } from './status-file.ts';
import { namesIn, type Report, repeated, verifyLines } from './verify-lines.ts';
import { type VerifiedRecords, verifyRecords } from './verify-records.ts';
import { webhookFileName, webhookFormat } from './webhook-files.ts';

/** `file` is relative to the data directory. */
export interface Finding {
  readonly file: string;
  readonly problem: string;
}

export interface Verified {
  /** What is wrong. */
  readonly findings: readonly Finding[];
  /** What is as it may be, and a person may still want to know: what a power cut left that nobody was told is kept. */
  readonly remarks: readonly Finding[];
  readonly locks: number;
  readonly records: number;
}

/** Rejects when a process has the directory, or when there is none. Takes about a second for 200,000 records. */
export async function verify(directory: string, files: FileLayer = nodeFiles()): Promise<Verified> {
  const findings: Finding[] = [];
  const remarks: Finding[] = [];
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
  const load = loader(files, directory, report);
  const counters = await load('counters.json', counterFormat, 'needed');
  const accounts = await load('accounts.json', accountFormat, 'needed');
  await load('status.json', statusFormat, 'optional');
  await load('battery.json', batteryFormat, 'optional');
  await load('clock.json', clockFormat, 'optional');
  await load('alarms.json', alarmFormat, 'optional');
  const locks = await verifyLocks(files, directory, load, accounts, report);
  verifyHubs((await load('hubs.json', hubFormat, 'optional')) ?? noHubs, locks, report);
  if (accounts) verifyAccounts(accounts, report);
  const webhookIds = await verifyWebhooks(files, directory, load, report);
  await verifyKey(files, directory, report);
  for (const file of ['quarantine.jsonl', 'quarantine.previous.jsonl']) {
    await verifyLines(files, directory, file, report, (line) => (holdsMessage(line) ? undefined : 'holds something else than a message'));
  }
  for (const name of (await readdirIfThere(files, `${directory}/audit`)).sort()) {
    if (!name.endsWith('.jsonl')) continue;
    await verifyLines(files, directory, `audit/${name}`, report, (line) =>
      holdsDeed(line) ? undefined : 'holds something else than a deed',
    );
  }
  const records = await verifyRecords(files, directory, report);
  if (counters) verifyFloors({ counters, accounts, locks, webhookIds, records }, report);
  await verifyModes(files, directory, report);
  return { findings, remarks, locks: locks.length, records: records.count };
}

/** A mistyped directory is not one with everything missing. */
async function requireData(files: FileLayer, directory: string): Promise<void> {
  const names = await files.readdir(directory).catch((error: unknown) => {
    throw new Error(`${directory} cannot be read (${codeOf(error)})`, { cause: error });
  });
  if (['accounts.json', 'counters.json', 'locks', 'records'].some((name) => names.includes(name))) return;
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

type Load = <T extends object>(file: string, format: DocumentFormat<T>, how: 'needed' | 'optional') => Promise<T | undefined>;

function loader(files: FileLayer, directory: string, report: Report): Load {
  return async (file, format, how) => {
    const document = createDocument({ files, path: `${directory}/${file}`, format });
    try {
      if (await document.load()) return document.current();
      if (how === 'needed') report(file, 'is missing');
    } catch (error) {
      report(file, String(error instanceof Object && 'message' in error ? error.message : error));
    }
    return undefined;
  };
}

async function verifyLocks(
  files: FileLayer,
  directory: string,
  load: Load,
  accounts: Accounts | undefined,
  report: Report,
): Promise<LockDocument[]> {
  const documents: LockDocument[] = [];
  const known = new Set(accounts?.accounts.map(({ accountId }) => accountId));
  const names = await namesIn(files, directory, 'locks', report);
  for (const lockId of lostDocuments(names)) report(`locks/${lockId}.json`, 'is missing, though what it held before is there');
  for (const name of names) {
    if (!/^\d+\.json$/.test(name)) continue;
    const file = `locks/${name}`;
    const document = await load(file, lockDocumentFormat, 'needed');
    if (!document) continue;
    const { lock, cards } = document;
    if (lock.lockId !== Number.parseInt(name, 10)) report(file, `holds lock ${lock.lockId}`);
    documents.push(document);
    // Roles stay with a lock when their account is removed; an administrator cannot be.
    if (accounts && !known.has(lock.administrator)) report(file, `names the administrator ${lock.administrator}, who is not there`);
    for (const card of cards) if (card.lockId !== lock.lockId) report(file, `holds the card ${card.cardId} of lock ${card.lockId}`);
  }
  const cardIds = documents.flatMap(({ cards }) => cards.map(({ cardId }) => cardId));
  for (const cardId of repeated(cardIds)) report('locks', `has the cardId ${cardId} twice`);
  return documents;
}

async function verifyWebhooks(files: FileLayer, directory: string, load: Load, report: Report): Promise<readonly number[]> {
  const webhookIds: number[] = [];
  for (const name of (await readdirIfThere(files, `${directory}/webhooks`)).sort()) {
    if (!webhookFileName.test(name)) continue;
    const document = await load(`webhooks/${name}`, webhookFormat, 'needed');
    if (!document) continue;
    const { webhookId } = document.webhook;
    if (webhookId !== Number.parseInt(name, 10)) report(`webhooks/${name}`, `holds webhook ${webhookId}`);
    webhookIds.push(webhookId);
  }
  return webhookIds;
}

function verifyHubs({ hubs }: Hubs, locks: readonly LockDocument[], report: Report): void {
  const known = new Set(hubs.map(({ deviceId }) => deviceId));
  for (const { lock } of locks) {
    if (lock.hubId !== null && !known.has(lock.hubId))
      report(`locks/${lock.lockId}.json`, `names the hub ${lock.hubId}, which is not there`);
  }
  const deviceIds = [...locks.map(({ lock }) => lock.deviceId), ...hubs.map(({ deviceId }) => deviceId)];
  for (const deviceId of repeated(deviceIds)) report('.', `has two locks or hubs with the deviceId ${deviceId}`);
}

function verifyAccounts({ accounts, tokens }: Accounts, report: Report): void {
  const file = 'accounts.json';
  if (!accounts.some(({ gatewayAdministrator }) => gatewayAdministrator)) report(file, 'has no gateway administrator');
  for (const username of repeated(accounts.map((account) => account.username))) report(file, `has the name ${username} twice`);
  for (const accountId of repeated(accounts.map((account) => account.accountId))) report(file, `has the accountId ${accountId} twice`);
  for (const tokenId of repeated(tokens.map((token) => token.tokenId))) report(file, `has the tokenId ${tokenId} twice`);
  const known = new Set(accounts.map(({ accountId }) => accountId));
  for (const { tokenId, accountId } of tokens) {
    if (!known.has(accountId)) report(file, `has the token ${tokenId} of account ${accountId}, which is not there`);
  }
}

/** A floor below a number in use would give that number again. */
function verifyFloors(
  found: {
    readonly counters: Counters;
    readonly accounts: Accounts | undefined;
    readonly locks: readonly LockDocument[];
    readonly webhookIds: readonly number[];
    readonly records: VerifiedRecords;
  },
  report: Report,
): void {
  const { counters, accounts, locks, webhookIds, records } = found;
  const inUse = {
    lockId: locks.map(({ lock }) => lock.lockId),
    cardId: locks.flatMap(({ cards }) => cards.map((card) => card.cardId)),
    accountId: accounts?.accounts.map((account) => account.accountId) ?? [],
    tokenId: accounts?.tokens.map((token) => token.tokenId) ?? [],
    recordId: [records.highestRecordId],
    webhookId: webhookIds,
    groupId: counters.groups.map((group) => group.groupId),
  };
  for (const [kind, numbers] of Object.entries(inUse)) {
    const highest = numbers.reduce((most: number, number) => Math.max(most, number), 0);
    const floor = counters[kind as keyof typeof inUse];
    if (highest > floor) report('counters.json', `has the floor ${floor} for ${kind}, but ${highest} is in use`);
  }
  for (const groupId of repeated(counters.groups.map((group) => group.groupId)))
    report('counters.json', `has the groupId ${groupId} twice`);
  for (const name of repeated(counters.groups.map((group) => group.name))) report('counters.json', `has the group ${name} twice`);
}

async function verifyModes(files: FileLayer, directory: string, report: Report): Promise<void> {
  const top = await files.readdir(directory);
  const names = ['.', ...top];
  for (const folder of ['locks', 'records', 'webhooks', 'audit'].filter((name) => top.includes(name))) {
    names.push(...(await files.readdir(`${directory}/${folder}`)).map((name) => `${folder}/${name}`));
  }
  for (const file of names) {
    const { mode } = await stat(`${directory}/${file}`);
    if ((mode & 0o077) !== 0) report(file, `may be read by others than its owner (mode ${(mode & 0o777).toString(8)})`);
    if (file.endsWith('.damaged')) report(file, 'holds what a start found damaged and set aside');
  }
}

async function readdirIfThere(files: FileLayer, folder: string): Promise<string[]> {
  return files.readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
}

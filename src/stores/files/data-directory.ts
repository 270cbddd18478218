// One table of everything that belongs into a data directory: the start, backups, restore, verify and doctor look a file up here, and a
// file that is not in the table is not latchd's (Store 1).
import { readdir, stat } from 'node:fs/promises';
import { isArchiveName } from './backup/backup-folder.ts';
import { clockFormat } from './clock-trust.ts';
import { accountCredentialRows, accountCredentialsName } from './documents/account-credential-file.ts';
import { accountsName } from './documents/account-file.ts';
import { accountRows, olderAccounts } from './documents/account-rows.ts';
import { settingsName, settingsRows } from './documents/account-settings-file.ts';
import { alarmRows, olderAlarms } from './documents/alarm-file.ts';
import { batteryFormat } from './documents/battery-file.ts';
import { commandKeyName } from './documents/command-key.ts';
import { counterFormat } from './documents/counter-file.ts';
import { createDocument } from './documents/document.ts';
import type { DocumentFormat } from './documents/document-format.ts';
import { cardFileName } from './documents/entry-row.ts';
import { gatewayFileName, gatewayFormat } from './documents/gateway-file.ts';
import { homeCodeFormat, homeCodeName } from './documents/home-code-file.ts';
import { hubFormat } from './documents/hub-file.ts';
import { importFileName, importRows } from './documents/import-files.ts';
import { lockDocumentFormat } from './documents/lock-document.ts';
import { pauseFormat, pauseName } from './documents/pause-file.ts';
import { peopleName, personRows } from './documents/person-file.ts';
import { removedLockFileName, removedLockFormat } from './documents/removed-lock-files.ts';
import { revocationRows, revocationsName } from './documents/revocation-file.ts';
import { type RowFormat, readRowFile } from './documents/row-reader.ts';
import { scheduleFormat } from './documents/schedule-file.ts';
import { signInFormat } from './documents/sign-in-file.ts';
import { statusFormat } from './documents/status-file.ts';
import { ttlockLoginRows, ttlockLoginsName } from './documents/ttlock-login-file.ts';
import { webhookFileName, webhookFormat } from './documents/webhook-files.ts';
import { codeOf, type FileLayer } from './files.ts';
import { moveNoteName } from './move-note.ts';

interface DataLine {
  /** A file at the top, or a folder that has `files`. */
  readonly name: string;
  /** Names of the files in a folder. */
  readonly files?: RegExp;
  /** The format of a document, or of each document in a folder: verify and doctor read it with this. */
  readonly format?: DocumentFormat<object>;
  /** The same for a file of rows, and the older document that the next start turns into rows. */
  readonly rows?: RowFormat<object>;
  readonly older?: { readonly name: string; readonly format: DocumentFormat<object> };
  /** The first start creates it: when it is missing, something was lost. */
  readonly isNeeded?: true;
  /** A backup of a running store takes it from the snapshot (`snapshot.ts`), never by its name from the disk. */
  readonly ofOneInstant?: true;
  /** It belongs to this installation alone: no backup contains it, and no restore brings it back. */
  readonly isPassing?: true;
}

const dataLines: readonly DataLine[] = [
  { name: 'counters.json', format: counterFormat, isNeeded: true, ofOneInstant: true },
  {
    name: accountsName,
    rows: accountRows,
    older: { name: 'accounts.json', format: olderAccounts },
    isNeeded: true,
    ofOneInstant: true,
  },
  { name: accountCredentialsName, rows: accountCredentialRows, ofOneInstant: true },
  { name: ttlockLoginsName, rows: ttlockLoginRows, ofOneInstant: true },
  { name: peopleName, rows: personRows, ofOneInstant: true },
  { name: 'schedules.json', format: scheduleFormat, ofOneInstant: true },
  { name: revocationsName, rows: revocationRows, ofOneInstant: true },
  { name: 'hubs.json', format: hubFormat, ofOneInstant: true },
  { name: 'locks', files: /^\d{1,16}\.json$/, format: lockDocumentFormat, isNeeded: true, ofOneInstant: true },
  { name: 'removed', files: removedLockFileName, format: removedLockFormat, ofOneInstant: true },
  { name: 'cards', files: cardFileName, ofOneInstant: true },
  { name: 'webhooks', files: webhookFileName, format: webhookFormat, ofOneInstant: true },
  { name: 'records', files: /^\d{4}-\d\d-\d\d-\d{1,16}\.(jsonl|index|order)$/, isNeeded: true, ofOneInstant: true },
  { name: 'status.json', format: statusFormat },
  { name: 'battery.json', format: batteryFormat },
  { name: 'alarms.jsonl', rows: alarmRows, older: { name: 'alarms.json', format: olderAlarms } },
  { name: settingsName, rows: settingsRows },
  { name: homeCodeName, format: homeCodeFormat },
  { name: 'clock.json', format: clockFormat },
  { name: gatewayFileName, format: gatewayFormat },
  { name: commandKeyName, isNeeded: true },
  { name: 'admin.token' },
  { name: 'quarantine.jsonl' },
  { name: 'quarantine.previous.jsonl' },
  { name: 'broker-client.id', isPassing: true },
  { name: 'sign-ins.jsonl', rows: signInFormat, isPassing: true },
  { name: pauseName, format: pauseFormat, isPassing: true },
  { name: 'imports', files: importFileName, rows: importRows, isPassing: true },
  { name: 'audit', files: /^\d{4}-\d\d-\d\d-\d+\.jsonl$/ },
  { name: 'attempts', files: /^\d{4}-\d\d-\d\d-\d+\.jsonl$/ },
  { name: 'access', files: /^\d{4}-\d\d-\d\d-\d+\.(jsonl|index|facts)$/ },
  // The operator's own certificates may lie beside those that latchd makes.
  { name: 'tls', files: /^\w[\w.-]*\.(crt|key|pem)$/ },
];

/**
 * No backup contains these: files of a running process, of an unfinished write or of an earlier program, files set aside for a person to
 * look at, and backups themselves.
 */
const staysHere = /^latchd\.lock|^control\.sock$|\.(tmp|new|sealing|damaged|previous|partial|gz)$|\.schema-\d+$/;
/** Names in a data directory that are not data: its backups, and a folder that every new file system has. */
const besides = ['backups', 'lost+found', moveNoteName];

/** The folders of the data directory that contain data. */
export const dataFolders: readonly string[] = dataLines.flatMap(({ name, files }) => (files ? [name] : []));

/** The names at the top that the first start creates. */
export const neededNames: readonly string[] = dataLines.flatMap((line) => (line.isNeeded ? namesOf(line) : []));

/** Whether a file, named relative to the data directory, is data of latchd that belongs into a backup. */
export function isData(name: string): boolean {
  const line = lineOf(name);
  return line !== undefined && line.isPassing !== true;
}

/** Whether a running store itself puts this file into a backup. */
export function isInSnapshot(name: string): boolean {
  return lineOf(name)?.ofOneInstant === true;
}

/** Whether a name at the top may exist before latchd has created anything: it is latchd's own or the file system's. */
export function isFamiliar(name: string): boolean {
  return staysHere.test(name) || besides.includes(name) || dataLines.some((line) => namesOf(line).includes(name));
}

function namesOf({ name, older }: DataLine): readonly string[] {
  return older ? [name, older.name] : [name];
}

function lineOf(name: string): DataLine | undefined {
  const [top = '', below, ...deeper] = name.split('/');
  if (deeper.length > 0) return undefined;
  return dataLines.find(
    (line) => namesOf(line).includes(top) && (line.files ? below !== undefined && line.files.test(below) : below === undefined),
  );
}

/** The format of what has this name now; undefined: it has none, or one that only its own store knows. */
export function formatOf(name: string): DocumentFormat<object> | RowFormat<object> | undefined {
  const line = lineOf(name);
  return line?.older?.name === name ? undefined : (line?.format ?? line?.rows);
}

/** The names of the data in a directory, sorted. Follows links to files and folders. `also`: names that are in no backup. */
export async function dataIn(directory: string, also: (name: string) => boolean = () => false): Promise<string[]> {
  const names: string[] = [];
  for (const name of await allNames(directory)) {
    if ((isData(name) || (lineOf(name) !== undefined && also(name))) && (await kindOf(`${directory}/${name}`)) === 'file') names.push(name);
  }
  return names.sort();
}

/** The names of files that are not latchd's, sorted: no backup contains them. */
export async function strangersIn(directory: string): Promise<string[]> {
  const strangers: string[] = [];
  for (const name of await allNames(directory)) {
    if (lineOf(name) || staysHere.test(name) || besides.includes(name)) continue;
    const kind = await kindOf(`${directory}/${name}`);
    if (kind === undefined || (kind === 'folder' && (dataFolders.includes(name) || (await holdsBackups(`${directory}/${name}`))))) continue;
    strangers.push(name);
  }
  return strangers.sort();
}

/** All names at the top and in the folders of data. */
async function allNames(directory: string): Promise<string[]> {
  const top = await readdir(directory);
  const names = [...top];
  for (const folder of dataFolders.filter((name) => top.includes(name))) {
    if ((await kindOf(`${directory}/${folder}`)) !== 'folder') continue;
    names.push(...(await readdir(`${directory}/${folder}`)).map((name) => `${folder}/${name}`));
  }
  return names;
}

/** Undefined: it has been deleted in the meantime, or is neither. */
async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function holdsBackups(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.length > 0 && names.every((name) => isArchiveName(name) || staysHere.test(name));
}

export interface KnownDocument {
  /** Relative to the data directory. */
  readonly name: string;
  readonly format: DocumentFormat<object> | RowFormat<object>;
  readonly isNeeded: boolean;
  /** The next start upgrades it, whatever its schema version. */
  readonly isOlder: boolean;
}

/** The documents and files of rows that a data directory has or should have. */
export async function* documentsIn(files: FileLayer, directory: string): AsyncGenerator<KnownDocument> {
  const top = await files.readdir(directory);
  for (const { name, files: inFolder, older, rows, format = rows, isNeeded = false } of dataLines) {
    if (!format) continue;
    if (!inFolder) {
      const isOlder = older !== undefined && top.includes(older.name) && !top.includes(name);
      yield isOlder ? { ...older, isNeeded, isOlder } : { name, format, isNeeded, isOlder: false };
      continue;
    }
    const names = await files.readdir(`${directory}/${name}`).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    });
    for (const one of names.sort()) if (inFolder.test(one)) yield { name: `${name}/${one}`, format, isNeeded: false, isOlder: false };
  }
}

/**
 * The content of a document, or the rows of a file by their keys; undefined when the file does not exist. Calls `onOlder` when the next
 * start upgrades it, and `onTorn` with the number of bytes that a power cut left behind the rows. Rejects with a sentence.
 */
export async function readKnown(
  files: FileLayer,
  directory: string,
  { name, format, isOlder }: KnownDocument,
  { onOlder, onTorn }: { readonly onOlder?: () => void; readonly onTorn?: (bytes: number) => void },
): Promise<object | undefined> {
  const path = `${directory}/${name}`;
  if ('of' in format) {
    const rows = new Map<string, object>();
    const read = await readRowFile(files, path, format, (changes) => {
      for (const [key, row] of changes) {
        if (row === null) rows.delete(key);
        else rows.set(key, row);
      }
    });
    if (read && read.torn > 0) onTorn?.(read.torn);
    return read && rows;
  }
  const document = createDocument({ files, path, format, beforeUpgrade: async () => onOlder?.() });
  if (!(await document.load())) return undefined;
  if (isOlder) onOlder?.();
  return document.current();
}

// What belongs into a data directory, in one table: the start, backups, restore, verify and doctor know a file by its line here, and anything
// else is not latchd's (Store 1).
import { readdir, stat } from 'node:fs/promises';
import { isArchiveName } from './backup/backup-folder.ts';
import { clockFormat } from './clock-trust.ts';
import { accountRows, accountsName, olderAccounts } from './documents/account-file.ts';
import { alarmRows, olderAlarms } from './documents/alarm-file.ts';
import { batteryFormat } from './documents/battery-file.ts';
import { cardFileName } from './documents/card-row.ts';
import { counterFormat } from './documents/counter-file.ts';
import { createDocument, type DocumentFormat } from './documents/document.ts';
import { hubFormat } from './documents/hub-file.ts';
import { lockDocumentFormat } from './documents/lock-document.ts';
import { removedLockFileName, removedLockFormat } from './documents/removed-lock-files.ts';
import { type RowFormat, readRowFile } from './documents/row-reader.ts';
import { signInFormat } from './documents/sign-in-file.ts';
import { statusFormat } from './documents/status-file.ts';
import { webhookFileName, webhookFormat } from './documents/webhook-files.ts';
import { codeOf, type FileLayer } from './files.ts';

interface DataLine {
  /** A file at the top, or a folder with `files` in it. */
  readonly name: string;
  /** Names of the files in a folder. */
  readonly files?: RegExp;
  /** Of a document, or of each document in a folder: how verify and doctor read it. */
  readonly format?: DocumentFormat<object>;
  /** The same of a file of rows, and the document that was there before it: the next start makes rows of that. */
  readonly rows?: RowFormat<object>;
  readonly older?: { readonly name: string; readonly format: DocumentFormat<object> };
  /** The first start makes it: without it something was lost. */
  readonly isNeeded?: true;
  /** A backup of a running store takes it from what the store gives of one instant (`snapshot.ts`), never by its name from the disk. */
  readonly ofOneInstant?: true;
  /** Of this life alone: no backup takes it, and no restore brings it. */
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
  { name: 'hubs.json', format: hubFormat, ofOneInstant: true },
  { name: 'locks', files: /^\d{1,16}\.json$/, format: lockDocumentFormat, isNeeded: true, ofOneInstant: true },
  { name: 'removed', files: removedLockFileName, format: removedLockFormat, ofOneInstant: true },
  { name: 'cards', files: cardFileName, ofOneInstant: true },
  { name: 'webhooks', files: webhookFileName, format: webhookFormat, ofOneInstant: true },
  { name: 'records', files: /^\d{4}-\d\d-\d\d-\d{1,16}\.(jsonl|index)$/, isNeeded: true, ofOneInstant: true },
  { name: 'status.json', format: statusFormat },
  { name: 'battery.json', format: batteryFormat },
  { name: 'alarms.jsonl', rows: alarmRows, older: { name: 'alarms.json', format: olderAlarms } },
  { name: 'clock.json', format: clockFormat },
  { name: 'command.key', isNeeded: true },
  { name: 'admin.token' },
  { name: 'quarantine.jsonl' },
  { name: 'quarantine.previous.jsonl' },
  { name: 'sign-ins.jsonl', rows: signInFormat, isPassing: true },
  { name: 'audit', files: /^\d{4}-\d\d-\d\d-\d+\.jsonl$/ },
  { name: 'attempts', files: /^\d{4}-\d\d-\d\d-\d+\.jsonl$/ },
  // Certificates of one's own may lie beside those that latchd makes.
  { name: 'tls', files: /^\w[\w.-]*\.(crt|key|pem)$/ },
];

/** Of a process, of an unfinished write, of an earlier program, set aside for a person to look at, or a backup itself: no backup takes it. */
const staysHere = /^latchd\.lock|^control\.sock$|\.(tmp|new|sealing|damaged|previous|partial|gz)$|\.schema-\d+$/;
/** What lies in a data directory without being data: backups of it, and what a file system of its own begins with. */
const besides = ['backups', 'lost+found'];

/** Folders of the data directory that data is in. */
export const dataFolders: readonly string[] = dataLines.flatMap(({ name, files }) => (files ? [name] : []));

/** What the first start makes at the top. */
export const neededNames: readonly string[] = dataLines.flatMap((line) => (line.isNeeded ? namesOf(line) : []));

/** Whether a file, named relative to the data directory, is data of latchd that belongs into a backup. */
export function isData(name: string): boolean {
  const line = lineOf(name);
  return line !== undefined && line.isPassing !== true;
}

/** Whether the store itself gives this file to a backup while it runs. */
export function isInSnapshot(name: string): boolean {
  return lineOf(name)?.ofOneInstant === true;
}

/** Whether a name at the top may be there before latchd has made anything: its own, or nobody's. */
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

/** Names of the data that is in a directory, sorted. Links to files and folders are followed. */
export async function dataIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await allNames(directory)) {
    if (isData(name) && (await kindOf(`${directory}/${name}`)) === 'file') names.push(name);
  }
  return names.sort();
}

/** Names of what is not latchd's, sorted: it is in no backup. */
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

/** All names at the top, and those in folders of data. */
async function allNames(directory: string): Promise<string[]> {
  const top = await readdir(directory);
  const names = [...top];
  for (const folder of dataFolders.filter((name) => top.includes(name))) {
    if ((await kindOf(`${directory}/${folder}`)) !== 'folder') continue;
    names.push(...(await readdir(`${directory}/${folder}`)).map((name) => `${folder}/${name}`));
  }
  return names;
}

/** Undefined: it is gone meanwhile, or neither. */
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
  /** The next start makes something else of it, whatever its schema. */
  readonly isOlder: boolean;
}

/** The documents, and files of rows, that a data directory has, or should have. */
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
 * What a document holds, or the rows of a file by their keys; undefined when it is not there. `onOlder`: the next start upgrades it. `onTorn`:
 * a power cut left so many bytes behind its rows. Rejects with a sentence.
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

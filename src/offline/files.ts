// The commands that work on the data directory themselves: verify, export, backup where no daemon runs, restore.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { LockId } from '../domain/lock.ts';
import type { Log } from '../domain/part.ts';
import type { LockRecord } from '../domain/record.ts';
import { recordView } from '../http/views.ts';
import { becomeOwner } from '../ops/owner.ts';
import type { BackupOutcome } from '../store/backup.ts';
import { backUpDirectory } from '../store/backups.ts';
import { exportRecords } from '../store/export.ts';
import { remedyFor } from '../store/remedies.ts';
import { type Restored, type RestoreOptions, restore } from '../store/restore.ts';
import { verify } from '../store/verify.ts';

/** What is wrong, file by file, and what to do about it. Rejects while a daemon has the directory. */
export async function verifyDirectory(directory: string) {
  const verified = await verify(directory);
  return { ...verified, findings: verified.findings.map((finding) => ({ ...finding, remedy: remedyFor(finding) })) };
}

export interface ExportOptions {
  readonly directory: string;
  readonly lockId: number;
  /** Epoch milliseconds of the operation, both included. */
  readonly from: number;
  readonly to: number;
  readonly format: 'csv' | 'jsonl';
  readonly output: NodeJS.WritableStream;
  /** Told how many files of how many are read, and how many records were written before. */
  onProgress(done: number, days: number, records: number): void;
  /** Told what a person should know besides. */
  warn(sentence: string): void;
}

/** Writes the records of a lock, oldest first, with the names of Specification 2.2; resolves with how many. */
export async function exportLock({ directory, lockId, from, to, format, output, onProgress, warn }: ExportOptions): Promise<number> {
  let count = 0;
  const write = async (text: string) => {
    if (!output.write(text)) await once(output, 'drain');
  };
  // Not before the first records: what cannot be exported leaves nothing.
  let head = format === 'csv' ? `${csvNames.join(',')}\r\n` : '';
  const onSuspectClock = () => warn('the clock of this machine may be wrong: no record was left out for its age');
  const days = exportRecords({
    directory,
    lockId: lockId as LockId,
    from,
    to,
    now: Date.now(),
    onProgress: (done, all) => onProgress(done, all, count),
    onSuspectClock,
  });
  for await (const records of days) {
    count += records.length;
    await write(head + records.map(format === 'csv' ? csvLine : jsonLine).join(''));
    head = '';
  }
  await write(head);
  return count;
}

const csvNames = ['recordId', 'lockId', 'lockDate', 'serverDate', 'recordType', 'success', 'keyboardPwd', 'username'];

function jsonLine(record: LockRecord): string {
  return `${JSON.stringify(recordView(record))}\n`;
}

/** RFC 4180. */
function csvLine(record: LockRecord): string {
  const view = recordView(record) as Record<string, unknown>;
  return `${csvNames.map((name) => csvField(String(view[name]))).join(',')}\r\n`;
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export interface StoppedBackupOptions {
  readonly directory: string;
  /** The usual folder of backups, and how many stay there. */
  readonly folder: string;
  readonly keep: number;
  readonly version: string;
  /** Another folder that is there, or a file. */
  readonly to: string | undefined;
  readonly onProgress: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/** Backs up a data directory on which no daemon runs; as root, to the usual folder, it goes on as the directory's owner. */
export async function backUpStopped({
  directory,
  folder,
  keep,
  version,
  to,
  onProgress,
  signal,
}: StoppedBackupOptions): Promise<BackupOutcome> {
  // Elsewhere, such as on a stick, root may write and the owner may not.
  if (to === undefined && existsSync(directory)) await becomeOwner(directory);
  const options = { directory, folder, keep, latchd: version, clock: { now: Date.now }, log: noLog };
  return backUpDirectory(options, { reason: 'asked', to, onProgress }, signal);
}

export function restoreArchive(options: Omit<RestoreOptions, 'now'>): Promise<Restored> {
  return restore({ ...options, now: Date.now() });
}

const nothing = (): void => undefined;
/** What a daemon would write into its log is no business of whoever waits at a terminal. */
const noLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing };

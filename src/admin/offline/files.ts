// The commands that work on the data directory themselves: verify, export, backup where no daemon runs, restore.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { LockId } from '../../domain/locks/lock.ts';
import type { Log } from '../../domain/part.ts';
import { type LockRecord, lockDateSource } from '../../domain/records/record.ts';
import { recordView } from '../../http/api/views.ts';
import { becomeOwner, requireReadable } from '../../platform/owner.ts';
import type { BackupOutcome } from '../../stores/files/backup/backup.ts';
import { backUpDirectory } from '../../stores/files/backup/backups.ts';
import { type Restored, type RestoreOptions, restore } from '../../stores/files/backup/restore.ts';
import { exportRecords } from '../../stores/files/verify/export.ts';
import { repairHintFor } from '../../stores/files/verify/repair-hints.ts';
import { verify } from '../../stores/files/verify/verify.ts';
import { csvLine } from './csv.ts';

/** What is wrong, file by file, and what to do about it. Rejects while a daemon has the directory. */
export async function verifyDirectory(directory: string) {
  await requireReadable(directory);
  const verified = await verify(directory);
  return { ...verified, findings: verified.findings.map((finding) => ({ ...finding, remedy: repairHintFor(finding) })) };
}

export interface ExportOptions {
  readonly directory: string;
  readonly lockId: number;
  /** Epoch milliseconds of the operation, both included. */
  readonly from: number;
  readonly to: number;
  /** For how many days records are kept. */
  readonly recordDays: number;
  readonly format: 'csv' | 'jsonl';
  readonly output: NodeJS.WritableStream;
  /** Told how many files of how many are read, and how many records were written before. */
  onProgress(done: number, days: number, records: number): void;
  /** Told what a person should know besides. */
  warn(sentence: string): void;
}

/** Writes the records of a lock, oldest first, with the names of Specification 2.2 and what is for exports alone; resolves with how many. */
export async function exportLock({
  directory,
  lockId,
  from,
  to,
  recordDays,
  format,
  output,
  onProgress,
  warn,
}: ExportOptions): Promise<number> {
  await requireReadable(directory);
  let count = 0;
  const write = async (text: string) => {
    if (!output.write(text)) await once(output, 'drain');
  };
  // Not before the first records: what cannot be exported leaves nothing.
  let head = format === 'csv' ? csvLine(csvNames) : '';
  const onSuspectClock = () => warn('the clock of this machine may be wrong: no record was left out for its age');
  const days = exportRecords({
    directory,
    lockId: lockId as LockId,
    from,
    to,
    now: Date.now(),
    recordDays,
    onProgress: (done, all) => onProgress(done, all, count),
    onSuspectClock,
  });
  for await (const records of days) {
    count += records.length;
    await write(head + records.map(format === 'csv' ? recordRow : jsonLine).join(''));
    head = '';
  }
  await write(head);
  return count;
}

const csvNames = [
  ...['recordId', 'lockId', 'lockDate', 'serverDate', 'recordType', 'success', 'keyboardPwd', 'username'],
  ...['lockDateSource', 'reportedDate', 'reason'],
];

/** The fields of Specification 2.2, and behind them what is for exports alone. */
function exportedView(record: LockRecord) {
  const { reportedDate = null, reason = '' } = record;
  return { ...recordView(record), lockDateSource: lockDateSource(record), reportedDate, reason };
}

function jsonLine(record: LockRecord): string {
  return `${JSON.stringify(exportedView(record))}\n`;
}

function recordRow(record: LockRecord): string {
  const view: Record<string, string | number | null> = exportedView(record);
  return csvLine(csvNames.map((name) => String(view[name] ?? '')));
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

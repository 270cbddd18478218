// The commands that work on the data directory directly: verify, export, restore, and backup when no daemon runs.
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
import { type ExportRequest, exportRecords } from '../../stores/files/verify/export.ts';
import { repairHintFor } from '../../stores/files/verify/repair-hints.ts';
import { verify } from '../../stores/files/verify/verify.ts';
import { csvLine } from './csv.ts';

/** The problems, file by file, and what to do about each. Rejects while a daemon uses the directory. */
export async function verifyDirectory(directory: string) {
  await requireReadable(directory);
  const verified = await verify(directory);
  return { ...verified, findings: verified.findings.map((finding) => ({ ...finding, remedy: repairHintFor(finding) })) };
}

/** Reads the records of a lock, oldest first, a part at a time. */
export type ReadRecords = (request: ExportRequest) => AsyncIterable<readonly LockRecord[]>;

/** Those in the files of a data directory. */
export function recordsInDirectory(directory: string): ReadRecords {
  return async function* (request) {
    await requireReadable(directory);
    yield* exportRecords(directory, request);
  };
}

export interface ExportOptions {
  readonly read: ReadRecords;
  readonly lockId: number;
  /** Date of the operation in epoch milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  /** How many days records are stored. */
  readonly recordDays: number;
  readonly format: 'csv' | 'jsonl';
  readonly output: NodeJS.WritableStream;
  /** Called with the number of parts read, the number of all parts, and the number of records written so far. */
  onProgress(done: number, all: number, records: number): void;
  /** Called with a sentence that a person should know. */
  warn(sentence: string): void;
}

/**
 * Writes the records of a lock, oldest first, with the names of Specification 2.2 and some that only exports have; resolves with their
 * number.
 */
export async function exportLock({ read, lockId, from, to, recordDays, format, output, onProgress, warn }: ExportOptions): Promise<number> {
  let count = 0;
  const write = async (text: string) => {
    if (!output.write(text)) await once(output, 'drain');
  };
  // Written only with the first records: a failed export leaves nothing.
  let head = format === 'csv' ? csvLine(csvNames) : '';
  const onSuspectClock = () => warn('the clock of this machine may be wrong: no record was left out for its age');
  const parts = read({
    lockId: lockId as LockId,
    from,
    to,
    now: Date.now(),
    recordDays,
    onProgress: (done, all) => onProgress(done, all, count),
    onSuspectClock,
  });
  for await (const records of parts) {
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

/** The fields of Specification 2.2, followed by those that only exports have. */
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
  /** Another existing folder, or a file. */
  readonly to: string | undefined;
  readonly onProgress: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/** Backs up a data directory that no daemon uses; when root backs up to the usual folder, it continues as the directory's owner. */
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
/** A person at a terminal does not need the lines that a daemon would log. */
const noLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing };

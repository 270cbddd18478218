// Reads the records of one lock directly from the files, whether a daemon uses them or not. Changes nothing.
import type { LockId } from '../../../domain/locks/lock.ts';
import { type LockRecord, oldestStored } from '../../../domain/records/record.ts';
import { clockIsSuspectFor } from '../clock-trust.ts';
import { readIfThere } from '../documents/durable-file.ts';
import { codeOf, type FileLayer, nodeFiles } from '../files.ts';
import { type DayName, dayFileName, indexFileName, parseDayFileName } from '../records/day-file.ts';
import { scanLines } from '../records/line-scan.ts';
import { readRecord } from '../records/record-line.ts';
import { decodeIndex } from '../records/sealed-index.ts';

export interface ExportRequest {
  readonly lockId: LockId;
  /** Lowest and highest lockDate, both included; records before `oldestKept` are left out. */
  readonly from: number;
  readonly to: number;
  readonly now: number;
  /** How many days records are stored. */
  readonly recordDays: number;
  /** Called after each part with the number of parts read and the number of all. */
  onProgress(done: number, all: number): void;
  /** Called when the clock that `now` comes from may be wrong: then no record is left out because of its age. */
  onSuspectClock(): void;
}

/** What an operator reads when nothing is there to be exported; `where`: the directory or the database. */
export function noSuchLock(lockId: number, where: string): Error {
  return new Error(`there is no lock ${lockId} in ${where}, and no record of one: "latchd lock list" shows those there are`);
}

/**
 * The records, oldest first by recordId; a part is a day. Leaves out lines that are damaged or that a running daemon has not finished;
 * `latchd verify` says where they are. Rejects when the directory has no records at all, and at the end when there is neither such a lock
 * nor a record of a removed one.
 */
export async function* exportRecords(directory: string, request: ExportRequest): AsyncGenerator<readonly LockRecord[]> {
  const { lockId, from, to, now, recordDays, onProgress, onSuspectClock } = request;
  const files = nodeFiles();
  const folder = `${directory}/records`;
  const names = await dayNames(files, folder).catch((error: unknown) => {
    throw new Error(`there are no records in ${directory} (${codeOf(error)})`, { cause: error });
  });
  const isSuspect = await clockIsSuspectFor(files, `${directory}/clock.json`, now, await newestRecordAt(files, folder));
  if (isSuspect) onSuspectClock();
  const lowest = Math.max(from, oldestStored(now, isSuspect, recordDays));
  const mark = Buffer.from(`"lockId":${lockId},`);
  let isKnown = false;
  for (const [index, name] of names.entries()) {
    const records: LockRecord[] = [];
    await eachLine(files, `${folder}/${dayFileName(name)}`, (line) => {
      // Most lines belong to other locks: a search in the bytes saves parsing them.
      const record = line.includes(mark) ? readRecord(line) : undefined;
      if (record?.lockId !== lockId) return;
      isKnown = true;
      if (record.lockDate >= lowest && record.lockDate <= to) records.push(record);
    });
    records.sort((a, b) => a.recordId - b.recordId);
    onProgress(index + 1, names.length);
    if (records.length > 0) yield records;
  }
  if (isKnown || (await readIfThere(files, `${directory}/locks/${lockId}.json`))) return;
  throw noSuchLock(lockId, directory);
}

/** In the order of their recordIds. */
async function dayNames(files: FileLayer, folder: string): Promise<readonly DayName[]> {
  const names = (await files.readdir(folder)).map(parseDayFileName).filter((name) => name !== undefined);
  return names.sort((a, b) => a.firstRecordId - b.firstRecordId);
}

/** serverDate of the newest readable record in the folder; undefined without records. */
export async function newestRecordAt(files: FileLayer, folder: string): Promise<number | undefined> {
  for (const name of (await dayNames(files, folder)).toReversed()) {
    const index = await readIfThere(files, `${folder}/${indexFileName(name)}`).catch(() => undefined);
    if (index) {
      try {
        return decodeIndex(index).newestAt;
      } catch {
        // The lines themselves have the date too.
      }
    }
    let newest: LockRecord | undefined;
    await eachLine(files, `${folder}/${dayFileName(name)}`, (line) => {
      const record = readRecord(line);
      if (record && !(newest && newest.recordId > record.recordId)) newest = record;
    });
    if (newest) return newest.serverDate;
  }
  return undefined;
}

async function eachLine(files: FileLayer, path: string, onLine: (line: Buffer) => void): Promise<void> {
  try {
    const file = await files.open(path, 'read');
    try {
      await scanLines(file, onLine);
    } finally {
      await file.close();
    }
  } catch (error) {
    // Retention has deleted the file in the meantime.
    if (codeOf(error) === 'ENOENT') return;
    throw codeOf(error) === '' ? error : new Error(`${path} cannot be read (${codeOf(error)})`, { cause: error });
  }
}

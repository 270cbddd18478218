// Reads the records of one lock straight from the files, whether a daemon is running on them or not. Changes nothing.
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
  /** The data directory. */
  readonly directory: string;
  readonly lockId: LockId;
  /** Lowest and highest lockDate, both included; nothing before `oldestKept` is given out. */
  readonly from: number;
  readonly to: number;
  readonly now: number;
  /** For how many days records are kept. */
  readonly recordDays: number;
  /** Told after each day file: how many of how many are read. */
  onProgress(done: number, all: number): void;
  /** Told when the clock that `now` is from may be wrong: then nothing is left out for its age. */
  onSuspectClock(): void;
}

/**
 * The records, oldest first by recordId, a day at a time. A line that is damaged, or that a running daemon has not
 * finished writing, is left out; `latchd verify` says where. Rejects when there are no records to be found there at all, and at the end when
 * there is neither such a lock nor a record of one that was there.
 */
export async function* exportRecords({
  directory,
  lockId,
  from,
  to,
  now,
  recordDays,
  onProgress,
  onSuspectClock,
}: ExportRequest): AsyncGenerator<readonly LockRecord[]> {
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
      // Most lines are another lock's: a look at the bytes spares parsing them.
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
  throw new Error(`there is no lock ${lockId} in ${directory}, and no record of one: "latchd lock list" shows those there are`);
}

/** In the order of their recordIds. */
async function dayNames(files: FileLayer, folder: string): Promise<readonly DayName[]> {
  const names = (await files.readdir(folder)).map(parseDayFileName).filter((name) => name !== undefined);
  return names.sort((a, b) => a.firstRecordId - b.firstRecordId);
}

/** serverDate of the newest record in the folder, as far as it can be read; undefined without records. */
export async function newestRecordAt(files: FileLayer, folder: string): Promise<number | undefined> {
  for (const name of (await dayNames(files, folder)).toReversed()) {
    const index = await readIfThere(files, `${folder}/${indexFileName(name)}`).catch(() => undefined);
    if (index) {
      try {
        return decodeIndex(index).newestAt;
      } catch {
        // The lines themselves say it, too.
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
    // Retention has taken it meanwhile.
    if (codeOf(error) === 'ENOENT') return;
    throw codeOf(error) === '' ? error : new Error(`${path} cannot be read (${codeOf(error)})`, { cause: error });
  }
}

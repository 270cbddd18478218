// Opens the folder of the records at the start of the gateway: opens sealed days by their index, reads and repairs open days, and removes
// the leftovers of an interrupted sealing.
import type { Log } from '../../../domain/part.ts';
import type { Remembered } from '../../../domain/records/event-deduplication.ts';
import type { LockRecord } from '../../../domain/records/record.ts';
import { readIfThere, removeIfThere } from '../documents/durable-file.ts';
import { codeOf, type FileLayer } from '../files.ts';
import { unreadable } from '../flush-guard.ts';
import { type DayFile, type DayName, dayFileName, indexFileName, orderFileName, parseDayFileName } from './day-file.ts';
import { scanLines } from './line-scan.ts';
import { type OpenDay, reopenDay } from './open-day.ts';
import { createSealedDay, isSealed, type SealedDay } from './sealed-day.ts';
import { decodeIndex, decodeRemembered, type SealedIndex } from './sealed-index.ts';
import { createUnreadableDay, type UnreadableDay } from './unreadable-day.ts';

export interface FolderOptions {
  readonly files: FileLayer;
  readonly folder: string;
  readonly log: Log;
}

export type RecordDay = SealedDay | OpenDay | UnreadableDay;

export interface OpenedFolder {
  /** In the order of their recordIds. */
  readonly days: readonly RecordDay[];
  /** The days that are not sealed. */
  readonly open: readonly OpenDay[];
  readonly highestRecordId: number;
  /** serverDate of the record with the highest recordId; undefined without records. */
  readonly newestAt: number | undefined;
}

interface FoundIndex {
  readonly index: SealedIndex;
  /** Only that of the newest sealed day: it covers all days before it. */
  readonly remembered: Remembered | undefined;
}

/** Calls `recall` once, and then `onRecord` for each record of the days that are not sealed. */
export async function openFolder(
  options: FolderOptions,
  load: (remembered: Remembered) => void,
  onRecord: (record: LockRecord) => void,
): Promise<OpenedFolder> {
  const names = await tidy(options);
  const indexes = await readIndexes(options, names);
  for (const { remembered } of indexes.values()) if (remembered) load(remembered);
  // The newest index comes first and covers all days before it.
  const [newestIndexed] = indexes.keys();
  const covered = newestIndexed === undefined ? 0 : names.indexOf(newestIndexed) + 1;
  const days: RecordDay[] = [];
  let highestRecordId = 0;
  let newestAt: number | undefined;
  for (const [n, name] of names.entries()) {
    const day = await openDay(options, name, indexes.get(name)?.index, onRecord).catch(notRead(options, name, n < covered));
    days.push(day);
    const newest = newestOf(day);
    if (!newest || newest.recordId < highestRecordId) continue;
    highestRecordId = newest.recordId;
    newestAt = newest.serverDate;
  }
  return { days, open: days.filter(isOpen), highestRecordId, newestAt };
}

/**
 * Tries to read a day once more; undefined when somebody has moved the file away. It reads the whole file before it changes anything: a day
 * that still cannot be read leaves no trace, and rejects with `storage-unavailable`.
 */
export async function reopen(
  options: FolderOptions,
  { name, isCovered }: UnreadableDay,
  onRecord: (record: LockRecord) => void,
): Promise<SealedDay | OpenDay | undefined> {
  const { files, folder } = options;
  try {
    const file = await files.open(`${folder}/${dayFileName(name)}`, 'read');
    try {
      await scanLines(file, () => undefined);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(dayFileName(name), error);
  }
  // The events of a day that was not covered are taken from its lines.
  const index = isCovered ? (await readIndexes(options, [name])).get(name)?.index : undefined;
  return openDay(options, name, index, onRecord);
}

/** Uses the index if it belongs to this file, else reads the whole file. */
async function openDay(
  options: FolderOptions,
  name: DayName,
  index: SealedIndex | undefined,
  onRecord: (record: LockRecord) => void,
): Promise<SealedDay | OpenDay> {
  const sealed = index && (await openSealed(options, name, index));
  if (sealed) return sealed;
  const day = await reopenDay({ ...options, name }, onRecord);
  const gone = (index?.count ?? 0) - day.count();
  if (gone > 0) options.log.error({ code: 'records-gone', file: dayFileName(name), records: gone }, goneRecords);
  return day;
}

export function isOpen(day: DayFile): day is OpenDay {
  return 'runs' in day;
}

export function newestOf(day: DayFile): { readonly recordId: number; readonly serverDate: number } | undefined {
  if (isSealed(day)) return { recordId: day.index.lastRecordId, serverDate: day.index.newestAt };
  return isOpen(day) ? day.newestRecord() : undefined;
}

function notRead({ log }: FolderOptions, name: DayName, isCovered: boolean): (error: unknown) => UnreadableDay {
  return (error) => {
    const file = dayFileName(name);
    log.error(
      { code: 'records-unreadable', file, err: error },
      `a file of records cannot be read: doors answer, its records are not shown${isCovered ? '' : ', and locks keep their new events'}; look at the kernel log and at the disk; the file is tried again and again, and when it is lost for good, move it out of the folder: no restart is needed`,
    );
    return createUnreadableDay(name, isCovered, unreadable(file, error));
  };
}

const goneRecords =
  'the records of a sealed day are gone, or some of them: unless it was you who moved the file away, look at the disk, and put the file back from a backup';

/** The names of the days in the order of their recordIds, after removing leftovers. */
async function tidy({ files, folder, log }: FolderOptions): Promise<DayName[]> {
  const present = await files.readdir(folder);
  const names = present.map(parseDayFileName).filter((name) => name !== undefined);
  const indexes = new Set(names.map(indexFileName));
  const orders = new Set(names.map(orderFileName));
  for (const file of present) {
    const isOrphan = file.endsWith('.index') && !indexes.has(file);
    if (isOrphan) log.error({ code: 'records-gone', file: file.replace(/index$/, 'jsonl') }, goneRecords);
    const isLeft = file.endsWith('.order') && !orders.has(file);
    if (isOrphan || isLeft || file.endsWith('.sealing') || file.endsWith('.tmp')) await removeIfThere(files, `${folder}/${file}`);
  }
  return names.sort((a, b) => a.firstRecordId - b.firstRecordId || dayFileName(a).localeCompare(dayFileName(b)));
}

async function readIndexes({ files, folder, log }: FolderOptions, names: readonly DayName[]): Promise<Map<DayName, FoundIndex>> {
  const found = new Map<DayName, FoundIndex>();
  let hasRemembered = false;
  // One after the other: decoding all of them at once takes far more memory than the result.
  for (const name of names.toReversed()) {
    try {
      const file = await readIfThere(files, `${folder}/${indexFileName(name)}`);
      if (!file) continue;
      found.set(name, { index: decodeIndex(file), remembered: hasRemembered ? undefined : decodeRemembered(file) });
      hasRemembered = true;
    } catch (error) {
      log.warn({ code: 'index-remade', file: indexFileName(name), err: error }, 'the index of a day is unusable and will be made again');
    }
  }
  return found;
}

/** Undefined, with a warning, when the index was made for another file. */
async function openSealed({ files, folder, log }: FolderOptions, name: DayName, index: SealedIndex): Promise<SealedDay | undefined> {
  const file = await files.open(`${folder}/${dayFileName(name)}`, 'read');
  const bytes = await file.size().catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  if (bytes === index.bytes) return createSealedDay({ files, folder, log, name, index, file });
  await file.close();
  log.warn(
    { code: 'index-remade', file: dayFileName(name) },
    'a sealed day is not as long as its index says; it is read whole and its index made again',
  );
  return undefined;
}

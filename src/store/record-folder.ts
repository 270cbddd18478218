// What is in the folder of the records when the gateway starts: sealed days are opened by their index, days that were
// left open are read and repaired, leftovers of an interrupted sealing are removed.
import type { Log } from '../domain/part.ts';
import type { LockRecord } from '../domain/record.ts';
import { type DayFile, type DayName, dayFileName, indexFileName, parseDayFileName } from './day-file.ts';
import { readIfThere, removeIfThere } from './durable-file.ts';
import type { RememberedEpoch } from './event-progress.ts';
import type { FileLayer } from './files.ts';
import { type OpenDay, reopenDay } from './open-day.ts';
import { createSealedDay, type SealedDay } from './sealed-day.ts';
import { decodeEpochs, decodeIndex, type SealedIndex } from './sealed-index.ts';

export interface FolderOptions {
  readonly files: FileLayer;
  readonly folder: string;
  readonly log: Log;
}

export interface OpenedFolder {
  /** In the order of their recordIds. */
  readonly days: readonly DayFile[];
  /** Those of them that are not sealed. */
  readonly open: readonly OpenDay[];
  readonly highestRecordId: number;
  /** serverDate of the record with the highest recordId; undefined without records. */
  readonly newestAt: number | undefined;
}

interface FoundIndex {
  readonly index: SealedIndex;
  /** Only of the newest sealed day: it covers all before it. */
  readonly epochs: RememberedEpoch[] | undefined;
}

/** `recall` is called once, before `onRecord` is called for each record of the days that are not sealed. */
export async function openFolder(
  options: FolderOptions,
  recall: (epochs: readonly RememberedEpoch[]) => void,
  onRecord: (record: LockRecord) => void,
): Promise<OpenedFolder> {
  const names = await tidy(options);
  const indexes = await readIndexes(options, names);
  const sealed = new Map<DayName, SealedDay>();
  for (const [name, { index }] of indexes) {
    const day = await openSealed(options, name, index);
    if (day) sealed.set(name, day);
  }
  for (const { epochs } of indexes.values()) if (epochs) recall(epochs);
  const days: DayFile[] = [];
  const open: OpenDay[] = [];
  let highestRecordId = 0;
  let newestAt: number | undefined;
  for (const name of names) {
    const sealedDay = sealed.get(name);
    const openDay = sealedDay ? undefined : await reopenDay({ ...options, name }, onRecord).catch(leaveOut(options, name));
    if (!sealedDay && !openDay) continue;
    const newest = sealedDay ? { recordId: sealedDay.index.lastRecordId, serverDate: sealedDay.index.newestAt } : openDay?.newestRecord();
    if (openDay) open.push(openDay);
    days.push((sealedDay ?? openDay) as DayFile);
    if (!newest || newest.recordId < highestRecordId) continue;
    highestRecordId = newest.recordId;
    newestAt = newest.serverDate;
  }
  return { days, open, highestRecordId, newestAt };
}

/** A day on a failing disk costs its records, not the doors: it is tried again at the next start. */
function leaveOut({ log }: FolderOptions, name: DayName): (error: unknown) => undefined {
  return (error) => {
    log.error({ file: dayFileName(name), err: error }, 'a day of records cannot be read and is left out');
    return undefined;
  };
}

/** The days' names in the order of their recordIds, after leftovers were removed. */
async function tidy({ files, folder }: FolderOptions): Promise<DayName[]> {
  const present = await files.readdir(folder);
  const names = present.map(parseDayFileName).filter((name) => name !== undefined);
  const indexes = new Set(names.map(indexFileName));
  for (const file of present) {
    const isOrphan = file.endsWith('.index') && !indexes.has(file);
    if (isOrphan || file.endsWith('.sealing') || file.endsWith('.tmp')) await removeIfThere(files, `${folder}/${file}`);
  }
  return names.sort((a, b) => a.firstRecordId - b.firstRecordId || dayFileName(a).localeCompare(dayFileName(b)));
}

async function readIndexes({ files, folder, log }: FolderOptions, names: readonly DayName[]): Promise<Map<DayName, FoundIndex>> {
  const found = new Map<DayName, FoundIndex>();
  let hasEpochs = false;
  // One after the other: together they are more than the memory they leave behind.
  for (const name of names.toReversed()) {
    const file = await readIfThere(files, `${folder}/${indexFileName(name)}`);
    if (!file) continue;
    try {
      found.set(name, { index: decodeIndex(file), epochs: hasEpochs ? undefined : decodeEpochs(file) });
      hasEpochs = true;
    } catch (error) {
      log.warn({ file: indexFileName(name), err: error }, 'the index of a day is unusable and will be made again');
    }
  }
  return found;
}

/** Undefined, with a warning, when the file is not the one the index was made for. */
async function openSealed({ files, folder, log }: FolderOptions, name: DayName, index: SealedIndex): Promise<SealedDay | undefined> {
  const file = await files.open(`${folder}/${dayFileName(name)}`, 'read');
  if ((await file.size()) === index.bytes) return createSealedDay({ name, index, file, log });
  await file.close();
  log.warn({ file: dayFileName(name) }, 'a sealed day is not as long as its index says; it is read whole and its index made again');
  return undefined;
}

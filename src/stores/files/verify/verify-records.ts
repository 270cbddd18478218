// Checks the record files of a data directory that no process is using: every line, and every index against its lines.

import type { Remembered } from '../../../domain/records/event-deduplication.ts';
import { addSeq, includesSeq, type SeqRanges } from '../../../domain/records/seq-ranges.ts';
import { readIfThere } from '../documents/durable-file.ts';
import { codeOf, type FileLayer } from '../files.ts';
import { type DayName, dayFileName, indexFileName, parseDayFileName } from '../records/day-file.ts';
import { decodeRecord } from '../records/record-line.ts';
import { decodeIndex, decodeRemembered, type SealedIndex } from '../records/sealed-index.ts';
import { type BlockCheck, createBlockCheck } from './verify-blocks.ts';
import { namesIn, type Report, verifyLines } from './verify-lines.ts';

export interface VerifiedRecords {
  readonly count: number;
  readonly highestRecordId: number;
}

interface Stored {
  /** Stored numbers of each epoch: `<lockId> <epoch>` to ranges. */
  readonly epochs: Map<string, SeqRanges>;
  /** Commands that have named somebody: `<lockId>` to ranges. */
  readonly commands: Map<string, SeqRanges>;
}

/** What a file of records holds, without its lines: a day may have a million. */
interface Day {
  readonly recordIds: Float64Array;
  /** Of its highest recordId. */
  readonly newestAt: number;
}

export async function verifyRecords(files: FileLayer, directory: string, report: Report): Promise<VerifiedRecords> {
  const present = await namesIn(files, directory, 'records', report);
  const names = present.map(parseDayFileName).filter((name) => name !== undefined);
  const expected = new Set([...names.map(dayFileName), ...names.map(indexFileName)]);
  for (const file of present) {
    if (/\.(sealing|tmp)$/.test(file)) report.remark(`records/${file}`, 'is what an interrupted sealing left, and the next start removes');
    else if (!expected.has(file) && !file.endsWith('.damaged')) report(`records/${file}`, 'belongs to no day file');
  }
  const stored: Stored = { epochs: new Map(), commands: new Map() };
  let count = 0;
  let highestRecordId = 0;
  for (const name of names.sort((a, b) => a.firstRecordId - b.firstRecordId)) {
    const index = await readIndex(files, directory, name, report);
    const blocks = index && createBlockCheck(index.blocks);
    const day = await readDay({ files, directory, name, stored, blocks, report });
    if (!day) continue;
    const { recordIds } = day;
    const lowest = recordIds[0] ?? name.firstRecordId;
    const file = `records/${dayFileName(name)}`;
    if (lowest < name.firstRecordId) report(file, `holds the recordId ${lowest}, lower than its name says`);
    if (lowest <= highestRecordId) report(file, `holds the recordId ${lowest}, though a file before it goes up to ${highestRecordId}`);
    for (const recordId of repeatedIn(recordIds)) report(file, `holds the recordId ${recordId} twice`);
    if (index) await verifyIndex({ files, directory, name, stored, report }, index, day, blocks?.problems() ?? []);
    count += recordIds.length;
    highestRecordId = Math.max(highestRecordId, recordIds.at(-1) ?? 0);
  }
  return { count, highestRecordId };
}

interface DayFiles {
  readonly files: FileLayer;
  readonly directory: string;
  readonly name: DayName;
  readonly stored: Stored;
  readonly report: Report;
}

/** Undefined when the file cannot be read, which has been reported. */
async function readDay({
  files,
  directory,
  name,
  stored,
  blocks,
  report,
}: DayFiles & { readonly blocks: BlockCheck | undefined }): Promise<Day | undefined> {
  let recordIds = new Float64Array(1_024);
  let [count, highest, newestAt] = [0, 0, 0];
  const isRead = await verifyLines(files, directory, `records/${dayFileName(name)}`, report, (line, position) => {
    const record = decodeRecord(line);
    if (!record) return 'holds something else than a record';
    blocks?.line(record, position);
    const { recordId, lockId, epoch, seq, command, serverDate } = record;
    if (count === recordIds.length) recordIds = grown(recordIds);
    recordIds[count++] = recordId;
    if (recordId > highest) [highest, newestAt] = [recordId, serverDate];
    if (!isFirst(stored.epochs, `${lockId} ${epoch}`, seq)) return `holds event ${seq} of epoch ${epoch} of lock ${lockId} a second time`;
    if (command === undefined || isFirst(stored.commands, `${lockId}`, command)) return undefined;
    return `names somebody by command ${command} of lock ${lockId} a second time`;
  });
  return isRead ? { recordIds: recordIds.subarray(0, count).sort(), newestAt } : undefined;
}

function grown(values: Float64Array): Float64Array<ArrayBuffer> {
  const more = new Float64Array(2 * values.length);
  more.set(values);
  return more;
}

/** Those that come twice, of sorted numbers. */
function* repeatedIn(sorted: Float64Array): Generator<number> {
  for (let n = 1; n < sorted.length; n++) if (sorted[n] === sorted[n - 1] && sorted[n] !== sorted[n - 2]) yield sorted[n] as number;
}

/** Also adds the number. */
function isFirst(stored: Map<string, SeqRanges>, key: string, number: number): boolean {
  const ranges = stored.get(key) ?? [];
  stored.set(key, ranges);
  if (includesSeq(ranges, number)) return false;
  addSeq(ranges, number);
  return true;
}

interface Index extends Pick<SealedIndex, 'bytes' | 'count' | 'lastRecordId' | 'newestAt' | 'blocks'> {
  readonly remembered: Remembered;
}

/** Undefined when there is none, or when it cannot be used, which has been reported. */
async function readIndex(files: FileLayer, directory: string, name: DayName, report: Report): Promise<Index | undefined> {
  const file = `records/${indexFileName(name)}`;
  try {
    const bytes = await readIfThere(files, `${directory}/${file}`);
    return bytes && { ...decodeIndex(bytes), remembered: decodeRemembered(bytes) };
  } catch (error) {
    report(file, `cannot be used: ${codeOf(error) || String(error instanceof Object && 'message' in error ? error.message : error)}`);
    return undefined;
  }
}

async function verifyIndex(
  { files, directory, name, stored, report }: DayFiles,
  index: Index,
  { recordIds, newestAt }: Day,
  blockProblems: readonly string[],
): Promise<void> {
  const file = `records/${indexFileName(name)}`;
  const size = await sizeOf(files, `${directory}/records/${dayFileName(name)}`);
  const last = recordIds.at(-1) ?? 0;
  if (index.bytes !== size) report(file, `is for ${index.bytes} bytes, but there are ${size}`);
  if (index.count !== recordIds.length) report(file, `counts ${index.count} records, but ${recordIds.length} are there`);
  if (index.lastRecordId !== last) report(file, `says the last recordId is ${index.lastRecordId}, but it is ${last}`);
  else if (last > 0 && index.newestAt !== newestAt) report(file, `says record ${last} is of ${index.newestAt}, but it is of ${newestAt}`);
  for (const problem of blockProblems) report(file, problem);
  const { epochs, commands } = index.remembered;
  const ofEpochs = new Map(epochs.map(({ lockId, epoch, ranges }) => [`${lockId} ${epoch}`, ranges]));
  const ofCommands = new Map(commands.map(({ lockId, ranges }) => [`${lockId}`, ranges]));
  for (const key of lacking(stored.epochs, ofEpochs)) report(file, `does not remember all events of lock and epoch ${key}`);
  for (const key of lacking(stored.commands, ofCommands)) report(file, `does not remember all commands of lock ${key}`);
}

/** 0: it is not there. */
async function sizeOf(files: FileLayer, path: string): Promise<number> {
  try {
    const file = await files.open(path, 'read');
    return await file.size().finally(file.close);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** The keys with stored numbers that are not remembered. */
function lacking(stored: Map<string, SeqRanges>, remembered: ReadonlyMap<string, Remembered['commands'][number]['ranges']>): string[] {
  const isStored = (key: string, [first, last]: readonly [number, number]): boolean =>
    remembered.get(key)?.some(([from, to]) => from <= first && last <= to) === true;
  return [...stored].filter(([key, ranges]) => !ranges.every((range) => isStored(key, range))).map(([key]) => key);
}

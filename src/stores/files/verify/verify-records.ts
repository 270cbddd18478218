// Checks the record files of a data directory that no process is using: every line, and every index against its lines.

import type { Remembered } from '../../../domain/records/event-deduplication.ts';
import type { LockRecord } from '../../../domain/records/record.ts';
import { addSeq, includesSeq, type SeqRanges } from '../../../domain/records/seq-ranges.ts';
import { readIfThere } from '../documents/durable-file.ts';
import { codeOf, type FileLayer } from '../files.ts';
import { type DayName, dayFileName, indexFileName, parseDayFileName } from '../records/day-file.ts';
import { decodeRecord } from '../records/record-line.ts';
import { type BlockColumns, decodeIndex, decodeRemembered } from '../records/sealed-index.ts';
import { namesIn, type Report, repeated, verifyLines } from './verify-lines.ts';

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

interface Line {
  readonly record: LockRecord;
  readonly position: number;
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
    const lines = await readDay(files, directory, name, stored, report);
    if (!lines) continue;
    const recordIds = Float64Array.from(lines, ({ record }) => record.recordId).sort();
    const lowest = recordIds[0] ?? name.firstRecordId;
    const file = `records/${dayFileName(name)}`;
    if (lowest < name.firstRecordId) report(file, `holds the recordId ${lowest}, lower than its name says`);
    if (lowest <= highestRecordId) report(file, `holds the recordId ${lowest}, though a file before it goes up to ${highestRecordId}`);
    for (const recordId of repeated([...recordIds])) report(file, `holds the recordId ${recordId} twice`);
    await verifyIndex(files, directory, name, lines, stored, report);
    count += lines.length;
    highestRecordId = Math.max(highestRecordId, recordIds.at(-1) ?? 0);
  }
  return { count, highestRecordId };
}

/** Undefined when the file cannot be read, which has been reported. */
async function readDay(files: FileLayer, directory: string, name: DayName, stored: Stored, report: Report): Promise<Line[] | undefined> {
  const lines: Line[] = [];
  const isRead = await verifyLines(files, directory, `records/${dayFileName(name)}`, report, (line, position) => {
    const record = decodeRecord(line);
    if (!record) return 'holds something else than a record';
    lines.push({ record, position });
    const { lockId, epoch, seq, command } = record;
    if (!isFirst(stored.epochs, `${lockId} ${epoch}`, seq)) return `holds event ${seq} of epoch ${epoch} of lock ${lockId} a second time`;
    if (command === undefined || isFirst(stored.commands, `${lockId}`, command)) return undefined;
    return `names somebody by command ${command} of lock ${lockId} a second time`;
  });
  return isRead ? lines : undefined;
}

/** Also adds the number. */
function isFirst(stored: Map<string, SeqRanges>, key: string, number: number): boolean {
  const ranges = stored.get(key) ?? [];
  stored.set(key, ranges);
  if (includesSeq(ranges, number)) return false;
  addSeq(ranges, number);
  return true;
}

async function verifyIndex(
  files: FileLayer,
  directory: string,
  name: DayName,
  lines: readonly Line[],
  stored: Stored,
  report: Report,
): Promise<void> {
  const file = `records/${indexFileName(name)}`;
  try {
    const bytes = await readIfThere(files, `${directory}/${file}`);
    if (!bytes) return;
    const index = decodeIndex(bytes);
    const data = await files.readFile(`${directory}/records/${dayFileName(name)}`);
    if (index.bytes !== data.length) report(file, `is for ${index.bytes} bytes, but there are ${data.length}`);
    if (index.count !== lines.length) report(file, `counts ${index.count} records, but ${lines.length} are there`);
    const newest = lines.reduce<LockRecord | undefined>(
      (most, { record }) => (most && most.recordId > record.recordId ? most : record),
      undefined,
    );
    const last = newest?.recordId ?? 0;
    if (index.lastRecordId !== last) report(file, `says the last recordId is ${index.lastRecordId}, but it is ${last}`);
    else if (newest && index.newestAt !== newest.serverDate)
      report(file, `says record ${last} is of ${index.newestAt}, but it is of ${newest.serverDate}`);
    for (const problem of blockProblems(index.blocks, lines)) report(file, problem);
    const { epochs, commands } = decodeRemembered(bytes);
    const ofEpochs = new Map(epochs.map(({ lockId, epoch, ranges }) => [`${lockId} ${epoch}`, ranges]));
    const ofCommands = new Map(commands.map(({ lockId, ranges }) => [`${lockId}`, ranges]));
    for (const key of lacking(stored.epochs, ofEpochs)) report(file, `does not remember all events of lock and epoch ${key}`);
    for (const key of lacking(stored.commands, ofCommands)) report(file, `does not remember all commands of lock ${key}`);
  } catch (error) {
    report(file, `cannot be used: ${codeOf(error) || String(error instanceof Object && 'message' in error ? error.message : error)}`);
  }
}

/** The keys with stored numbers that are not remembered. */
function lacking(stored: Map<string, SeqRanges>, remembered: ReadonlyMap<string, Remembered['commands'][number]['ranges']>): string[] {
  const isStored = (key: string, [first, last]: readonly [number, number]): boolean =>
    remembered.get(key)?.some(([from, to]) => from <= first && last <= to) === true;
  return [...stored].filter(([key, ranges]) => !ranges.every((range) => isStored(key, range))).map(([key]) => key);
}

/** Compares each block with its lines. */
function* blockProblems({ lockIds, positions, counts, lowest, highest }: BlockColumns, lines: readonly Line[]): Generator<string> {
  let next = 0;
  for (let block = 0; block < lockIds.length; block++) {
    const end = positions[block + 1] ?? Number.POSITIVE_INFINITY;
    const begins = lines[next]?.position === positions[block];
    const ofBlock: LockRecord[] = [];
    for (; next < lines.length && (lines[next] as Line).position < end; next++) ofBlock.push((lines[next] as Line).record);
    const dates = ofBlock.map(({ lockDate }) => lockDate);
    const isRight =
      begins &&
      ofBlock.length === counts[block] &&
      ofBlock.every(({ lockId }) => lockId === lockIds[block]) &&
      ofBlock.every(({ recordId }, n) => n === 0 || recordId > (ofBlock[n - 1] as LockRecord).recordId) &&
      Math.min(...dates) === lowest[block] &&
      Math.max(...dates) === highest[block];
    if (!isRight) yield `has a block ${block + 1}, of lock ${lockIds[block]}, that is not what lies there`;
    if (block > 0 && (lockIds[block] as number) < (lockIds[block - 1] as number)) yield `has block ${block + 1} out of order`;
  }
}

// Turns a finished day's journal into a sealed day: the same lines, sorted by (lockId, recordId), and their index. In
// slices, so that doors never wait. A crash at any step leaves a day's file that the next start reads and seals again:
// sorted lines without an index are as good a journal as unsorted ones.
import { dirname } from 'node:path';
import type { Log } from '../domain/part.ts';
import { isIntact } from './checked-line.ts';
import { dayFileName, indexFileName } from './day-file.ts';
import { removeIfThere, replaceFile } from './durable-file.ts';
import type { RememberedEpoch } from './event-progress.ts';
import type { FileLayer, OpenFile } from './files.ts';
import { setAside } from './journal-recovery.ts';
import type { OpenDay } from './open-day.ts';
import type { LinePlace } from './read-lines.ts';
import { createSealedDay, type SealedDay } from './sealed-day.ts';
import { encodeIndex, type SealedIndex } from './sealed-index.ts';

/** Lines that a page may have to read for one record. */
const blockLines = 128;
/** Bytes of lines checked and written between two turns of the event loop: about a millisecond. */
const sliceBytes = 80_000;
/** A journal up to this size is read whole; of a larger one each slice is collected from all over the file. */
const mostBytesInMemory = 32_000_000;
const pieceBytes = 1_000_000;

interface Block {
  readonly lockId: number;
  position: number;
  count: number;
  lowest: number;
  highest: number;
}
/** A line to be sealed. */
interface Line extends LinePlace {
  readonly lockId: number;
  readonly lockDate: number;
}

export interface SealOptions {
  readonly files: FileLayer;
  readonly folder: string;
  readonly log: Log;
  /** What is stored of all locks, asked at the end. */
  readonly remembered: () => RememberedEpoch[];
  /** Asked between slices; false gives up, leaving the day as it was. */
  readonly goOn: () => boolean;
}

/** Undefined when it was given up. The day must not be appended to any more; it is still open and to be closed. */
export async function sealDay(options: SealOptions, day: OpenDay): Promise<SealedDay | undefined> {
  const { files, folder, log, remembered } = options;
  const path = `${folder}/${dayFileName(day.name)}`;
  await day.idle();
  const blocks = await writeSorted(options, path, day);
  const newest = day.newestRecord();
  if (!blocks || !newest) return undefined;
  const file = await files.open(path, 'read');
  try {
    const index: SealedIndex = {
      bytes: await file.size(),
      count: blocks.reduce((sum, { count }) => sum + count, 0),
      lastRecordId: newest.recordId,
      newestAt: newest.serverDate,
      blocks: {
        lockIds: Float64Array.from(blocks, ({ lockId }) => lockId),
        positions: Float64Array.from(blocks, ({ position }) => position),
        counts: Uint32Array.from(blocks, ({ count }) => count),
        lowest: Float64Array.from(blocks, ({ lowest }) => lowest),
        highest: Float64Array.from(blocks, ({ highest }) => highest),
      },
    };
    await replaceFile(files, `${folder}/${indexFileName(day.name)}`, encodeIndex(index, remembered()));
    return createSealedDay({ name: day.name, index, file, log });
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Replaces the day's file by the sorted one; resolves with its blocks. */
async function writeSorted(options: SealOptions, path: string, day: OpenDay): Promise<Block[] | undefined> {
  const { files, goOn } = options;
  const temporary = `${path}.sealing`;
  try {
    const file = await files.open(temporary, 'replace');
    let blocks: Block[] | undefined;
    try {
      blocks = await copySorted(options, path, day, file);
      if (blocks) await file.sync();
    } finally {
      await file.close();
    }
    if (!blocks || !goOn()) {
      await removeIfThere(files, temporary);
      return undefined;
    }
    await files.rename(temporary, path);
    await files.syncFolder(dirname(path));
    return blocks;
  } catch (error) {
    await removeIfThere(files, temporary).catch(() => undefined);
    throw error;
  }
}

async function copySorted({ files, log, goOn }: SealOptions, path: string, day: OpenDay, into: OpenFile): Promise<Block[] | undefined> {
  const blocks: Block[] = [];
  let position = 0;
  const read = await readerOf(day);
  for (const slice of slicesOf(day)) {
    if (!goOn()) return undefined;
    const [good, damaged]: [Buffer[], Buffer[]] = [[], []];
    const start = position;
    for (const [n, line] of (await read(slice)).entries()) {
      if (isIntact(line.subarray(0, -1))) {
        good.push(line);
        addToBlocks(blocks, slice[n] as Line, position);
        position += line.length;
      } else damaged.push(line);
    }
    await into.write(Buffer.concat(good), start);
    if (damaged.length === 0) continue;
    log.error({ file: dayFileName(day.name), lines: damaged.length }, 'damaged records were set aside when their day was sealed');
    await setAside(files, path, Buffer.concat(damaged));
  }
  return blocks;
}

/** Reads lines, with their newlines, the fastest way that the size of the day allows. */
async function readerOf(day: OpenDay): Promise<(places: readonly LinePlace[]) => Buffer[] | Promise<Buffer[]>> {
  if (day.bytes() > mostBytesInMemory) return day.read;
  const whole = Buffer.alloc(day.bytes());
  for (let from = 0; from < whole.length; from += pieceBytes) await day.readAt(whole.subarray(from, from + pieceBytes), from);
  return (places) => places.map(({ position, length }) => whole.subarray(position, position + length));
}

function addToBlocks(blocks: Block[], { lockId, lockDate }: Line, position: number): void {
  const last = blocks.at(-1);
  if (last && last.lockId === lockId && last.count < blockLines) {
    last.count += 1;
    last.lowest = Math.min(last.lowest, lockDate);
    last.highest = Math.max(last.highest, lockDate);
  } else blocks.push({ lockId, position, count: 1, lowest: lockDate, highest: lockDate });
}

/** All lines by (lockId, recordId), some at a time. */
function* slicesOf(day: OpenDay): Generator<Line[]> {
  let slice: Line[] = [];
  let bytes = 0;
  for (const lockId of day.runs.locks()) {
    const run = day.runs.of(lockId);
    for (let n = 0; run && n < run.count; n++) {
      const line = { lockId, lockDate: run.dates[n] as number, position: run.positions[n] as number, length: run.lengths[n] as number };
      slice.push(line);
      bytes += line.length;
      if (bytes < sliceBytes) continue;
      yield slice;
      slice = [];
      bytes = 0;
    }
  }
  if (slice.length > 0) yield slice;
}

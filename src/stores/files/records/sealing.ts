// Turns a finished day's journal into a sealed day: the same lines, sorted by (lockId, recordId), and their index (Store 4.4). It works in
// slices, so that doors never wait. A crash at any step leaves a day file that the next start reads and seals again: sorted lines without
// an index are as good a journal as unsorted ones.
import { basename, dirname } from 'node:path';
import type { Log } from '../../../domain/part.ts';
import type { Remembered } from '../../../domain/records/event-deduplication.ts';
import { isIntact } from '../checksummed-line.ts';
import { removeIfThere, replaceFile } from '../documents/durable-file.ts';
import type { FileLayer, OpenFile } from '../files.ts';
import { dayFileName, indexFileName } from './day-file.ts';
import { setAside } from './journal-recovery.ts';
import type { OpenDay } from './open-day.ts';
import { createSealedDay, type SealedDay } from './sealed-day.ts';
import { encodeIndex, type SealedIndex } from './sealed-index.ts';
import { type SortedLine, sortedSlices } from './sorted-lines.ts';

/** The most lines that a page may have to read for one record. */
const blockLines = 128;
/** Bytes that stay free beside the sorted copy: on a nearly full disk, the remaining space is for today's events. */
const spareBytes = 4 << 20;

interface Block {
  readonly lockId: number;
  position: number;
  count: number;
  lowest: number;
  highest: number;
}
export interface SealOptions {
  readonly files: FileLayer;
  readonly folder: string;
  readonly log: Log;
  /** What is stored of all locks; called at the end. */
  readonly remembered: () => Remembered;
  /** Called between slices; false cancels the sealing and leaves the day as it was. */
  readonly goOn: () => boolean;
}

/** Undefined when the sealing was cancelled. The day must not be appended to any more; it is still open, and the caller closes it. */
export async function sealDay(options: SealOptions, day: OpenDay): Promise<SealedDay | undefined> {
  const { files, folder, remembered } = options;
  const path = `${folder}/${dayFileName(day.name)}`;
  await day.idle();
  const free = await files.freeBytes(folder);
  if (free < day.bytes() + spareBytes)
    throw new Error(`its sorted copy takes ${day.bytes()} bytes, and ${free} are free on the disk: make room on it`);
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
    return createSealedDay({ files, folder, log: options.log, name: day.name, index, file });
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
    let blocks: Block[];
    try {
      blocks = await copySorted(options, path, day, file);
      if (goOn()) await file.sync();
    } finally {
      await file.close();
    }
    if (!goOn()) {
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

/** Writes all lines by (lockId, recordId); resolves with their blocks. Stops half-way when the sealing is cancelled. */
async function copySorted({ files, log, goOn }: SealOptions, path: string, day: OpenDay, into: OpenFile): Promise<Block[]> {
  const blocks: Block[] = [];
  let position = 0;
  for await (const slice of sortedSlices(day, goOn)) {
    const [good, damaged]: [Buffer[], Buffer[]] = [[], []];
    const start = position;
    for (const line of slice) {
      if (isIntact(line.bytes.subarray(0, -1))) {
        good.push(line.bytes);
        addToBlocks(blocks, line, position);
        position += line.bytes.length;
      } else damaged.push(line.bytes);
    }
    await into.write(Buffer.concat(good), start);
    if (damaged.length === 0) continue;
    log.error(
      { code: 'records-damaged', file: basename(path), lines: damaged.length },
      'damaged records were set aside when their day was sealed',
    );
    await setAside(files, path, Buffer.concat(damaged));
  }
  return blocks;
}

function addToBlocks(blocks: Block[], { lockId, lockDate }: SortedLine, position: number): void {
  const last = blocks.at(-1);
  if (last && last.lockId === lockId && last.count < blockLines) {
    last.count += 1;
    last.lowest = Math.min(last.lowest, lockDate);
    last.highest = Math.max(last.highest, lockDate);
  } else blocks.push({ lockId, position, count: 1, lowest: lockDate, highest: lockDate });
}

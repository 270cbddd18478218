// The index of a sealed day, `<day>-<first recordId>.index`: two checksummed lines (Store 4.4). The first has the positions of each lock's
// lines, in blocks. The second has, for de-duplication, which events of each lock's epochs were stored by the time of sealing, and which of
// its commands have named somebody.
import { z } from 'zod';
import type { Remembered } from '../../../domain/records/event-deduplication.ts';
import { checksummedLine, isIntact } from '../checksummed-line.ts';
import { lockId } from '../documents/id-schemas.ts';

/** Blocks sorted by (lockId, position), one element of each column per block; a block ends where the next begins. */
export interface BlockColumns {
  readonly lockIds: Float64Array;
  readonly positions: Float64Array;
  readonly counts: Uint32Array;
  /** Lowest and highest lockDate. */
  readonly lowest: Float64Array;
  readonly highest: Float64Array;
}

export interface SealedIndex {
  /** Length of the sealed file. */
  readonly bytes: number;
  /** Records in the file. */
  readonly count: number;
  readonly lastRecordId: number;
  /** serverDate of the last record. */
  readonly newestAt: number;
  readonly blocks: BlockColumns;
}

const whole = z.int().min(0);
/** One check for the whole column, because a start may read a million of these numbers. */
const column = z.custom<number[]>((value) => Array.isArray(value) && value.every(Number.isSafeInteger));
const indexLine = z.object({
  schemaVersion: z.literal(1),
  bytes: whole,
  count: whole,
  lastRecordId: whole,
  newestAt: z.int(),
  lockIds: column,
  positions: column,
  counts: column,
  lowest: column,
  highest: column,
});
const ranges = z.array(z.tuple([z.int(), z.int()]));
const rememberedLine = z.object({
  epochs: z.array(
    z.object({
      lockId,
      epoch: z.string(),
      newestAt: z.int(),
      ranges,
    }),
  ),
  // Older indexes do not have this member.
  commands: z.array(z.object({ lockId, ranges })).default([]),
});

export function encodeIndex(index: SealedIndex, { epochs, commands }: Remembered): Buffer {
  const { blocks, ...head } = index;
  const columns = Object.fromEntries(Object.entries(blocks).map(([name, column]) => [name, Array.from(column as Float64Array)]));
  return Buffer.from(checksummedLine({ schemaVersion: 1, ...head, ...columns }) + checksummedLine({ epochs, commands }));
}

/** Throws when the file is not exactly what was written. */
export function decodeIndex(file: Buffer): SealedIndex {
  const { lockIds, positions, counts, lowest, highest, bytes, count, lastRecordId, newestAt } = indexLine.parse(intactLine(file, 0));
  if ([positions, counts, lowest, highest].some((column) => column.length !== lockIds.length))
    throw new Error('its columns differ in length');
  return {
    bytes,
    count,
    lastRecordId,
    newestAt,
    blocks: {
      lockIds: Float64Array.from(lockIds),
      positions: Float64Array.from(positions),
      counts: Uint32Array.from(counts),
      lowest: Float64Array.from(lowest),
      highest: Float64Array.from(highest),
    },
  };
}

/** Decodes the second line; throws as `decodeIndex` does. */
export function decodeRemembered(file: Buffer): Remembered {
  return rememberedLine.parse(intactLine(file, 1));
}

function intactLine(file: Buffer, n: 0 | 1): unknown {
  const middle = file.indexOf(10);
  const line = n === 0 ? file.subarray(0, middle) : file.subarray(middle + 1, -1);
  if (middle < 0 || file.at(-1) !== 10 || !isIntact(line)) throw new Error('it is damaged');
  return JSON.parse(line.toString('utf8'));
}

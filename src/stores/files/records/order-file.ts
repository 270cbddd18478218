// The table of a day's records, newest first (`record-order.ts`), in a file of its own beside the sealed day: chunks, and a last line that
// says of which file it is. It is made from the lines when it is first asked for, in short slices, so an old or a damaged one is no loss.
import { z } from 'zod';
import { checksummedLine, isIntact } from '../checksummed-line.ts';
import { removeIfThere } from '../documents/durable-file.ts';
import { codeOf, type FileLayer, type OpenFile } from '../files.ts';
import { nextTick } from './next-turn.ts';
import { readRecord } from './record-line.ts';
import { bytesOfChunk, chunkBytes, chunkRows, idOfRow, putRow, rowsOfChunk, rowWords } from './record-order.ts';
import { lineHeadOf, linePiecesOf } from './records-after.ts';

/** The records of one file, in any order. */
export interface OrderedDay {
  readonly firstRecordId: number;
  readonly lastRecordId: number;
  readonly bytes: number;
  readonly readAt: OpenFile['read'];
}

export interface RecordOrder {
  /** The recordId of the first row of each chunk. */
  readonly firsts: readonly number[];
  /** The rows of a chunk; undefined when it is damaged. */
  chunk(n: number): Promise<Uint32Array | undefined>;
  close(): Promise<void>;
}

const whole = z.int().min(0);
const lastLine = z.object({ schemaVersion: z.literal(1), bytes: whole, firsts: z.array(whole) });
/** Ids whose rows are in memory at a time: a file with more is read again for the next ones. */
const idsAtOnce = 1 << 18;

/** Opens the table of a day; undefined: there is none, or not of this file. */
export async function openOrder(files: FileLayer, path: string, day: OrderedDay): Promise<RecordOrder | undefined> {
  const file = await files.open(path, 'read').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  const size = await file.size();
  const chunks = Math.floor(size / chunkBytes);
  const text = Buffer.alloc(size - chunks * chunkBytes);
  await file.read(text, chunks * chunkBytes);
  const line = text.subarray(0, -1);
  const said = isIntact(line) ? lastLine.safeParse(JSON.parse(line.toString())).data : undefined;
  if (said?.bytes !== day.bytes || said.firsts.length !== chunks) {
    await file.close();
    return undefined;
  }
  return {
    firsts: said.firsts,
    async chunk(n) {
      const bytes = Buffer.allocUnsafeSlow(chunkBytes);
      const count = await file.read(bytes, n * chunkBytes);
      return count === chunkBytes ? rowsOfChunk(bytes) : undefined;
    },
    close: file.close,
  };
}

/** Makes the table of a day and writes it; no power cut matters, because each part of it has a checksum. */
export async function writeOrder(files: FileLayer, path: string, day: OrderedDay): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const file = await files.open(temporary, 'replace');
    try {
      const firsts: number[] = [];
      for await (const { first, rows } of chunksOf(day)) {
        await file.write(bytesOfChunk(rows), firsts.length * chunkBytes);
        firsts.push(first);
      }
      const end = Buffer.from(checksummedLine({ schemaVersion: 1, bytes: day.bytes, firsts }));
      await file.write(end, firsts.length * chunkBytes);
    } finally {
      await file.close();
    }
    await files.rename(temporary, path);
  } catch (error) {
    await removeIfThere(files, temporary).catch(() => undefined);
    throw error;
  }
}

/** Makes the table of a day in memory alone, for one use: its file cannot be written, or the day is not sealed. */
export async function orderInMemory(day: OrderedDay): Promise<RecordOrder> {
  const firsts: number[] = [];
  const chunks: Uint32Array[] = [];
  for await (const { first, rows } of chunksOf(day)) {
    firsts.push(first);
    chunks.push(rows);
  }
  return { firsts, chunk: async (n) => chunks[n], close: async () => undefined };
}

/** All rows by falling recordId. Damaged lines have none. */
async function* chunksOf(day: OrderedDay): AsyncGenerator<{ readonly first: number; readonly rows: Uint32Array }> {
  const { firstRecordId, lastRecordId } = day;
  const first = firstRecordId;
  const slots = new Uint32Array(Math.min(idsAtOnce, lastRecordId - firstRecordId + 1) * rowWords);
  let rows = new Uint32Array(chunkRows * rowWords);
  let count = 0;
  for (let top: number | undefined = lastRecordId; top !== undefined; ) {
    slots.fill(0);
    // A restore leaps ahead by many numbers, which no record has.
    top = await collect(day, top, slots);
    for (let n = 0; n < slots.length; n += rowWords) {
      if (slots[n + 3] === 0) continue;
      rows.set(slots.subarray(n, n + rowWords), count * rowWords);
      count += 1;
      if (count < chunkRows) continue;
      yield { first: idOfRow(rows, 0, first), rows };
      await nextTick();
      rows = new Uint32Array(chunkRows * rowWords);
      count = 0;
    }
  }
  if (count > 0) yield { first: idOfRow(rows, 0, first), rows: rows.subarray(0, count * rowWords) };
}

/** Puts the rows of the ids up to `top` into `slots`, the highest first; resolves with the highest id that has no slot any more. */
async function collect({ firstRecordId, bytes, readAt }: OrderedDay, top: number, slots: Uint32Array): Promise<number | undefined> {
  let next: number | undefined;
  for await (const lines of linePiecesOf(readAt, { from: 0, to: bytes })) {
    for (const { bytes: line, position } of lines) {
      const recordId = lineHeadOf(line)?.recordId;
      if (recordId === undefined || recordId > top) continue;
      const slot = top - recordId;
      if (slot * rowWords >= slots.length) {
        if (next === undefined || recordId > next) next = recordId;
        continue;
      }
      const record = readRecord(line);
      if (record) putRow(slots, slot, record, firstRecordId, { position, length: line.length + 1 });
    }
  }
  return next;
}

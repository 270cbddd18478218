// Consecutive sealed days, queried for pages as one. The index of a lock's blocks shows which of them can contain a page. These are read at
// once: the blocks at the edges of a range, which must be counted, together with those that may contain the page.
import type { Log } from '../../../domain/part.ts';
import type { LockRecord } from '../../../domain/records/record.ts';
import { createLockRows, type LockRow } from './block-index.ts';
import type { BufferPool } from './buffer-pool.ts';
import { type DayQuery, dayFileName, type Matching, type RecordPages } from './day-file.ts';
import { intactRecords, lockDateIn } from './record-line.ts';
import type { SealedDay } from './sealed-day.ts';

/** Of the matching records, newest first. */
interface Wanted {
  readonly query: DayQuery;
  readonly skip: number;
  readonly take: number;
}
/** A block that is read, and the buffer for its bytes. */
interface Block {
  /** Its number in the row of the lock. */
  readonly n: number;
  readonly day: SealedDay;
  readonly position: number;
  readonly text: Buffer;
}

export function createSealedRange(options: {
  /** In the order of their recordIds. */
  readonly days: readonly SealedDay[];
  readonly log: Log;
  readonly room: BufferPool;
}): RecordPages {
  const { days, log, room } = options;
  const rowOf = createLockRows(days.map(({ index }) => index.blocks));

  function lies({ days: inDays, blocks }: LockRow, n: number): { day: SealedDay; position: number; bytes: number } {
    const day = days[inDays[n] as number] as SealedDay;
    const { positions } = day.index.blocks;
    const position = positions[blocks[n] as number] as number;
    return { day, position, bytes: (positions[(blocks[n] as number) + 1] ?? day.index.bytes) - position };
  }
  async function readAndPick(row: LockRow, toRead: readonly number[], wanted: Wanted): Promise<Matching> {
    const places = toRead.map((n) => ({ n, ...lies(row, n) }));
    const buffer = room.take(places.reduce((sum, { bytes }) => sum + bytes, 0));
    let at = 0;
    const blocks = places.map(({ n, day, position, bytes }) => {
      at += bytes;
      return { n, day, position, text: buffer.subarray(at - bytes, at) };
    });
    await Promise.all(blocks.map(readBlock));
    const found = pick(row, blocks, wanted, log);
    // Not after a failure: another read may still be writing into the buffer.
    room.giveBack(buffer);
    return found;
  }
  return {
    newest(query, skip, take) {
      const row = rowOf(query.lockId);
      const { surely, toRead } = planOf(row, { query, skip, take });
      if (toRead.length === 0) return { total: surely, records: [] };
      return readAndPick(row, toRead, { query, skip, take });
    },
  };
}

async function readBlock({ day, position, text }: Block): Promise<void> {
  const count = await day.readAt(text, position);
  // The file has become shorter: old bytes of another page in the buffer must not count as records of this lock.
  if (count < text.length) text.fill(0, count);
}

type Relation = 'outside' | 'inside' | 'edge';

function relation({ lowest, highest }: LockRow, n: number, { from, to }: DayQuery): Relation {
  const low = lowest[n] as number;
  const high = highest[n] as number;
  if (high < from || low > to) return 'outside';
  return from <= low && high <= to ? 'inside' : 'edge';
}

/** How many records match without being read, and which blocks must be read, newest first. */
function planOf(row: LockRow, { query, skip, take }: Wanted): { readonly surely: number; readonly toRead: number[] } {
  const toRead: number[] = [];
  // The least and the most number of newer records that match.
  let least = 0;
  let most = 0;
  for (let n = row.counts.length - 1; n >= 0; n--) {
    const where = relation(row, n, query);
    if (where === 'outside') continue;
    const count = row.counts[n] as number;
    const mayHoldPage = least < skip + take && most + count > skip && take > 0;
    if (where === 'edge' || mayHoldPage) toRead.push(n);
    most += count;
    if (where === 'inside') least += count;
  }
  return { surely: least, toRead };
}

/** Counts exactly, and picks the page from the blocks that were read. */
function pick(row: LockRow, blocks: readonly Block[], { query, skip, take }: Wanted, log: Log): Matching {
  const records: LockRecord[] = [];
  let total = 0;
  let next = 0;
  for (let n = row.counts.length - 1; n >= 0; n--) {
    const where = relation(row, n, query);
    if (where === 'outside') continue;
    const block = blocks[next]?.n === n ? (blocks[next++] as Block) : undefined;
    const wanted = { from: Math.max(0, skip - total), to: skip + take - total };
    const lines = block && linesOf(block.text, where === 'edge' ? query : undefined, wanted);
    if (block && lines) records.push(...intactRecords(lines.picked, log, dayFileName(block.day.name)));
    total += where === 'edge' ? (lines?.matching ?? 0) : (row.counts[n] as number);
  }
  return { total, records };
}

const newline = 10;

/**
 * The matching lines from..to of a block, counted from the newest, `to` exclusive, without their newlines; and how many match in all.
 * Without a `query` all lines match, and those behind `to` are not counted.
 */
function linesOf(
  text: Buffer,
  query: DayQuery | undefined,
  { from, to }: { readonly from: number; readonly to: number },
): { readonly picked: Buffer[]; readonly matching: number } {
  const picked: Buffer[] = [];
  let matching = 0;
  for (let end = text.length; end > 0 && (query || matching < to); ) {
    const start = text.lastIndexOf(newline, end - 2) + 1;
    const isMatching = query === undefined || isWithin(lockDateIn(text, start, end), query);
    if (isMatching && from <= matching && matching < to) picked.push(text.subarray(start, end - 1));
    if (isMatching) matching += 1;
    end = start;
  }
  return { picked, matching };
}

function isWithin(date: number, { from, to }: DayQuery): boolean {
  return from <= date && date <= to;
}
